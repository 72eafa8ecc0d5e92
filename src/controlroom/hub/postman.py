"""Brings notices to their targets: each at least once, in order, with patience, and not for ever.

A notice is stored with its target before it goes out, so a restart sends what was not taken. One that is
replaced by a newer one of its tag, taken back, or worth nothing any more is given up. A target that is busy
or away rests with all its notices: after the time that it names, or longer each time by itself.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol

import structlog
from msgspec.structs import replace

from controlroom.hub.channels.base import (
    SEND_S,
    Again,
    Answer,
    Channel,
    Delivered,
    Gone,
    Notice,
    Refused,
    Target,
    Targets,
)
from controlroom.hub.store import notification_rows
from controlroom.hub.store.notification_rows import Sending
from controlroom.hub.store.store import Change, Store
from controlroom.kit.clock import Clock, wait_at_most
from controlroom.kit.health import HealthBoard
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.notification import NotificationSend, SendState

_log = structlog.get_logger("notifications")

GRACE_S = 5.0  # a channel ends an attempt after SEND_S by itself
FIRST_PAUSE_MS, LAST_PAUSE_MS = 5_000, 900_000
LONGEST_REST_MS = 24 * 3_600_000  # a date that is further away is a wrong clock
DEAD_MS = 3_600_000  # a way that failed for so long is shown in Health
LOOK_S = 30.0
OVER = "It needed nobody any more."
MOST_GONE = 50  # tags that a device is told of later; what is older was replaced on it long ago


class Ways(Protocol):
    """The ways to devices (``hub/channels``)."""

    @property
    def book(self) -> Targets: ...

    async def channel(self, name: str) -> Channel | None: ...

    async def send(self, target: Target, notice: Notice) -> Answer: ...

    def on_works(self, call: Callable[[Target], None]) -> None:
        """``call(target)`` when a test got through."""


class Postman:
    """``add`` what was stored; ``run`` it for ever, and let it ``begin``."""

    def __init__(self, store: Store, ways: Ways, clock: Clock, health: HealthBoard) -> None:
        self._store = store
        self._ways = ways
        self._clock = clock
        self._health = health
        self._tasks = Tasks("postman")
        self._waiting: dict[tuple[str, str], Sending] = {}
        self._busy: set[str] = set()  # targets
        self._rests: dict[str, int] = {}  # until when a target is left alone
        self._failing: dict[str, int] = {}  # since when
        self._dead: set[str] = set()  # targets that are shown in Health
        self._gone: dict[str, list[str]] = {}  # tags that a target shall hear of with its next notice
        self._poked = asyncio.Event()
        self._begun = asyncio.Event()

    async def start(self) -> None:
        stored = await self._store.read(notification_rows.sendings)
        ids = {sending.notice.id for sending in stored}
        known = await self._store.read(lambda c: notification_rows.records(c, ids))
        for sending in stored:
            record = known.get(sending.notice.id)
            self._waiting[sending.key] = sending
            if record is not None and record.state == "over":
                self._give_up(sending, OVER)  # it was, when the hub ended
        self._ways.book.on_change(self._targets_changed)
        self._ways.on_works(self._works)

    def _targets_changed(self) -> None:
        """What was remembered of targets that are not there any more goes, and their trouble with it."""
        living = {target.id for target in self._ways.book.all()}
        for known in (self._rests, self._failing, self._gone):
            for id in [id for id in known if id not in living]:
                del known[id]
        for id in self._dead - living:
            self._health.clear(f"push:{id}")
        self._dead &= living
        self._poked.set()

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def begin(self) -> None:
        """What is stored has been looked at since the start: what is over was taken back."""
        self._begun.set()

    # ---- what it is given ------------------------------------------------------------------------------

    def add(self, sendings: Iterable[Sending]) -> None:
        for sending in sendings:
            for other in tuple(self._waiting.values()):
                is_older = other.target_id == sending.target_id and other.notice.tag == sending.notice.tag
                if is_older and other.key != sending.key:
                    self._give_up(other, "A newer one took its place.")
            self._waiting[sending.key] = sending
            standing = self._gone.get(sending.target_id, [])
            if sending.notice.tag in standing:
                standing.remove(sending.notice.tag)
        self._poked.set()

    def take_away(self, tags: Sequence[str], badge: int) -> None:
        """Off all devices, as far as their ways can do that; on others with the next notice."""
        for sending in tuple(self._waiting.values()):
            if sending.notice.tag in tags:
                self._give_up(sending, OVER)
        for target in self._ways.book.all():
            known = self._gone.get(target.id, [])
            self._gone[target.id] = [*(tag for tag in known if tag not in tags), *tags][-MOST_GONE:]
            if self._rests.get(target.id, 0) <= self._clock.now_ms():
                self._tasks.start(f"clear:{target.id}", self._clear(target, tags, badge))

    async def _clear(self, target: Target, tags: Sequence[str], badge: int) -> None:
        channel = await self._ways.channel(target.channel)
        if channel is None or not channel.clears:
            return
        answer = await self._guarded(lambda: channel.clear(target, tags, badge))
        if isinstance(answer, Delivered):  # else it hears of it with its next notice
            standing = [tag for tag in self._gone.pop(target.id, ()) if tag not in tags]
            if standing:
                self._gone[target.id] = standing

    # ---- sending ---------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Send what is due, for ever; nothing before ``begin``."""
        await self._begun.wait()
        while True:
            self._poked.clear()
            soonest = self._start_due()
            wait_s = LOOK_S if soonest is None else (soonest - self._clock.now_ms()) / 1000
            await wait_at_most(self._poked, max(0.01, min(wait_s, LOOK_S)))

    def _start_due(self) -> int | None:
        """Begin what may go now; when the next may."""
        now, soonest = self._clock.now_ms(), None
        for sending in tuple(self._waiting.values()):
            if sending.target_id in self._busy:
                continue
            due_ms = max(sending.due_ms, self._rests.get(sending.target_id, 0))
            if due_ms <= now or due_ms > now + LONGEST_REST_MS:  # the clock was set back meanwhile
                self._busy.add(sending.target_id)
                self._tasks.start(f"send:{sending.notice.id}", self._send(sending))
            else:
                soonest = due_ms if soonest is None else min(soonest, due_ms)
        return soonest

    async def _send(self, sending: Sending) -> None:
        try:
            await self._send_one(sending)
        finally:
            self._busy.discard(sending.target_id)
            self._poked.set()

    async def _send_one(self, sending: Sending) -> None:
        target = next((one for one in self._ways.book.all() if one.id == sending.target_id), None)
        if target is None:
            await self._end(sending, None, "failed", "This device is not subscribed any more.")
            return
        if self._clock.now_ms() > _ends_ms(sending.notice):
            await self._end(sending, target, "failed", "It could not be sent while it was worth something.")
            return
        # Not its own tag: the notice that it replaces may have been under way when this one came.
        gone = tuple(tag for tag in self._gone.pop(target.id, ()) if tag != sending.notice.tag)
        notice = replace(sending.notice, gone=gone) if gone else sending.notice
        answer = await self._guarded(lambda: self._ways.send(target, notice))
        if not isinstance(answer, Delivered) and gone:
            self._gone[target.id] = [*gone, *self._gone.get(target.id, [])][-MOST_GONE:]
        match answer:
            case Delivered():
                self._works(target)
                await self._end(sending, target, "sent", "Its text was cut." if answer.cut else "")
            case Gone(text):
                await self._forget(target)
                await self._end(sending, target, "failed", text)
            case Again(text, after_ms):
                await self._later(sending, target, text, after_ms)
            case Refused(text, whole_channel):
                self._is_dead(target, text, whole_channel=whole_channel)
                await self._end(sending, target, "failed", text)

    async def _guarded(self, call: Callable[[], Awaitable[Answer]]) -> Answer:
        """A channel's answer; one that breaks its promise never to raise is tried again."""
        try:
            async with asyncio.timeout(SEND_S + GRACE_S):
                return await call()
        except TimeoutError:
            return Again("It did not answer in time.")
        except Exception as error:  # noqa: BLE001 - channels may come from others
            _log.error("a channel failed", exc_info=error)
            return Again("The way failed; the log says how.")

    async def _later(self, sending: Sending, target: Target, text: str, after_ms: int | None) -> None:
        now = self._clock.now_ms()
        since_ms = self._failing.setdefault(target.id, now)
        if now - since_ms >= DEAD_MS:
            self._is_dead(target, text, whole_channel=False)
        pause_ms = min(FIRST_PAUSE_MS * 3 ** min(sending.tries, 10), LAST_PAUSE_MS)
        pause_ms += pause_ms * (zlib.crc32(target.id.encode()) % 40) // 100  # not all at once
        due_ms = now + pause_ms
        if after_ms is not None:
            due_ms = max(now + 1_000, min(after_ms, now + LONGEST_REST_MS))
        if due_ms > _ends_ms(sending.notice):
            await self._end(sending, target, "failed", f"{text} It would be too late to try again.")
            return
        self._rests[target.id] = due_ms
        later = replace(sending, due_ms=due_ms, tries=sending.tries + 1)
        if sending.key not in self._waiting:  # taken back, or replaced, while it went out
            note = self._note(target, "failed", OVER)
            await self._keep(
                sending, note, lambda change: notification_rows.drop_sending(change, sending.key)
            )
            return
        self._waiting[sending.key] = later
        note = self._note(target, "waiting", text)
        await self._keep(sending, note, lambda change: notification_rows.put_sending(change, later))

    async def _end(self, sending: Sending, target: Target | None, state: SendState, text: str) -> None:
        was_waiting = self._waiting.pop(sending.key, None) is not None
        if not was_waiting and state == "sent" and target is not None:
            known = self._gone.get(target.id, [])  # taken back while it went out
            self._gone[target.id] = [*known, sending.notice.tag][-MOST_GONE:]
        note = None if target is None else self._note(target, state, text)
        await self._keep(sending, note, lambda change: notification_rows.drop_sending(change, sending.key))

    def _give_up(self, sending: Sending, text: str) -> None:
        self._waiting.pop(sending.key, None)
        if sending.target_id in self._busy:
            return  # it may be under way; its end is noted then
        target = next((one for one in self._ways.book.all() if one.id == sending.target_id), None)
        note = None if target is None else self._note(target, "failed", text)
        self._tasks.start(
            f"give up:{sending.notice.id}",
            self._keep(sending, note, lambda change: notification_rows.drop_sending(change, sending.key)),
        )

    def _note(self, target: Target, state: SendState, text: str) -> NotificationSend:
        at_ms = self._clock.now_ms()
        name = target.name or target.channel
        return NotificationSend(
            id=target.id, channel=target.channel, name=name, state=state, at_ms=at_ms, text=text
        )

    async def _keep(
        self,
        sending: Sending,
        note: NotificationSend | None,
        also: Callable[[Change], None],
    ) -> None:
        def job(change: Change) -> None:
            also(change)
            known = notification_rows.record(change.connection, sending.notice.id)
            if known is not None and note is not None:
                others = tuple(one for one in known.sends if one.id != note.id)
                notification_rows.put_record(change, replace(known, sends=(*others, note)))

        try:
            await self._store.change(job)
        except DatabaseTrouble as error:  # it may go out once more after a restart, and replaces itself
            _log.warning("what became of a notification cannot be stored", error=str(error))

    # ---- ways that do not work -------------------------------------------------------------------------

    async def _forget(self, target: Target) -> None:
        self._works(target)
        self._gone.pop(target.id, None)
        try:
            await self._ways.book.forget(target.id)
        except DatabaseTrouble as error:
            _log.warning("a subscription that has ended cannot be forgotten", error=str(error))

    def _works(self, target: Target) -> None:
        self._rests.pop(target.id, None)
        self._failing.pop(target.id, None)
        self._dead.discard(target.id)
        self._health.clear(f"push:{target.id}")
        self._health.clear(f"push:{target.channel}")

    def _is_dead(self, target: Target, text: str, *, whole_channel: bool) -> None:
        code = f"push:{target.channel if whole_channel else target.id}"
        if not whole_channel:
            self._dead.add(target.id)
        whom = f"the way {target.channel}" if whole_channel else target.name or target.channel
        self._health.raise_(
            code, f"Notifications do not get through to {whom}: {text}", "Send a test from its settings."
        )


def _ends_ms(notice: Notice) -> int:
    return notice.at_ms + notice.ttl_s * 1000
