"""Passkeys of browsers: registered, shown and removed. What they open is ``core.unlock``.

Turning a lock off, adding a second passkey and removing one all need a present unlock: whoever found the
page open must not take the lock away. Who lost the passkey pairs anew from the host, which ends the old
pairing and its passkeys.
"""

from __future__ import annotations

import asyncio

import structlog
from msgspec.structs import replace

from controlroom.core.text import clean_line
from controlroom.core.unlock import MOST_PASSKEYS, Purpose, Site, loosens
from controlroom.hub import ceremonies
from controlroom.hub.ceremonies import NoGood
from controlroom.hub.devices import DeviceBook
from controlroom.hub.errors import HubError
from controlroom.hub.store import passkey_rows
from controlroom.hub.store.passkey_rows import PasskeyRow
from controlroom.hub.store.store import Store
from controlroom.hub.unlocks import Unlocks, lock_of
from controlroom.kit.clock import Clock
from controlroom.wire.device import Device, LockSettings, LockWish, Passkey, Unlocked

_log = structlog.get_logger("passkeys")

LONGEST_NAME = 60


class Passkeys:
    """``site`` is where the asking page lies. The caller has made sure that the request is the device's."""

    def __init__(self, store: Store, book: DeviceBook, unlocks: Unlocks, clock: Clock) -> None:
        self._store = store
        self._book = book
        self._unlocks = unlocks
        self._clock = clock

    async def of(self, device: Device) -> tuple[Passkey, ...]:
        """Oldest first."""
        return tuple(row.shown for row in await self._rows(device))

    async def _rows(self, device: Device) -> list[PasskeyRow]:
        return await self._store.read(lambda c: passkey_rows.of_device(c, device.id))

    # ---- the two ceremonies ----------------------------------------------------------------------------

    async def register_options(self, device: Device, site: Site) -> bytes:
        self._need_unlock_if_any(device, "Another passkey")
        known = await self._rows(device)
        challenge = self._unlocks.ask(device, "register", site)
        return await asyncio.to_thread(ceremonies.register_options, challenge, device.id, device.name, known)

    async def register(self, device: Device, site: Site, credential: bytes, name: str) -> Passkey:
        """Keep a new passkey. The person was there just now, so that counts as an unlock."""
        self._need_unlock_if_any(device, "Another passkey")
        try:
            value, _ = ceremonies.challenge_and_id(credential)
            challenge = self._unlocks.take(device, value, "register", site)
            if challenge is None:
                raise NoGood("no such challenge")
            made = await asyncio.to_thread(ceremonies.check_registration, challenge, credential)
        except NoGood as error:
            _log.info("a registration is no good", device=device.id, error=str(error))
            raise HubError("bad_request", "This passkey could not be checked. Try again.") from None
        row = PasskeyRow(
            shown=Passkey(
                id=made.id,
                name=clean_line(name, LONGEST_NAME) or "Passkey",
                site=site.name,
                created_ms=self._clock.now_ms(),
            ),
            public_key=made.public_key,
            sign_count=made.sign_count,
        )
        changed = await self._book.amend(
            device,
            lambda now: replace(now, passkeys=now.passkeys + 1),
            by=f"device:{device.id}",
            what="add passkey",
            text=f"{device.name} has a passkey: {row.shown.name}.",
            also=lambda change: passkey_rows.add(change, device.id, row, MOST_PASSKEYS),
        )
        if changed is None:
            raise HubError(
                "conflict", f"This passkey is known already, or there are {MOST_PASSKEYS} of them."
            )
        self._unlocks.open(changed)
        return row.shown

    async def unlock_options(self, device: Device, site: Site, *, has_key: bool) -> bytes:
        known = [row for row in await self._rows(device) if row.shown.site == site.name]
        if not known:
            raise HubError(
                "not_found",
                f"This device has no passkey for {site.name}. Pair it again with a code from the host.",
            )
        challenge = self._unlocks.ask(device, _purpose(has_key), site)
        return await asyncio.to_thread(ceremonies.unlock_options, challenge, known)

    async def unlock(self, device: Device, site: Site, credential: bytes, *, has_key: bool) -> Unlocked:
        """Open the device; one that lost its key gets a new one."""
        try:
            value, passkey_id = ceremonies.challenge_and_id(credential)
            challenge = self._unlocks.take(device, value, _purpose(has_key), site)
            if challenge is None:
                raise NoGood("no such challenge")
            row = next((row for row in await self._rows(device) if row.shown.id == passkey_id), None)
            if row is None:
                raise NoGood("no such passkey")
            count = await asyncio.to_thread(ceremonies.check_unlock, challenge, credential, row)
        except NoGood as error:
            _log.info("an unlock is no good", device=device.id, error=str(error))
            raise HubError("locked", "This passkey did not open it. Try again.") from None
        if not await self._store.change(lambda change: passkey_rows.used(change, row.shown.id, count)):
            _log.warning("a passkey's counter did not rise", device=device.id, passkey=row.shown.id[:20])
            raise HubError(
                "locked",
                "This passkey may have been copied: its counter went back. "
                "Pair this device again from the host.",
            )
        key = None
        if not has_key:
            key = await self._book.renew_key(device)
            if key is None:
                raise HubError("not_paired", "This device is not paired here any more. Pair it with a code.")
        return Unlocked(unlocked_until_ms=self._unlocks.open(self._book.get(device.id) or device), key=key)

    # ---- settings --------------------------------------------------------------------------------------

    async def remove(self, device: Device, passkey_id: str) -> Device:
        """Remove a passkey; with the last one the lock is off."""
        self._need_unlock_if_any(device, "Removing a passkey")
        found = [row for row in await self._rows(device) if row.shown.id == passkey_id]
        if not found:
            raise HubError("not_found", "This device has no such passkey.")

        def less(now: Device) -> Device:
            left = max(0, now.passkeys - 1)
            lock = now.lock if left else replace(now.lock, app=False, terminal=False)
            return replace(now, passkeys=left, lock=lock)

        changed = await self._book.amend(
            device,
            less,
            by=f"device:{device.id}",
            what="remove passkey",
            text=f"{device.name} has no passkey {found[0].shown.name} any more.",
            also=lambda change: passkey_rows.remove(change, device.id, passkey_id),
        )
        if changed is None:
            raise HubError("not_found", "This device has no such passkey.")
        return changed

    async def set_lock(self, device: Device, wish: LockWish) -> Device:
        """Change what the passkey is asked for. Raises HubError ``locked`` when that asks for less."""

        def wished(now: Device) -> Device:
            new = replace(now, lock=_changed(now.lock, wish))
            if (new.lock.app or new.lock.terminal) and not now.passkeys:
                raise HubError("bad_request", "lock: this device has no passkey yet. Make one first.")
            if loosens(lock_of(now), lock_of(new)):
                self._need_unlock_if_any(now, "Asking for the passkey less")
            return new

        new = wished(device)  # and once more when its turn has come: another wish may be under way
        changed = await self._book.amend(
            device,
            wished,
            by=f"device:{device.id}",
            what="lock settings",
            text=f"{device.name}: {_in_words(new.lock)}",
        )
        if changed is None:
            raise HubError("not_paired", "This device is not paired here any more. Pair it with a code.")
        return changed

    def need_unlock(self, device: Device, what: str) -> None:
        """Raises HubError ``locked`` for a device that is locked as a whole."""
        if device.lock.app:
            self._need_unlock_if_any(device, what)

    def _need_unlock_if_any(self, device: Device, what: str) -> None:
        if device.passkeys and not self._unlocks.is_open(device):
            raise HubError("locked", f"{what} needs an unlock: show the passkey first.")


def _changed(old: LockSettings, wish: LockWish) -> LockSettings:
    return LockSettings(
        app=old.app if wish.app is None else wish.app,
        idle_s=old.idle_s if wish.idle_s is None else wish.idle_s,
        terminal=old.terminal if wish.terminal is None else wish.terminal,
    )


def _purpose(has_key: bool) -> Purpose:
    return "unlock" if has_key else "renew"


def _in_words(lock: LockSettings) -> str:
    asked = [word for word, is_on in (("to open it", lock.app), ("for terminals", lock.terminal)) if is_on]
    if not asked:
        return "it is not locked any more."
    return f"its passkey is asked {' and '.join(asked)}, after {lock.idle_s} s without an act."
