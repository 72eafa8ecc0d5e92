"""The devices of the book in memory: found by their secrets, changed one after the other, and forgotten.

Every change is stored before it counts; one that has begun is finished even when its caller goes away. When a
device was seen is stored with the next round. Who must hear of a change or an end is told here.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any, TypeVar, TypeVarTuple

import structlog
from msgspec.structs import replace

from controlroom.core.ends import Ends
from controlroom.core.rights import Term, is_before
from controlroom.hub.sightings import Sightings
from controlroom.hub.store import device_rows, request_rows
from controlroom.hub.store.device_rows import DeviceRow
from controlroom.hub.store.store import Change, Store
from controlroom.kit import tokens
from controlroom.kit.clock import Clock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.device import Device, DeviceEnd
from controlroom.wire.events import DeviceGone

T = TypeVar("T")
News = TypeVarTuple("News")

_log = structlog.get_logger("devices")

FORGET_MS = 90 * 24 * 3600 * 1000  # an ended device is kept this long: the clock may have been wrong
ROUND_S = 20.0  # how late a last_seen is stored, and an end is noticed that the clock was set behind


class DeviceMemory:
    """Of one device book. It knows no policy: what may be changed is decided by the book."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self.sightings = Sightings(clock)
        self.at_end: list[Callable[[str, DeviceEnd], None]] = []
        self.at_change: list[Callable[[Device], None]] = []
        self._rows: dict[str, DeviceRow] = {}
        self._by_token: dict[str, str] = {}
        self._by_refresh: dict[str, str] = {}
        self._ends = Ends()
        self._has_new_terms = asyncio.Event()
        self._lock = asyncio.Lock()
        self._tasks = Tasks("devices")

    async def start(self) -> None:
        """Read what is stored. The store must be open."""
        for row in await self._store.read(device_rows.device_rows):
            self.keep(row)

    async def aclose(self) -> None:
        """Finish what has begun, and store what was seen."""
        await self._tasks.finished()
        await self._flush()

    # ---- finding -----------------------------------------------------------------------------------------

    def row(self, device_id: str) -> DeviceRow | None:
        """Living or not."""
        return self._rows.get(device_id)

    def rows(self) -> Iterator[DeviceRow]:
        return iter(self._rows.values())

    def living(self, token: str) -> DeviceRow | None:
        """The living device with this token."""
        hash = tokens.digest(token)
        row = self._rows.get(self._by_token.get(hash, ""))
        if row is None or not tokens.is_same(row.token_hash, hash) or not self.lives(row):
            return None
        return row

    def get(self, device_id: str) -> Device | None:
        """A living device by our id."""
        row = self._rows.get(device_id)
        return self.shown(row) if row is not None and self.lives(row) else None

    def by_refresh(self, hash: str) -> DeviceRow | None:
        """The device that has this refresh token, or had it right before; living or not."""
        return self._rows.get(self._by_refresh.get(hash, ""))

    def lives(self, row: DeviceRow) -> bool:
        return is_before(self._clock.now_ms(), row.device.expires_ms)

    def shown(self, row: DeviceRow) -> Device:
        """As it is now, with when it was seen."""
        return self.sightings.shown(row.device)

    # ---- changing ----------------------------------------------------------------------------------------

    async def alone(self, name: str, work: Coroutine[Any, Any, T]) -> T:
        """Run a change by itself and to its end, whatever becomes of the caller."""

        async def locked() -> T:
            async with self._lock:
                return await work

        return await asyncio.shield(self._tasks.start(name, locked()))

    async def put(
        self,
        row: DeviceRow,
        by: str = "",
        what: str = "",
        text: str = "",
        *,
        is_told: bool = True,
        also: Callable[[Change], bool] = lambda _change: True,
    ) -> bool:
        """Store a changed device, then count on it. ``also`` is part of that change, and may refuse it."""

        def job(change: Change) -> bool:
            if not also(change):
                return False
            device_rows.put_device(change, row)
            if is_told:
                change.emit("device.changed", row.device)
            if what:
                add_receipt(change, by, what, text)
            return True

        if not await self._store.change(job):
            return False
        self.keep(row)
        if is_told:
            _tell(self.at_change, row.device)
        return True

    def keep(self, row: DeviceRow) -> None:
        """Count on a row that is stored."""
        self._unindex(row.device.id)
        self._rows[row.device.id] = row
        self._has_new_terms.set()
        self._by_token[row.token_hash] = row.device.id
        if row.refresh is not None:
            for hash in (row.refresh.hash, row.refresh.before):
                if hash is not None:
                    self._by_refresh[hash] = row.device.id

    def keep_until_round(self, row: DeviceRow) -> None:
        """Count on it now; it is stored with the next round."""
        self.keep(row)
        self.sightings.touch(row.device.id)

    def drop(self, device_id: str, why: DeviceEnd) -> None:
        """It is deleted in the store; its live sockets must close."""
        self._unindex(device_id)
        self._rows.pop(device_id, None)
        self.sightings.forget(device_id)
        self.tell_end(device_id, why)

    def tell_end(self, device_id: str, why: DeviceEnd) -> None:
        _tell(self.at_end, device_id, why)

    def _unindex(self, device_id: str) -> None:
        old = self._rows.get(device_id)
        if old is None:
            return
        self._by_token.pop(old.token_hash, None)
        if old.refresh is not None:
            self._by_refresh.pop(old.refresh.hash, None)
            self._by_refresh.pop(old.refresh.before or "", None)

    # ---- rounds ------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Store what was seen, and forget what ended long ago, for ever."""
        while True:
            await asyncio.sleep(ROUND_S)
            await self.round()

    async def tell_ends(self) -> None:
        """Tell of each session and each right that runs out, at that moment, for ever."""
        while True:
            self._has_new_terms.clear()
            next_ms = self._tell_what_ran_out()
            wait_s = ROUND_S  # not longer: the machine's clock may be set meanwhile
            if next_ms is not None:
                wait_s = min(wait_s, (next_ms - self._clock.now_ms()) / 1000)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._has_new_terms.wait()

    async def round(self) -> None:
        """One round of ``run``."""
        self.sightings.see_connected(self.get)
        try:
            await self.alone("forget", self._forget())
        except DatabaseTrouble as error:  # the database shows it in Health; it is tried again
            _log.warning("cannot forget old devices", error=str(error))
        await self._flush()

    def _tell_what_ran_out(self) -> int | None:
        """Tell what has run out since the last time; when the next end comes."""
        devices = {row.device.id: row.device for row in self._rows.values()}
        terms = {id_: Term(device.expires_ms, device.grants) for id_, device in devices.items()}
        look = self._ends.look(terms, self._clock.now_ms())
        for id_ in look.ended:
            self.tell_end(id_, "expired")
        for id_ in look.reduced:
            _tell(self.at_change, self.sightings.shown(devices[id_]))
        return look.next_ms

    async def _forget(self) -> None:
        now_ms = self._clock.now_ms()
        old = [
            row.device.id
            for row in self._rows.values()
            if row.device.expires_ms is not None and row.device.expires_ms < now_ms - FORGET_MS
        ]
        if not old:
            return

        def job(change: Change) -> None:
            for device_id in old:
                device_rows.delete_device(change, device_id)
                change.emit("device.gone", DeviceGone(id=device_id))

        await self._store.change(job)
        for device_id in old:
            self.drop(device_id, "expired")

    async def _flush(self) -> None:
        """Store when devices were last seen: all together, now and then, and without an event."""
        async with self._lock:
            ids = self.sightings.take_unstored()
            rows = [self._rows[device_id] for device_id in ids if device_id in self._rows]
            if not rows:
                return
            stored = [replace(row, device=self.shown(row)) for row in rows]

            def job(change: Change) -> None:
                for row in stored:
                    device_rows.put_device(change, row)

            try:
                await self._store.change(job)
            except DatabaseTrouble as error:  # the database shows it in Health; it is tried again
                self.sightings.put_back(ids)
                _log.warning("cannot store when devices were seen", error=str(error))


def _tell(listeners: Sequence[Callable[[*News], None]], *news: *News) -> None:
    """A listener that fails does not keep the news from the others."""
    for listener in listeners:
        try:
            listener(*news)
        except Exception as error:  # noqa: BLE001 - the other sockets must hear it too
            _log.error("telling of a device failed", exc_info=error)


def add_receipt(change: Change, by: str, what: str, text: str) -> None:
    request_rows.add_receipt(change, by=by, what=what, code="ok", text=text)
