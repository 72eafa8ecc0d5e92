"""The hub's store: changes and their events commit together, and are told in the order of their commits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from controlroom.hub.store.tables import SCHEMA, counters, events, requests
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.sql import Database
from controlroom.wire.client import EventFrame
from controlroom.wire.codec import encode

T = TypeVar("T")

EVENTS_KEPT = 200_000
EVENTS_KEPT_MS = REQUESTS_KEPT_MS = 7 * 24 * 3600 * 1000


class Event(msgspec.Struct, frozen=True):
    """One durable event. ``frame`` is what the live socket sends, encoded once for all clients."""

    seq: int
    at_ms: int
    name: str
    data: bytes

    @property
    def frame(self) -> bytes:
        return encode(EventFrame(seq=self.seq, at_ms=self.at_ms, name=self.name, data=msgspec.Raw(self.data)))


class Change:
    """One transaction: the connection, the time, and the events that go with it."""

    def __init__(self, connection: Connection, now_ms: int) -> None:
        self.connection = connection
        self.now_ms = now_ms
        self.events: list[Event] = []
        self._seq: int | None = None

    def next_seq(self) -> int:
        """The number that the next event will have."""
        if self._seq is None:
            row = select(counters.c.value).where(counters.c.name == "seq").with_for_update()
            self._seq = self.connection.execute(row).scalar()
        if self._seq is None:
            self.connection.execute(insert(counters).values(name="seq", value=0))
            self._seq = 0
        return self._seq + 1

    def emit(self, name: str, data: msgspec.Struct) -> None:
        seq = self.next_seq()
        self._seq = seq
        self.events.append(Event(seq, self.now_ms, name, encode(data)))

    def mark(self) -> int:
        """Where the events stand, for ``back_to``."""
        return len(self.events)

    def back_to(self, mark: int) -> None:
        """Forget the events since a mark: what they tell was taken back in the database."""
        if self.events[mark:] and self._seq is not None:
            self._seq -= len(self.events) - mark
        del self.events[mark:]

    def finish(self) -> None:
        """Write the events down; the last thing that happens in the transaction."""
        if not self.events:
            return
        rows = [{"seq": e.seq, "at_ms": e.at_ms, "name": e.name, "data": e.data} for e in self.events]
        self.connection.execute(insert(events), rows)
        self.connection.execute(update(counters).where(counters.c.name == "seq").values(value=self._seq))


class Store:
    """The database and the journal of events in it. ``seq`` is the newest event that subscribers have."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._subscribers: list[Callable[[Event], None]] = []
        self.seq = 0
        self.oldest = 1  # the first event that can still be replayed

    @classmethod
    def at(cls, path: Path, clock: Clock, health: HealthBoard | None = None) -> Store:
        return cls(Database(path, SCHEMA, clock=clock, health=health), clock)

    async def start(self) -> None:
        """Open the database. Raises SchemaTooNew, DatabaseTrouble."""
        await self._database.start()
        self.seq, self.oldest = await self._database.read(_range)

    async def aclose(self) -> None:
        await self._database.aclose()

    def subscribe(self, subscriber: Callable[[Event], None]) -> None:
        """Be told each event, in order, in the event loop, right after its commit. It must not raise."""
        self._subscribers.append(subscriber)

    async def change(self, job: Callable[[Change], T]) -> T:
        """Run ``job`` in one transaction with its events. What it raises undoes both.

        Raises DiskFull, DatabaseTrouble. The job must change nothing but the database.
        """
        now_ms = self._clock.now_ms()

        def whole(connection: Connection) -> tuple[T, list[Event]]:
            change = Change(connection, now_ms)
            value = job(change)
            change.finish()
            return value, change.events

        return (await self._database.write(whole, self._tell))[0]

    async def read(self, job: Callable[[Connection], T]) -> T:
        return await self._database.read(job)

    async def events_after(self, after: int, limit: int) -> list[Event]:
        """Events with ``seq`` > ``after``, oldest first."""

        def job(connection: Connection) -> list[Event]:
            query = select(events).where(events.c.seq > after).order_by(events.c.seq).limit(limit)
            return [Event(row.seq, row.at_ms, row.name, row.data) for row in connection.execute(query)]

        return await self._database.read(job)

    async def prune(self) -> None:
        """Forget events and request ids that are too old or too many."""

        def job(change: Change) -> int:
            connection, newest = change.connection, change.next_seq() - 1
            connection.execute(
                delete(events).where(
                    (events.c.seq <= newest - EVENTS_KEPT) | (events.c.at_ms < change.now_ms - EVENTS_KEPT_MS)
                )
            )
            connection.execute(delete(requests).where(requests.c.at_ms < change.now_ms - REQUESTS_KEPT_MS))
            oldest = connection.execute(select(func.min(events.c.seq))).scalar()
            return newest + 1 if oldest is None else oldest

        self.oldest = await self.change(job)

    def _tell(self, done: tuple[T, list[Event]]) -> None:
        for event in done[1]:
            self.seq = event.seq
            for subscriber in self._subscribers:
                subscriber(event)


def _range(connection: Connection) -> tuple[int, int]:
    newest = connection.execute(select(counters.c.value).where(counters.c.name == "seq")).scalar() or 0
    oldest = connection.execute(select(func.min(events.c.seq))).scalar()
    return newest, newest + 1 if oldest is None else oldest
