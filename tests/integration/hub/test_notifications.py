"""Notifications through a whole hub: a real database, a real door, and a push service on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, cast

import msgspec
import pytest

from controlroom.client import Refused
from controlroom.core.notify import episodes
from controlroom.hub.notifications import NotificationBook
from controlroom.hub.store import notification_rows
from controlroom.kit.settings import Notify, Push, Settings
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import SendMessage
from controlroom.wire.codec import decode
from controlroom.wire.model import DialogOption, Finished, WaitingFor
from controlroom.wire.notification import (
    Notification,
    Notifications,
    NotificationSettings,
    PatchNotificationSettings,
    SnoozeNotifications,
)
from controlroom.wire.question import Question
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door, open_door
from tests.integration.hub.question_house import Inbox
from tests.integration.hub.test_trouble import pages
from tests.support.push_service import PushService, push_service
from tests.support.waiting import until

ASK = "Question for Founder: Which colour?\n- Red: warm\n- Blue: cold\n"


@pytest.fixture
async def service() -> AsyncIterator[PushService]:
    async with push_service() as made:
        yield made


@pytest.fixture
async def door(house: House, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Door]:
    monkeypatch.setattr(episodes, "AFTER_WAKING_MS", 0)
    monkeypatch.setattr(episodes, "QUIET_SPELL_MS", 500)
    monkeypatch.setitem(episodes._LATER, "database", 500)
    house.settings = msgspec.structs.replace(
        Settings(),
        push=Push(allow_private_endpoints=True),
        notify=Notify(waiting_after_s=0, finished_after_s=0),
    )
    await house.restart()
    async with open_door(house) as door:
        yield door


class Desk:
    """A person with browsers that have subscribed."""

    def __init__(self, house: House, door: Door, service: PushService) -> None:
        self.house, self.door, self.service = house, door, service
        self.inbox = Inbox(house)

    async def subscribed(self, name: str = "one") -> dict[str, str]:
        browser = await self.door.browser()
        body = {"endpoint": f"{self.service.url}/push/{name}", "keys": self.service.receiver.keys}
        assert (await self.door.ask("POST", "/push/subscriptions", body, browser)).status == 200
        return browser

    async def agent(self, **more: Any) -> None:
        now = self.house.clock.now_ms()
        await self.house.node.put(agent_state(since_ms=now, name="orchard", **more))
        await self.house.until_agent()

    async def heard(self, count: int) -> list[dict[str, Any]]:
        await until(lambda: len(self.service.heard) >= count, f"{count} notices")
        assert len(self.service.heard) == count
        return self.service.heard

    async def record(self, query: str = "", **wanted: object) -> Notification:
        async def found() -> Notification | None:
            page = decode(await self.inbox.call("GET", f"/notifications?{query}"), Notifications)
            return next(
                (
                    one
                    for one in page.notifications
                    if all(getattr(one, name) == value for name, value in wanted.items())
                ),
                None,
            )

        return await until(found, f"a record with {wanted}")


@pytest.fixture
async def desk(house: House, door: Door, service: PushService) -> Desk:
    return Desk(house, door, service)


async def test_a_question_reaches_each_device_once_and_is_taken_away_when_it_is_answered(desk: Desk) -> None:
    """Also over a restart of the hub; a click on a button of it answers."""
    await desk.subscribed("one")
    await desk.subscribed("two")
    await desk.agent(activity="question")
    question = await desk.inbox.asked(ASK)
    first, second = await desk.heard(2)
    assert first == second
    assert first["title"] == "orchard asks" and first["body"] == "Which colour?"
    assert [one["title"] for one in first["actions"]] == ["Red", "Blue"]
    assert (first["open"], first["badge"], first["tag"]) == (f"inbox/{question.id}", 1, "agent:agt_1")

    record = await desk.record(f"question={question.id}", state="pushed")
    sent = await until(lambda: _with_sends(desk, record.id, 2), "two sends")
    assert {one.state for one in sent.sends} == {"sent"} and sent.id == first["id"]

    await desk.house.restart()
    await desk.house.node.touch()
    await desk.house.until_agent()
    await desk.inbox.answer(question.id, "Red")
    over = await desk.record(state="over")
    assert over.id == record.id and len(over.sends) == 2
    assert len(desk.service.heard) == 2
    assert over.why == "It was told at once."


async def _with_sends(desk: Desk, id: str, count: int) -> Notification | None:
    one = decode(await desk.inbox.call("GET", f"/notifications/{id}"), Notification)
    return one if len(one.sends) >= count else None


async def test_a_prompt_is_told_with_the_last_lines_of_the_screen_kept(desk: Desk) -> None:
    """The lines stand in the record; what goes out holds no command."""
    await desk.subscribed()
    await desk.house.node.put(agent_state(name="orchard"))
    await desk.house.node.draw("agt_1", *(f"row {number}" for number in range(20)), "", "")
    waiting = WaitingFor(
        id="dlg_1",
        kind="permission",
        text="Bash: rm -rf build",
        since_ms=desk.house.clock.now_ms(),
        options=(DialogOption(key="1", label="Yes", risky=True),),
    )
    await desk.agent(activity="blocked", waiting_for=waiting)
    (notice,) = await desk.heard(1)
    assert notice["title"] == "orchard waits at a prompt"
    assert notice["body"] == "It asks for your permission.\nOne of the answers is risky."
    assert notice["is_urgent"] and "actions" not in notice
    record = await desk.record(kind="waiting", state="pushed")
    whole = decode(await desk.inbox.call("GET", f"/notifications/{record.id}"), Notification)
    assert whole.lines == tuple(f"row {number}" for number in range(6, 20))


async def test_what_finished_and_was_read_is_told_nobody(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its record says why; one that nobody read is told."""
    await desk.subscribed()
    monkeypatch.setattr(episodes, "QUIET_SPELL_MS", 600_000)  # it is read in time, however slow we are
    now = desk.house.clock.now_ms()
    await desk.agent(finished=Finished(at_ms=now, busy_ms=1_000, text="Result: It works."))
    await desk.record(kind="finished", state="waiting")
    await desk.agent()
    read = await desk.record(kind="finished", state="dropped")
    assert read.why == "You have read it on one of your devices."
    monkeypatch.setattr(episodes, "QUIET_SPELL_MS", 0)
    now = desk.house.clock.now_ms()
    await desk.agent(finished=Finished(at_ms=now, busy_ms=61_000, text="Result: It works again."))
    (notice,) = await desk.heard(1)
    assert notice["body"] == "It works again.\nBusy for 1 min."


async def test_settings_hold_and_release(desk: Desk) -> None:
    """Snoozed is held, its end tells; a kind that is off is not told; all of it lasts over a restart."""
    browser = await desk.subscribed()
    await desk.agent(activity="question")
    later = desk.house.clock.now_ms() + 3_600_000
    snoozed = await desk.door.ask("POST", "/notifications/snooze", {"until_ms": later}, browser)
    assert snoozed.body["snoozes"] == [{"what": "", "until_ms": later}]
    question = await desk.inbox.asked(ASK)
    held = await desk.record(state="held")
    assert held.why.startswith("Snoozed until") and held.until_ms == later
    await desk.house.restart()
    await desk.inbox.call("POST", "/notifications/snooze", {"until_ms": 0})
    await desk.heard(1)

    wish = {"question": "off", "quiet": "22:00-07:30", "agents": {"agt_1": "blocking"}}
    changed = decode(await desk.inbox.call("PATCH", "/notifications/settings", wish), NotificationSettings)
    assert (changed.question, changed.quiet, changed.agents) == ("off", "22:00-07:30", {"agt_1": "blocking"})
    bad = await desk.door.ask("PATCH", "/notifications/settings", {"quiet": "late"}, browser)
    assert bad.code == "bad_request"
    await desk.inbox.answer(question.id, "Red")
    await desk.inbox.asked(ASK.replace("colour", "size"))
    assert (await desk.record(state="dropped")).why == "Notifications of this kind (question) are off."
    assert len(desk.service.heard) == 1


async def test_wishes_of_the_same_moment_all_count(desk: Desk) -> None:
    book = desk.house.hub.notifications
    later = desk.house.clock.now_ms() + 3_600_000
    await asyncio.gather(
        book.patch(PatchNotificationSettings(question="off")),
        book.snooze(SnoozeNotifications(until_ms=later)),
        book.patch(PatchNotificationSettings(finished="always")),
    )
    settings = book.settings()
    assert (settings.question, settings.finished, len(settings.snoozes)) == ("off", "always", 1)


async def test_a_question_that_closes_during_the_start_is_not_taken_for_open(desk: Desk) -> None:
    """Its default comes due at once; it was read as open just before."""
    house = desk.house
    await desk.agent(activity="question")
    question = await desk.inbox.asked(ASK)
    book = NotificationBook(house.store, house.clock, cast(Any, None), cast(Any, None), Notify())

    async def opened() -> Sequence[Question]:
        found = await desk.inbox.open()
        await desk.inbox.answer(question.id, "Red")
        return found

    await book.start(opened)
    assert [one.id for one in book._questions.values()] == [question.id]
    assert [one.id for one in book._questions.values() if one.state == "open"] == []


async def test_a_busy_service_is_tried_again_and_one_that_ended_is_forgotten(desk: Desk) -> None:
    await desk.subscribed("one")
    desk.service.answers.append((503, {"Retry-After": "1"}))
    await desk.agent(activity="question")
    await desk.inbox.asked(ASK)
    await desk.heard(1)
    record = await desk.record(state="pushed")
    assert (await until(lambda: _with_sends(desk, record.id, 1), "a send")).sends[0].state in (
        "waiting",
        "sent",
    )

    desk.service.answers.append((410, {}))
    await desk.inbox.asked(ASK.replace("colour", "size"))
    await until(lambda: not desk.house.hub.ways.book.all(), "no subscription")


async def test_a_test_that_gets_through_ends_the_trouble_of_its_way(desk: Desk) -> None:
    """A notice that was refused is in Health until something arrives; the person tries it."""
    browser = await desk.subscribed()
    desk.service.answers.append((413, {}))
    await desk.agent(activity="question")
    await desk.inbox.asked(ASK)
    await until(lambda: [item.code[:9] for item in desk.house.board.items] == ["push:sub_"], "in Health")
    assert (await desk.door.ask("POST", "/push/test", {}, browser)).body["sent"] == 1
    assert desk.house.board.items == ()


async def test_trouble_of_the_control_room_is_told(desk: Desk) -> None:
    """Once, with the figure, and it is taken away when it is over."""
    await desk.subscribed()
    desk.house.board.raise_("vitals:disk:/srv", "The disk of /srv is nearly full: 50 MB left.", "Make room.")
    (notice,) = await desk.heard(1)
    assert (notice["kind"], notice["title"]) == ("trouble", "The disk of /srv is nearly full: 50 MB left")
    desk.house.board.clear("vitals:disk:/srv")
    await desk.record(kind="trouble", state="over")
    assert len(desk.service.heard) == 1


async def test_a_machine_that_is_silent_is_told_until_it_is_back(desk: Desk) -> None:
    """Once; what its agents did last is no news and not over."""
    await desk.subscribed()
    await desk.agent(activity="working")
    book = desk.house.hub.notifications
    book._rules = msgspec.structs.replace(book._rules, silent_after_ms=0)
    await desk.house.node.go_away()
    (notice,) = await desk.heard(1)
    assert (notice["kind"], notice["title"]) == ("trouble", "desk is not reachable")
    assert notice["body"].endswith("Its agent is shown as it was.")
    await desk.house.node.come_back()
    await desk.record(kind="trouble", state="over")
    assert len(desk.service.heard) == 1


async def test_that_the_database_fails_is_told_from_memory(desk: Desk) -> None:
    """And written down once there is room again; it is not told twice."""
    await desk.subscribed()
    await desk.agent()
    await pages(desk.house, 1)

    async def is_told() -> bool:  # a small write that still fits ends the trouble until the next large one
        with pytest.raises(Refused):
            await desk.house.client.send("agt_1", SendMessage(id="msg_1", text="x" * 300_000))
        return bool(desk.service.heard)

    await until(is_told, "a full disk is told")
    (notice,) = await desk.heard(1)
    assert notice["kind"] == "trouble" and "no space is left" in notice["title"]
    await pages(desk.house, 1_000_000)
    await desk.house.client.send("agt_1", SendMessage(id="msg_1", text="x" * 300_000))
    record = await desk.record(kind="trouble", state="over")
    assert record.why == "It was told at once."
    assert len(desk.service.heard) == 1


async def test_read_on_one_device_it_is_taken_away_on_all(desk: Desk) -> None:
    """The question stays open; what was told is over, with the reason."""
    await desk.subscribed()
    await desk.agent(activity="question")
    question = await desk.inbox.asked(ASK)
    await desk.heard(1)
    assert question.item_id is not None
    async with desk.house.client.live() as live:
        await live.seen("cht_1", question.item_id)
        over = await desk.record(state="over")
    assert over.why == "It was told at once. You have read it since."
    await desk.inbox.asked(ASK.replace("colour", "size"))
    _, second = await desk.heard(2)
    assert second["badge"] == 2


async def test_what_is_over_by_the_next_start_is_not_sent_then(desk: Desk) -> None:
    """It was on its way when the hub ended, and was answered before it looked again."""
    await desk.subscribed()
    await desk.agent(activity="question")
    desk.service.answers.append((503, {"Retry-After": "3600"}))
    question = await desk.inbox.asked(ASK)
    record = await desk.record(state="pushed")
    await until(lambda: _with_sends(desk, record.id, 1), "a try")
    await desk.inbox.answer(question.id, "Red")
    await desk.house.restart()
    await desk.record(state="over")

    async def is_dropped() -> bool:
        return not await desk.house.store.read(notification_rows.sendings)

    await until(is_dropped, "nothing on its way")
    assert desk.service.heard == []
