"""What time does to questions: defaults, late ones, sleep, restarts, and the pause."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.hub import question_deadlines
from controlroom.kit.clock import SystemClock
from controlroom.testing.fake_node import FakeNode
from tests.integration.hub.conftest import House
from tests.integration.hub.question_house import ASK, PLAIN, SHIP, Refused, ready
from tests.support.waiting import until

HOUR_MS = 3600_000
SOON = f"{ASK}Default: I move them by 1 hour from now"


class MovedClock(SystemClock):
    """The machine's clock, set forward by hand: as after a sleep, its timers know nothing of it."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


@pytest.fixture
async def house(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setattr(question_deadlines, "SLICE_S", 0.05)
    house = House(folder)
    house.clock = MovedClock()
    house.node = FakeNode(house.clock)
    house.nodes = [house.node]
    await house.start()
    yield house
    await house.stop()


def ahead(house: House, ms: int) -> None:
    assert isinstance(house.clock, MovedClock)
    house.clock.ahead_ms += ms


async def test_lesson_questions_go_stale(house: House) -> None:
    """Spec 11: at its deadline a question is closed, and the agent is told to use its default."""
    inbox = await ready(house)
    asked = await inbox.asked(SOON)
    ahead(house, HOUR_MS - 20_000)
    assert (await inbox.get(asked.id)).state == "open"
    ahead(house, 20_000)
    closed = await inbox.until(asked.id, lambda q: q.state == "default")
    assert (closed.history[-1].by, closed.history[-1].late) == ("timer", False)
    act = await inbox.taken(f"{asked.id}:1")
    assert act.text == (
        'Nobody answered your question "Move the old invoices too?" until 1 hour from now. '
        "Use your default: I move them."
    )
    assert act.by == "timer"
    (receipt,) = [one for one in await inbox.receipts() if one.what == "default"]
    assert receipt.question_id == asked.id and receipt.by == "timer"


async def test_a_machine_that_slept_uses_a_default_once_and_marks_it_late(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(SOON)
    ahead(house, 9 * HOUR_MS)
    closed = await inbox.until(asked.id, lambda q: q.state == "default")
    assert closed.history[-1].late
    assert "This message comes late." in (await inbox.taken(f"{asked.id}:1")).text
    assert len(inbox.sent) == 1


async def test_a_deadline_survives_a_restart_and_is_late_then(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(SOON)
    await house.stop()
    ahead(house, HOUR_MS + 5_000)
    await house.start()
    closed = await inbox.until(asked.id, lambda q: q.state == "default")
    assert closed.history[-1].late, "nobody could act when its time came"
    await inbox.taken(f"{asked.id}:1")
    await house.restart()
    assert len((await inbox.get(asked.id)).history) == 2
    assert len(inbox.sent) == 1


async def test_an_answer_after_the_default_corrects_it(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(SOON)
    ahead(house, HOUR_MS)
    act = await inbox.taken(f"{asked.id}:1")
    await house.node.progress(act.id, "delivered", item_id="u1")
    await until(lambda: house.hub._questions._fates._changed == set())
    assert (await inbox.answer(asked.id, "2")).state == "answered"
    correction = await inbox.taken(f"{asked.id}:2")
    assert correction.text.startswith(
        'Answer to your question "Move the old invoices too?", in place of your'
    )


async def test_a_default_that_waits_is_taken_back_for_the_answer(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(SOON)
    ahead(house, HOUR_MS)
    await inbox.taken(f"{asked.id}:1")
    await inbox.answer(asked.id, "2")
    await inbox.taken(f"{asked.id}:2")

    async def is_back() -> bool:
        return (await house.client.message(f"{asked.id}:1")).detail == "Taken back before it was typed."

    await until(is_back)


async def test_a_default_says_so_when_something_was_said_meanwhile(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(SOON)
    await inbox.say("Let me think about the costs.", kind="user", at_ms=house.clock.now_ms() + 1000)
    await until(lambda: house.hub._chats._marks.get("cht_1") == "3")
    ahead(house, HOUR_MS)
    assert (await inbox.taken(f"{asked.id}:1")).text.endswith("since you asked, go by that.")


async def test_a_blocking_question_keeps_its_default_unused(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(f"{SOON}\nBlocking: yes")
    other = await inbox.asked(f"{SHIP}Default: I ship it by 2 hours from now")
    assert asked.blocking and asked.default is not None
    ahead(house, 3 * HOUR_MS)
    await inbox.until(other.id, lambda q: q.state == "default")
    assert (await inbox.get(asked.id)).state == "open"


async def test_while_paused_no_default_is_used_and_each_once_afterwards(house: House) -> None:
    inbox = await ready(house)
    first = await inbox.asked(SOON)
    second = await inbox.asked(f"{SHIP}Default: I ship it by 2 hours from now")
    later = await inbox.asked(
        "Question for Founder: Which box?\n- Oak\n- Elm\nDefault: Oak by 30 hours from now"
    )
    state = await inbox.pause(True, "Harvest")
    assert state.paused is not None and (state.paused.by, state.paused.why) == ("host", "Harvest")
    ahead(house, 2 * HOUR_MS)
    await house.restart()
    assert (await house.client.status()).paused == state.paused
    assert {one.id for one in await inbox.open()} == {first.id, second.id, later.id}
    assert (await inbox.pause(True)).paused == state.paused, "it is so already"
    assert (await inbox.pause(False)).paused is None
    for id in (first.id, second.id):
        closed = await inbox.until(id, lambda q: q.state == "default")
        assert closed.history[-1].late and len(closed.history) == 2
        await inbox.taken(f"{id}:1")
    assert [one.id for one in await inbox.open()] == [later.id]
    assert (await house.client.status()).paused is None
    assert [one.what for one in await inbox.receipts() if one.what in ("pause", "resume")] == [
        "pause",
        "resume",
    ]


async def test_a_pause_is_told_as_an_event_and_not_by_agents(house: House) -> None:
    inbox = await ready(house)
    seq = (await house.client.fleet()).seq
    await inbox.pause(True)
    names = [event.name for event in await house.store.events_after(seq, 10)]
    assert "pause.changed" in names
    house.callers.agent = "agt_1"
    with pytest.raises(Refused) as caught:
        await inbox.pause(False)
    assert caught.value.code == "not_allowed"


async def test_a_used_default_is_not_used_again_after_it_was_reopened(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN.replace("23 hours", "1 hour"))
    ahead(house, HOUR_MS)
    await inbox.taken(f"{asked.id}:1")
    assert (await inbox.close(asked.id, "reopen")).state == "open"
    other = await inbox.asked(f"{SHIP}Default: I ship it by 1 hour from now")
    ahead(house, 5 * HOUR_MS)
    await inbox.until(other.id, lambda q: q.state == "default")
    assert (await inbox.get(asked.id)).state == "open"


async def test_a_default_waits_for_a_machine_that_is_away_and_for_what_was_said_there(house: House) -> None:
    """Somebody may sit before that machine: what they typed is seen first."""
    inbox = await ready(house)
    other = await inbox.asked(f"{SHIP}Default: I ship it by 1 hour from now")
    answered = await inbox.asked(SOON)
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    ahead(house, 2 * HOUR_MS)
    await inbox.say("Yes, all of them", kind="user")
    await until(lambda: house.hub._questions._deadlines._poked.is_set() is False)
    assert {one.id for one in await inbox.open()} == {answered.id, other.id}
    await house.node.come_back()
    assert (await inbox.until(answered.id, lambda q: q.state != "open")).state == "answered"
    closed = await inbox.until(other.id, lambda q: q.state == "default")
    assert closed.history[-1].late
    assert len(inbox.sent) <= 1


async def test_after_a_restart_what_was_said_meanwhile_comes_before_the_default(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(SOON)
    await house.stop()
    ahead(house, 2 * HOUR_MS)
    await inbox.say("2", kind="user")
    await house.start()
    closed = await inbox.until(asked.id, lambda q: q.state != "open")
    assert (closed.state, len(closed.history)) == ("answered", 2)
    assert inbox.sent == []
