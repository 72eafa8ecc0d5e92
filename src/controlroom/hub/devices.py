"""The book of paired devices: who they are, what they may until when, and how they got in.

Living devices are held in memory, so that a right can be asked about at each message; every change is stored
before it counts. Secrets are known as hashes only. Changes happen one after the other, and one that has
begun is finished even when its caller goes away.

Expiry is by the wall clock. A clock that jumps ahead shuts devices out until it is set right, because rows
are forgotten only long after their end; one that jumps back lets a device live longer by as much, and no
pairing code (``core.pairing``). Nothing is ever refused because it lies in the future.

A refresh replaces the session that it renews: same device, same end, same rights, new secrets. The token
before it can be shown once more within a minute, unless the new session was used: then its reply was not
lost. A browser's token is worth nothing without its key, so ``by_token`` does not know browsers.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, TypeVar, TypeVarTuple

import structlog
from msgspec.structs import replace

from controlroom.core import pairing
from controlroom.core.ends import Ends
from controlroom.core.rights import Term, extended, is_before
from controlroom.core.text import clean_line
from controlroom.hub.introductions import (
    LONGEST_NAME,
    cleaned,
    introduced,
    is_other_client,
    made,
    named,
    placed,
)
from controlroom.hub.pairing_codes import PairingCodes
from controlroom.hub.sightings import Sightings
from controlroom.hub.store import device_rows, request_rows
from controlroom.hub.store.device_rows import DeviceRow, Refresh
from controlroom.hub.store.store import Change, Store
from controlroom.kit import tokens
from controlroom.kit.clock import Clock, new_id
from controlroom.kit.http import Peer
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.device import (
    Device,
    DeviceEnd,
    DeviceHello,
    Issued,
    PairingCode,
    PairingPolicy,
    PendingPairing,
)
from controlroom.wire.events import DeviceGone

T = TypeVar("T")
News = TypeVarTuple("News")

_log = structlog.get_logger("devices")

DAY_MS = 24 * 3600 * 1000
REFRESH_MS = 180 * DAY_MS  # of a refresh token, from its first issue (relay contract section 8.4)
GRACE_MS = 60_000  # a reply that was lost is asked for again within moments
FORGET_MS = 90 * DAY_MS  # an ended device is kept this long: the clock may have been wrong
ROUND_S = 20.0  # how late a last_seen is stored, and an end is noticed that the clock was set behind


class DeviceBook:
    """Implements ``gateway.ports.Devices``, and what the hub's own API needs beyond it."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._rows: dict[str, DeviceRow] = {}
        self._by_token: dict[str, str] = {}
        self._by_refresh: dict[str, str] = {}
        self._sightings = Sightings(clock)
        self._ends = Ends()
        self._has_new_terms = asyncio.Event()
        self._codes = PairingCodes(store, clock)
        self._at_end: list[Callable[[str, DeviceEnd], None]] = []
        self._at_change: list[Callable[[Device], None]] = []
        self._lock = asyncio.Lock()
        self._tasks = Tasks("devices")

    async def start(self) -> None:
        """Read the book. The store must be open."""
        for row in await self._store.read(device_rows.device_rows):
            self._keep(row)

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

    async def aclose(self) -> None:
        """Finish what has begun, and store what was seen."""
        await self._tasks.finished()
        await self._flush()

    # ---- getting in --------------------------------------------------------------------------------------

    async def mint(self, policy: PairingPolicy, code: str | None = None) -> PairingCode:
        """A code for one use within ten minutes. Raises ValueError for a ``code`` that cannot be one."""
        if code is not None and pairing.normalised(code) is None:
            raise ValueError("a pairing code has 6 letters or digits")
        return await self._alone("mint", self._codes.mint(policy, code and pairing.normalised(code)))

    async def pending(self) -> list[PendingPairing]:
        """Phones that showed a code of their own and wait for approval, oldest first."""
        return await self._codes.pending()

    async def claim(self, code: str, who: DeviceHello) -> Issued | None:
        """Trade a code for a device. One of two that race wins; None for every failure."""
        return await self._alone("claim", self._claim(code, cleaned(who)))

    async def _claim(self, code: str, who: DeviceHello) -> Issued | None:
        row = await self._codes.good(code, who)
        if row is None:
            return None
        now_ms = self._clock.now_ms()
        issued, new = made(who, row.policy, now_ms)
        replaced = self._of_client(who)

        def job(change: Change) -> bool:
            if not device_rows.use_code(change, row.hash):
                return False
            for old in replaced:
                device_rows.delete_device(change, old)
                change.emit("device.gone", DeviceGone(id=old))
            device_rows.put_device(change, new)
            change.emit("device.changed", new.device)
            again = ", in place of its earlier pairing" if replaced else ""
            _receipt(change, f"device:{new.device.id}", "pair", f"{new.device.name} was paired{again}.")
            return True

        if not await self._store.change(job):
            return None
        for old in replaced:
            self._drop(old, "replaced")
        self._keep(new)
        return issued

    def _of_client(self, who: DeviceHello) -> list[str]:
        """The devices that this client was until now."""
        if not pairing.is_real(who.device_id):
            return []
        return [
            row.device.id
            for row in self._rows.values()
            if row.device.kind == who.kind and row.device.device_id == who.device_id
        ]

    # ---- coming back -------------------------------------------------------------------------------------

    async def by_token(self, token: str) -> Device | None:
        """The living device of a session token; never a browser, whose token is only half of a login."""
        row = self._living(token)
        if row is None or row.key_hash is not None:
            return None
        if row.refresh is not None and row.refresh.before is not None:  # the rotation's reply has arrived
            self._by_refresh.pop(row.refresh.before, None)
            self._keep(replace(row, refresh=replace(row.refresh, before=None)))
            self._sightings.touch(row.device.id)
        self._sightings.see(row.device.id)
        return self._shown(row)

    def by_cookie(self, token: str) -> Device | None:
        """The living browser of a cookie: half of a login, ``has_key`` is the other."""
        row = self._living(token)
        return None if row is None or row.key_hash is None else self._shown(row)

    def has_key(self, device_id: str, key: str) -> bool:
        """Whether this is the browser's other half."""
        row = self._rows.get(device_id)
        if row is None or row.key_hash is None or not tokens.is_same(row.key_hash, tokens.digest(key)):
            return False
        self._sightings.see(device_id)
        return True

    def client_id(self, browser: Device | None) -> str:
        """What to call a browser, which has no id of its own: as before, or anew."""
        return new_id("web") if browser is None or not browser.device_id else browser.device_id

    async def refresh(self, refresh_token: str, who: DeviceHello) -> Issued | None:
        """New secrets for the same session. None when the token is unknown, ended or another device's."""
        return await self._alone("refresh", self._refresh(refresh_token, cleaned(who)))

    async def _refresh(self, refresh_token: str, who: DeviceHello) -> Issued | None:
        shown = tokens.digest(refresh_token)
        row = self._rows.get(self._by_refresh.get(shown, ""))
        now_ms = self._clock.now_ms()
        if row is None or row.refresh is None or not self._lives(row):
            return None
        old = row.refresh
        if now_ms > old.made_ms + REFRESH_MS or is_other_client(row, who):
            return None
        turned_ms = now_ms
        if not tokens.is_same(shown, old.hash):
            turned_ms = old.turned_ms  # asking once more does not make the grace longer
            if abs(now_ms - turned_ms) > GRACE_MS:
                return None
        token, refresh_token = tokens.session_token(), tokens.long_token()
        device = introduced(row, who)
        if pairing.is_real(who.device_id):
            device = replace(device, device_id=who.device_id)
        new = DeviceRow(
            device=replace(device, prefix=token[:8]),
            token_hash=tokens.digest(token),
            is_named=row.is_named,
            refresh=Refresh(
                hash=tokens.digest(refresh_token), before=shown, made_ms=old.made_ms, turned_ms=turned_ms
            ),
        )
        await self._put(new)
        self._tell_end(new.device.id, "renewed")  # sockets of the session that is no more
        return Issued(device=self._shown(new), token=token, refresh_token=refresh_token)

    async def give_refresh_token(self, device: Device) -> str | None:
        """A first refresh token for a device that has none, None when it has one."""
        return await self._alone("refresh token", self._give_refresh_token(device.id))

    async def _give_refresh_token(self, device_id: str) -> str | None:
        row, now_ms = self._rows.get(device_id), self._clock.now_ms()
        if row is None or (row.refresh is not None and now_ms <= row.refresh.made_ms + REFRESH_MS):
            return None
        token = tokens.long_token()
        refresh = Refresh(hash=tokens.digest(token), made_ms=now_ms, turned_ms=now_ms)
        await self._put(replace(row, refresh=refresh), is_told=False)
        return token

    async def update(self, device: Device, who: DeviceHello) -> Device:
        """Take over what a reconnect says of itself, its address and the time."""
        return await self._alone("update", self._update(device, cleaned(who)))

    async def _update(self, device: Device, who: DeviceHello) -> Device:
        row = self._rows.get(device.id)
        if row is None:
            return device
        new = replace(row, device=introduced(row, who))
        self._sightings.see(device.id)
        if new != row:
            await self._put(new)
        return self._shown(new)

    # ---- the list ----------------------------------------------------------------------------------------

    async def all(self) -> list[Device]:
        """Living devices, newest ``last_seen`` first."""
        living = [self._shown(row) for row in self._rows.values() if self._lives(row)]
        return sorted(living, key=lambda device: (-device.last_seen_ms, device.id))

    def get(self, device_id: str) -> Device | None:
        """A living device by our id."""
        row = self._rows.get(device_id)
        return self._shown(row) if row is not None and self._lives(row) else None

    def known(self, device_id: str) -> Device | None:
        """A device even when its time is over: the host may extend it."""
        row = self._rows.get(device_id)
        return None if row is None else self._shown(row)

    async def amend(
        self,
        device: Device,
        change: Callable[[Device], Device],
        *,
        by: str,
        what: str,
        text: str,
        also: Callable[[Change], bool] = lambda _change: True,
    ) -> Device | None:
        """Change what is known of a device, with a receipt. ``also`` is done in the same transaction; when it
        says no, nothing happens and the answer is None."""
        return await self._alone(what, self._amend(device.id, change, by, what, text, also))

    async def _amend(
        self,
        device_id: str,
        change: Callable[[Device], Device],
        by: str,
        what: str,
        text: str,
        also: Callable[[Change], bool],
    ) -> Device | None:
        row = self._rows.get(device_id)
        if row is None:
            return None
        new = replace(row, device=change(self._shown(row)))
        return self._shown(new) if await self._put(new, by, what, text, also=also) else None

    async def renew_key(self, device: Device) -> str | None:
        """A new second half for a browser that lost it; the old one ends. None: it is not paired any more.

        The caller has made sure that the person is there.
        """
        return await self._alone("renew key", self._renew_key(device.id))

    async def _renew_key(self, device_id: str) -> str | None:
        row = self._rows.get(device_id)
        if row is None or row.key_hash is None or not self._lives(row):
            return None
        key = tokens.long_token()
        new = replace(row, key_hash=tokens.digest(key))
        text = f"{row.device.name} showed its passkey for a new key."
        await self._put(new, f"device:{device_id}", "renew key", text, is_told=False)
        return key

    def seen_from(self, device_id: str, peer: Peer) -> None:
        """Where a device just was, and whom a proxy named there."""
        row = self._rows.get(device_id)
        if row is None:
            return
        device = named(placed(row.device, peer.address, peer.door, peer.is_secure), peer)
        if device != row.device:
            self._rows[device_id] = replace(row, device=device)
            self._sightings.touch(device_id)

    def connected(self, call: Callable[[], Iterable[str]]) -> None:
        """``call()`` names the devices that have an open socket now: they are seen as long as it lives."""
        self._sightings.connected(call)

    async def rename(self, device: Device, name: str, by: str) -> Device:
        """Give a device a name of the person's own."""
        return await self._alone("rename", self._rename(device, clean_line(name, LONGEST_NAME), by))

    async def _rename(self, device: Device, name: str, by: str) -> Device:
        row = self._rows.get(device.id)
        if row is None:
            return device
        new = replace(row, device=replace(row.device, name=name), is_named=True)
        await self._put(new, by, "rename", f"{device.name} is called {name} now.")
        return self._shown(new)

    async def reduce(
        self, device: Device, *, expires_ms: int | None, grants: Mapping[str, int | None]
    ) -> Device:
        """Store a shorter policy. The caller has checked that it only reduces."""
        term = Term(expires_ms, dict(grants))
        work = self._set_term(device, term, f"device:{device.id}", "reduce", f"{device.name} gave up rights.")
        return await self._alone("reduce", work)

    async def extend(self, device: Device, ttl_s: int | None, wished: Mapping[str, int], by: str) -> Device:
        """The person at the host makes a device's term longer, or changes single rights."""
        now = Term(device.expires_ms, dict(device.grants))
        term = extended(now, ttl_s, wished, self._clock.now_ms())
        return await self._alone(
            "extend",
            self._set_term(device, term, by, "extend", f"The rights of {device.name} were set anew."),
        )

    async def _set_term(self, device: Device, term: Term, by: str, what: str, text: str) -> Device:
        row = self._rows.get(device.id)
        if row is None:
            return device
        changed = replace(row.device, expires_ms=term.expires_ms, grants=term.grants)
        new = replace(row, device=changed)
        await self._put(new, by, what, text)
        return self._shown(new)

    async def revoke(self, device: Device, by: str) -> None:
        """End a device: its tokens die, its refresh token too, and ``on_end`` callbacks run at once."""
        await self._alone("revoke", self._revoke(device, by))

    async def _revoke(self, device: Device, by: str) -> None:
        def job(change: Change) -> None:
            if device_rows.delete_device(change, device.id):
                change.emit("device.gone", DeviceGone(id=device.id))
                _receipt(change, by, "revoke", f"{device.name} was revoked.")

        await self._store.change(job)
        self._drop(device.id, "revoked")

    def on_end(self, call: Callable[[str, DeviceEnd], None]) -> None:
        """``call(device id, why)`` when a device is out: its live sockets must close."""
        self._at_end.append(call)

    def on_change(self, call: Callable[[Device], None]) -> None:
        """``call(device)`` when the rights, the lifetime or the name of a device changed, or a right has run
        out."""
        self._at_change.append(call)

    # ---- rounds ------------------------------------------------------------------------------------------

    async def round(self) -> None:
        """One round of ``run``."""
        self._sightings.see_connected(self.get)
        try:
            await self._alone("forget", self._forget())
        except DatabaseTrouble as error:  # the database shows it in Health; it is tried again
            _log.warning("cannot forget old devices", error=str(error))
        await self._flush()

    def _tell_what_ran_out(self) -> int | None:
        """Tell what has run out since the last time; when the next end comes."""
        devices = {row.device.id: row.device for row in self._rows.values()}
        terms = {id_: Term(device.expires_ms, device.grants) for id_, device in devices.items()}
        look = self._ends.look(terms, self._clock.now_ms())
        for id_ in look.ended:
            self._tell_end(id_, "expired")
        for id_ in look.reduced:
            _tell(self._at_change, self._sightings.shown(devices[id_]))
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
            self._drop(device_id, "expired")

    async def _flush(self) -> None:
        """Store when devices were last seen: all together, now and then, and without an event."""
        async with self._lock:
            ids = self._sightings.take_unstored()
            rows = [self._rows[device_id] for device_id in ids if device_id in self._rows]
            if not rows:
                return
            stored = [replace(row, device=self._shown(row)) for row in rows]

            def job(change: Change) -> None:
                for row in stored:
                    device_rows.put_device(change, row)

            try:
                await self._store.change(job)
            except DatabaseTrouble as error:  # the database shows it in Health; it is tried again
                self._sightings.put_back(ids)
                _log.warning("cannot store when devices were seen", error=str(error))

    # ---- memory ------------------------------------------------------------------------------------------

    async def _alone(self, name: str, work: Coroutine[Any, Any, T]) -> T:
        """Run a change by itself and to its end, whatever becomes of the caller."""

        async def locked() -> T:
            async with self._lock:
                return await work

        return await asyncio.shield(self._tasks.start(name, locked()))

    async def _put(
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
                _receipt(change, by, what, text)
            return True

        if not await self._store.change(job):
            return False
        self._keep(row)
        if is_told:
            _tell(self._at_change, row.device)
        return True

    def _keep(self, row: DeviceRow) -> None:
        self._unindex(row.device.id)
        self._rows[row.device.id] = row
        self._has_new_terms.set()
        self._by_token[row.token_hash] = row.device.id
        if row.refresh is not None:
            for hash in (row.refresh.hash, row.refresh.before):
                if hash is not None:
                    self._by_refresh[hash] = row.device.id

    def _unindex(self, device_id: str) -> None:
        old = self._rows.get(device_id)
        if old is None:
            return
        self._by_token.pop(old.token_hash, None)
        if old.refresh is not None:
            self._by_refresh.pop(old.refresh.hash, None)
            self._by_refresh.pop(old.refresh.before or "", None)

    def _drop(self, device_id: str, why: DeviceEnd) -> None:
        self._unindex(device_id)
        self._rows.pop(device_id, None)
        self._sightings.forget(device_id)
        self._tell_end(device_id, why)

    def _tell_end(self, device_id: str, why: DeviceEnd) -> None:
        _tell(self._at_end, device_id, why)

    def _living(self, token: str) -> DeviceRow | None:
        hash = tokens.digest(token)
        row = self._rows.get(self._by_token.get(hash, ""))
        if row is None or not tokens.is_same(row.token_hash, hash) or not self._lives(row):
            return None
        return row

    def _lives(self, row: DeviceRow) -> bool:
        return is_before(self._clock.now_ms(), row.device.expires_ms)

    def _shown(self, row: DeviceRow) -> Device:
        return self._sightings.shown(row.device)


def _tell(listeners: Sequence[Callable[[*News], None]], *news: *News) -> None:
    """A listener that fails does not keep the news from the others."""
    for listener in listeners:
        try:
            listener(*news)
        except Exception as error:  # noqa: BLE001 - the other sockets must hear it too
            _log.error("telling of a device failed", exc_info=error)


def _receipt(change: Change, by: str, what: str, text: str) -> None:
    request_rows.add_receipt(change, by=by, what=what, code="ok", text=text)
