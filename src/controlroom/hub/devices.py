"""The book of paired devices: who they are, what they may until when, and how they got in.

Living devices are held in memory (``device_memory``), so that a right can be asked about at each message.
Secrets are known as hashes only.

Expiry is by the wall clock. A clock that jumps ahead shuts devices out until it is set right, because rows
are forgotten only long after their end; one that jumps back lets a device live longer by as much, and no
pairing code (``core.pairing``). Nothing is ever refused because it lies in the future.

A refresh replaces the session that it renews: same device, same end, same rights, new secrets. The token
before it can be shown once more within a minute, unless the new session was used: then its reply was not
lost. A browser's token is worth nothing without its key, so ``by_token`` does not know browsers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from controlroom.core import pairing
from controlroom.core.rights import Term, extended
from controlroom.core.text import clean_line
from controlroom.hub.device_memory import DeviceMemory, add_receipt
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
from controlroom.hub.store import device_rows
from controlroom.hub.store.device_rows import DeviceRow, Refresh
from controlroom.hub.store.store import Change, Store
from controlroom.kit import tokens
from controlroom.kit.clock import Clock, new_id
from controlroom.kit.http import Peer
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

DAY_MS = 24 * 3600 * 1000
REFRESH_MS = 180 * DAY_MS  # of a refresh token, from its first issue (relay contract section 8.4)
GRACE_MS = 60_000  # a reply that was lost is asked for again within moments


class DeviceBook:
    """Implements ``gateway.ports.Devices``, and what the hub's own API needs beyond it."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._memory = DeviceMemory(store, clock)
        self._codes = PairingCodes(store, clock)

    async def start(self) -> None:
        """Read the book. The store must be open."""
        await self._memory.start()

    async def run(self) -> None:
        """Store what was seen, and forget what ended long ago, for ever."""
        await self._memory.run()

    async def tell_ends(self) -> None:
        """Tell of each session and each right that runs out, at that moment, for ever."""
        await self._memory.tell_ends()

    async def round(self) -> None:
        """One round of ``run``."""
        await self._memory.round()

    async def aclose(self) -> None:
        """Finish what has begun, and store what was seen."""
        await self._memory.aclose()

    # ---- getting in --------------------------------------------------------------------------------------

    async def mint(self, policy: PairingPolicy, code: str | None = None) -> PairingCode:
        """A code for one use within ten minutes. Raises ValueError for a ``code`` that cannot be one."""
        if code is not None and pairing.normalised(code) is None:
            raise ValueError("a pairing code has 6 letters or digits")
        return await self._memory.alone("mint", self._codes.mint(policy, code and pairing.normalised(code)))

    async def pending(self) -> list[PendingPairing]:
        """Phones that showed a code of their own and wait for approval, oldest first."""
        return await self._codes.pending()

    async def claim(self, code: str, who: DeviceHello) -> Issued | None:
        """Trade a code for a device. One of two that race wins; None for every failure."""
        return await self._memory.alone("claim", self._claim(code, cleaned(who)))

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
            add_receipt(change, f"device:{new.device.id}", "pair", f"{new.device.name} was paired{again}.")
            return True

        if not await self._store.change(job):
            return None
        for old in replaced:
            self._memory.drop(old, "replaced")
        self._memory.keep(new)
        return issued

    def _of_client(self, who: DeviceHello) -> list[str]:
        """The devices that this client was until now."""
        if not pairing.is_real(who.device_id):
            return []
        return [
            row.device.id
            for row in self._memory.rows()
            if row.device.kind == who.kind and row.device.device_id == who.device_id
        ]

    # ---- coming back -------------------------------------------------------------------------------------

    async def by_token(self, token: str) -> Device | None:
        """The living device of a session token; never a browser, whose token is only half of a login."""
        row = self._memory.living(token)
        if row is None or row.key_hash is not None:
            return None
        if row.refresh is not None and row.refresh.before is not None:  # the rotation's reply has arrived
            self._memory.keep_until_round(replace(row, refresh=replace(row.refresh, before=None)))
        self._memory.sightings.see(row.device.id)
        return self._memory.shown(row)

    def by_cookie(self, token: str) -> Device | None:
        """The living browser of a cookie: half of a login, ``has_key`` is the other."""
        row = self._memory.living(token)
        return None if row is None or row.key_hash is None else self._memory.shown(row)

    def has_key(self, device_id: str, key: str) -> bool:
        """Whether this is the browser's other half."""
        row = self._memory.row(device_id)
        if row is None or row.key_hash is None or not tokens.is_same(row.key_hash, tokens.digest(key)):
            return False
        self._memory.sightings.see(device_id)
        return True

    def client_id(self, browser: Device | None) -> str:
        """What to call a browser, which has no id of its own: as before, or anew."""
        return new_id("web") if browser is None or not browser.device_id else browser.device_id

    async def refresh(self, refresh_token: str, who: DeviceHello) -> Issued | None:
        """New secrets for the same session. None when the token is unknown, ended or another device's."""
        return await self._memory.alone("refresh", self._refresh(refresh_token, cleaned(who)))

    async def _refresh(self, refresh_token: str, who: DeviceHello) -> Issued | None:
        shown = tokens.digest(refresh_token)
        row = self._memory.by_refresh(shown)
        now_ms = self._clock.now_ms()
        if row is None or row.refresh is None or not self._memory.lives(row):
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
        await self._memory.put(new)
        self._memory.tell_end(new.device.id, "renewed")  # sockets of the session that is no more
        return Issued(device=self._memory.shown(new), token=token, refresh_token=refresh_token)

    async def give_refresh_token(self, device: Device) -> str | None:
        """A first refresh token for a device that has none, None when it has one."""
        return await self._memory.alone("refresh token", self._give_refresh_token(device.id))

    async def _give_refresh_token(self, device_id: str) -> str | None:
        row, now_ms = self._memory.row(device_id), self._clock.now_ms()
        if row is None or (row.refresh is not None and now_ms <= row.refresh.made_ms + REFRESH_MS):
            return None
        token = tokens.long_token()
        refresh = Refresh(hash=tokens.digest(token), made_ms=now_ms, turned_ms=now_ms)
        await self._memory.put(replace(row, refresh=refresh), is_told=False)
        return token

    async def update(self, device: Device, who: DeviceHello) -> Device:
        """Take over what a reconnect says of itself, its address and the time."""
        return await self._memory.alone("update", self._update(device, cleaned(who)))

    async def _update(self, device: Device, who: DeviceHello) -> Device:
        row = self._memory.row(device.id)
        if row is None:
            return device
        new = replace(row, device=introduced(row, who))
        self._memory.sightings.see(device.id)
        if new != row:
            await self._memory.put(new)
        return self._memory.shown(new)

    # ---- the list ----------------------------------------------------------------------------------------

    async def all(self) -> list[Device]:
        """Living devices, newest ``last_seen`` first."""
        living = [self._memory.shown(row) for row in self._memory.rows() if self._memory.lives(row)]
        return sorted(living, key=lambda device: (-device.last_seen_ms, device.id))

    def get(self, device_id: str) -> Device | None:
        """A living device by our id."""
        return self._memory.get(device_id)

    def known(self, device_id: str) -> Device | None:
        """A device even when its time is over: the host may extend it."""
        row = self._memory.row(device_id)
        return None if row is None else self._memory.shown(row)

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
        return await self._memory.alone(what, self._amend(device.id, change, by, what, text, also))

    async def _amend(
        self,
        device_id: str,
        change: Callable[[Device], Device],
        by: str,
        what: str,
        text: str,
        also: Callable[[Change], bool],
    ) -> Device | None:
        row = self._memory.row(device_id)
        if row is None:
            return None
        new = replace(row, device=change(self._memory.shown(row)))
        return self._memory.shown(new) if await self._memory.put(new, by, what, text, also=also) else None

    async def renew_key(self, device: Device) -> str | None:
        """A new second half for a browser that lost it; the old one ends. None: it is not paired any more.

        The caller has made sure that the person is there.
        """
        return await self._memory.alone("renew key", self._renew_key(device.id))

    async def _renew_key(self, device_id: str) -> str | None:
        row = self._memory.row(device_id)
        if row is None or row.key_hash is None or not self._memory.lives(row):
            return None
        key = tokens.long_token()
        new = replace(row, key_hash=tokens.digest(key))
        text = f"{row.device.name} showed its passkey for a new key."
        await self._memory.put(new, f"device:{device_id}", "renew key", text, is_told=False)
        return key

    def seen_from(self, device_id: str, peer: Peer) -> None:
        """Where a device just was, and whom a proxy named there."""
        row = self._memory.row(device_id)
        if row is None:
            return
        device = named(placed(row.device, peer.address, peer.door, peer.is_secure), peer)
        if device != row.device:
            self._memory.keep_until_round(replace(row, device=device))

    def connected(self, call: Callable[[], Iterable[str]]) -> None:
        """``call()`` names the devices that have an open socket now: they are seen as long as it lives."""
        self._memory.sightings.connected(call)

    async def rename(self, device: Device, name: str, by: str) -> Device:
        """Give a device a name of the person's own."""
        return await self._memory.alone("rename", self._rename(device, clean_line(name, LONGEST_NAME), by))

    async def _rename(self, device: Device, name: str, by: str) -> Device:
        row = self._memory.row(device.id)
        if row is None:
            return device
        new = replace(row, device=replace(row.device, name=name), is_named=True)
        await self._memory.put(new, by, "rename", f"{device.name} is called {name} now.")
        return self._memory.shown(new)

    async def reduce(
        self, device: Device, *, expires_ms: int | None, grants: Mapping[str, int | None]
    ) -> Device:
        """Store a shorter policy. The caller has checked that it only reduces."""
        term = Term(expires_ms, dict(grants))
        work = self._set_term(device, term, f"device:{device.id}", "reduce", f"{device.name} gave up rights.")
        return await self._memory.alone("reduce", work)

    async def extend(self, device: Device, ttl_s: int | None, wished: Mapping[str, int], by: str) -> Device:
        """The person at the host makes a device's term longer, or changes single rights."""
        now = Term(device.expires_ms, dict(device.grants))
        term = extended(now, ttl_s, wished, self._clock.now_ms())
        return await self._memory.alone(
            "extend",
            self._set_term(device, term, by, "extend", f"The rights of {device.name} were set anew."),
        )

    async def _set_term(self, device: Device, term: Term, by: str, what: str, text: str) -> Device:
        row = self._memory.row(device.id)
        if row is None:
            return device
        changed = replace(row.device, expires_ms=term.expires_ms, grants=term.grants)
        new = replace(row, device=changed)
        await self._memory.put(new, by, what, text)
        return self._memory.shown(new)

    async def revoke(self, device: Device, by: str) -> None:
        """End a device: its tokens die, its refresh token too, and ``on_end`` callbacks run at once."""
        await self._memory.alone("revoke", self._revoke(device, by))

    async def _revoke(self, device: Device, by: str) -> None:
        def job(change: Change) -> None:
            if device_rows.delete_device(change, device.id):
                change.emit("device.gone", DeviceGone(id=device.id))
                add_receipt(change, by, "revoke", f"{device.name} was revoked.")

        await self._store.change(job)
        self._memory.drop(device.id, "revoked")

    def on_end(self, call: Callable[[str, DeviceEnd], None]) -> None:
        """``call(device id, why)`` when a device is out: its live sockets must close."""
        self._memory.at_end.append(call)

    def on_change(self, call: Callable[[Device], None]) -> None:
        """``call(device)`` when the rights, the lifetime or the name of a device changed, or a right has run
        out."""
        self._memory.at_change.append(call)
