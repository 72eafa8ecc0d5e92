"""Notices on their way: tried again with patience, given up when they are worth nothing, never doubled."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import pytest

from controlroom.hub.channels.base import (
    Again,
    Answer,
    Channel,
    Delivered,
    Gone,
    Notice,
    Refused,
    Target,
)
from controlroom.hub.postman import DEAD_MS, Postman
from controlroom.hub.store import notification_rows
from controlroom.hub.store.notification_rows import Sending
from controlroom.hub.store.store import Store
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.wire.notification import Notification, NotificationSend
from tests.support.waiting import until


class Book:
    """``channels.base.Targets``."""

    def __init__(self) -> None:
        self.targets = {
            id: Target(id=id, channel="test", device_id=id, address="", name=id) for id in ("a", "b")
        }

    def all(self) -> Sequence[Target]:
        return tuple(self.targets.values())

    async def forget(self, target_id: str) -> None:
        del self.targets[target_id]

    def on_change(self, call: Callable[[], None]) -> None:
        self.changed = call


class Ways:
    """Answers as it is told, then that it was delivered; an exception is raised."""

    def __init__(self) -> None:
        self.book = Book()
        self.answers: list[Answer | Exception] = []
        self.heard: list[tuple[str, Notice]] = []
        self.clearing: Clearing | None = None

    async def channel(self, name: str) -> Channel | None:
        return self.clearing

    def on_works(self, call: Callable[[Target], None]) -> None:
        """No tests are sent here."""

    async def send(self, target: Target, notice: Notice) -> Answer:
        self.heard.append((target.id, notice))
        answer = self.answers.pop(0) if self.answers else Delivered()
        if isinstance(answer, Exception):
            raise answer
        return answer


class Clearing:
    """A way that can take notices away, unless it is busy."""

    name = "test"
    clears = True

    def __init__(self) -> None:
        self.cleared: list[tuple[str, Sequence[str]]] = []
        self.is_busy = False

    async def send(self, target: Target, notice: Notice) -> Answer:
        return Delivered()

    async def clear(self, target: Target, tags: Sequence[str], badge: int) -> Answer:
        self.cleared.append((target.id, tags))
        return Again("Busy.") if self.is_busy else Delivered()

    async def aclose(self) -> None:
        """Nothing is held open."""


class Office:
    """A postman with its store, its ways and a clock that the test moves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FakeClock()
        self.health = HealthBoard(self.clock)
        self.ways = Ways()
        self.store: Store
        self.postman: Postman

    async def open(self) -> None:
        self.store = Store.at(self.folder / "hub.sqlite", self.clock)
        await self.store.start()
        self.postman = Postman(self.store, self.ways, self.clock, self.health)
        await self.postman.start()
        self.postman.begin()
        self.postman._tasks.supervise("run", self.postman.run, self.health)

    async def close(self) -> None:
        await self.postman.aclose()
        await self.store.aclose()

    async def post(self, id: str, tag: str = "t", target: str = "a", ttl_s: int = 86_400) -> None:
        """Store one, with its record, and hand it over."""
        now = self.clock.now_ms()
        notice = Notice(
            id=id, kind="question", tag=tag, title=id, body="", open="inbox", at_ms=now, badge=1, ttl_s=ttl_s
        )
        sending = Sending(notice=notice, target_id=target, due_ms=now)
        record = Notification(
            id=id,
            kind="question",
            state="pushed",
            began_ms=now,
            at_ms=now,
            title=id,
            text="",
            why="",
            open="",
        )
        await self.store.change(lambda change: notification_rows.put_record(change, record))
        await self.store.change(lambda change: notification_rows.put_sending(change, sending))
        self.postman.add([sending])

    async def later(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.postman._poked.set()

    async def ended(self, id: str) -> NotificationSend:
        """What became of it, once it is not on its way any more."""

        async def found() -> NotificationSend | None:
            left = await self.store.read(notification_rows.sendings)
            record = await self.store.read(lambda c: notification_rows.record(c, id))
            is_left = any(one.notice.id == id for one in left)
            return None if is_left or record is None or not record.sends else record.sends[-1]

        return await until(found, f"the end of {id}")

    async def heard(self, count: int) -> list[str]:
        await until(lambda: len(self.ways.heard) >= count, f"{count} tries")
        await until(lambda: not self.postman._busy and not self.postman._poked.is_set(), "all answered")
        return [notice.id for _, notice in self.ways.heard]


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    office = Office(tmp_path)
    await office.open()
    yield office
    await office.close()


async def test_each_target_gets_it_once_also_over_a_restart(office: Office) -> None:
    office.ways.answers = [Delivered(cut=True), Again("Busy.")]
    await office.post("n1", target="a")
    await office.heard(1)
    await office.post("n1", target="b")
    await office.heard(2)
    await office.close()
    await office.open()
    await office.later(60)
    assert await office.heard(3) == ["n1", "n1", "n1"]
    assert [target for target, _ in office.ways.heard] == ["a", "b", "b"]
    assert (await office.ended("n1")).state == "sent"


async def test_a_named_time_is_waited_for_and_all_of_that_target_wait(office: Office) -> None:
    """429 with a date; the other target is not held up."""
    office.ways.answers = [Again("Too many.", office.clock.now_ms() + 120_000)]
    await office.post("n1", tag="x")
    await office.heard(1)
    await office.post("n2", tag="y")
    await office.post("n3", tag="z", target="b")
    assert await office.heard(2) == ["n1", "n3"]
    await office.later(119)
    assert len(await office.heard(2)) == 2
    await office.later(2)
    assert sorted((await office.heard(4))[2:]) == ["n1", "n2"]


async def test_pauses_grow_and_a_way_that_is_dead_is_shown(office: Office) -> None:
    """A storm of 5xx: few tries, a health item after an hour, gone with the first that arrives."""
    office.ways.answers = [Again("It answers 503.")] * 40
    await office.post("n1")
    for _ in range(2 * DEAD_MS // 60_000):
        await office.heard(1)
        await office.later(60)
    tries = len(office.ways.heard)
    assert 6 <= tries <= 16
    await until(lambda: [item.code for item in office.health.items] == ["push:a"], "a health item")
    office.ways.answers = []
    await office.later(1_300)
    assert (await office.ended("n1")).state == "sent"
    assert office.health.items == ()


async def test_a_wrong_date_does_not_hold_for_ever(office: Office) -> None:
    """A date in the past is now; one in years is a day, and here that is too late."""
    office.ways.answers = [Again("Soon.", 0), Again("Later.", office.clock.now_ms() * 2)]
    await office.post("n1", ttl_s=3_600)
    await office.heard(1)
    await office.later(2)
    ended = await office.ended("n1")
    assert ended.state == "failed" and "too late" in ended.text


async def test_what_is_worth_nothing_any_more_is_not_sent(office: Office) -> None:
    """It was replaced, taken back, or its time is over; the device is not subscribed any more."""
    office.ways.answers = [Again("Busy.")] * 4
    await office.post("n1", tag="x")
    await office.heard(1)
    await office.post("n2", tag="x")
    assert (await office.ended("n1")).text == "A newer one took its place."
    office.postman.take_away(["x"], 0)
    assert (await office.ended("n2")).text == "It needed nobody any more."
    await office.post("n3", tag="y", ttl_s=1)
    await office.later(100)
    assert (await office.ended("n3")).text == "It could not be sent while it was worth something."
    assert [notice.id for _, notice in office.ways.heard] == ["n1"]


async def test_what_was_taken_away_is_told_with_the_next_notice(office: Office) -> None:
    office.postman.take_away(["x", "y"], 0)
    await until(lambda: len(office.postman._gone) == 2, "both targets")
    await office.post("n1", tag="y")
    await office.heard(1)
    assert office.ways.heard[0][1].gone == ("x",)
    await office.post("n2", tag="z")
    await office.heard(2)
    assert office.ways.heard[1][1].gone == ()


async def test_a_newer_one_is_not_taken_away_with_the_one_that_it_replaced(office: Office) -> None:
    """It came while the older one of its tag was under way."""
    send = office.ways.send

    async def send_slowly(target: Target, notice: Notice) -> Answer:
        answer = await send(target, notice)
        if notice.id == "n1":
            await office.post("n2", tag="x")
        return answer

    office.ways.send = send_slowly  # type: ignore[method-assign] # the one seam before the network
    await office.post("n1", tag="x")
    assert await office.heard(2) == ["n1", "n2"]
    assert office.ways.heard[1][1].gone == ()


async def test_what_could_not_be_taken_away_is_told_with_the_next_notice(office: Office) -> None:
    way = office.ways.clearing = Clearing()
    office.postman.take_away(["x"], 0)
    await until(lambda: office.postman._gone == {}, "taken away")
    assert way.cleared == [("a", ["x"]), ("b", ["x"])]
    way.is_busy = True
    office.postman.take_away(["y"], 0)
    await until(lambda: len(way.cleared) == 4, "tried")
    await office.post("n1", tag="z")
    await office.heard(1)
    assert office.ways.heard[0][1].gone == ("y",)


async def test_one_that_has_ended_is_forgotten_and_one_that_is_refused_is_shown(office: Office) -> None:
    office.ways.answers = [Gone("It is unsubscribed."), Refused("The key is refused.", whole_channel=True)]
    await office.post("n1", target="a")
    assert (await office.ended("n1")).text == "It is unsubscribed."
    assert list(office.ways.book.targets) == ["b"]
    await office.post("n2", target="b")
    assert (await office.ended("n2")).state == "failed"
    assert [item.code for item in office.health.items] == ["push:test"]


async def test_the_trouble_of_a_device_ends_with_its_subscription(office: Office) -> None:
    office.ways.answers = [Refused("Its address is none.")]
    await office.post("n1", target="a")
    assert (await office.ended("n1")).state == "failed"
    assert [item.code for item in office.health.items] == ["push:a"]
    del office.ways.book.targets["a"]
    office.ways.book.changed()
    assert office.health.items == ()


async def test_a_channel_that_raises_holds_up_nothing(office: Office) -> None:
    office.ways.answers = [ValueError("broken")]
    await office.post("n1", target="a")
    await office.post("n2", target="b")
    await office.heard(2)
    await office.later(10)
    assert sorted(await office.heard(3)) == ["n1", "n1", "n2"]
