"""Pairing codes as they are kept: made here, or shown by a phone and waiting for the person's approval.

A wrong code that a relay client sends may be one that the phone made itself: it is shown to the person at
the host, who lets it in by typing it. Nothing is opened by showing it. Wrong codes of all clients are counted
together, and too many end every open code.
"""

from __future__ import annotations

import structlog

from controlroom.core import pairing
from controlroom.hub.store import device_rows, request_rows
from controlroom.hub.store.device_rows import CodeRow
from controlroom.hub.store.store import Change, Store
from controlroom.kit import tokens
from controlroom.kit.clock import Clock
from controlroom.wire.device import DeviceHello, PairingCode, PairingPolicy, PendingPairing

_log = structlog.get_logger("pairing")

KEPT_MS = 24 * 3600 * 1000  # ended codes: a used one must not look like one that a phone made
MOST_PENDING, MOST_PENDING_OF_ONE = 20, 3  # phones that wait for approval; of one address


class PairingCodes:
    """The codes of one hub. The device book calls it, one change at a time."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._failures = pairing.Failures()

    async def mint(self, policy: PairingPolicy, code: str | None) -> PairingCode:
        """A code for one use. ``code``: this one; the same again gets the new policy and a fresh clock."""
        chosen = code or pairing.code_from(tokens.draw(pairing.LENGTH, len(pairing.ALPHABET)))
        now_ms = self._clock.now_ms()
        time = pairing.CodeTime(now_ms, now_ms + pairing.LIFE_MS)

        def job(change: Change) -> PendingPairing | None:
            device_rows.prune_codes(change, now_ms - KEPT_MS)
            device_rows.put_code(change, CodeRow(hash=tokens.digest(chosen), time=time, policy=policy))
            return device_rows.take_pending(change, tokens.digest(chosen))

        asked = await self._store.change(job)
        return PairingCode(code=chosen, expires_ms=time.expires_ms, policy=policy, asked=asked)

    async def good(self, code: str, who: DeviceHello) -> CodeRow | None:
        """The code when it can be claimed now; else this try is counted."""
        chosen = pairing.normalised(code)
        hash = tokens.digest(chosen or "")
        row = await self._store.read(lambda c: device_rows.code_row(c, hash)) if chosen else None
        if row is None or not tokens.is_same(row.hash, hash):
            await self._failed(chosen, who)
            return None
        if not pairing.is_good(row.time, self._clock.now_ms()):
            await self._failed(None, who)
            return None
        return row

    async def pending(self) -> list[PendingPairing]:
        """Phones that showed a code of their own and wait for approval, oldest first."""
        now_ms = self._clock.now_ms()
        return await self._store.read(lambda c: device_rows.pending_rows(c, now_ms))

    async def _failed(self, unknown: str | None, who: DeviceHello) -> None:
        """Count a wrong code. ``unknown``: one that was never made here."""
        if self._failures.another(self._clock.monotonic()):
            _log.warning("too many wrong pairing codes, all open codes end", address=who.address)
            await self._store.change(_end_codes)
        elif unknown is not None and who.kind == "relay":
            await self._note(unknown, who)

    async def _note(self, code: str, who: DeviceHello) -> None:
        waiting = await self.pending()
        here = [one for one in waiting if one.address == who.address]
        if len(waiting) >= MOST_PENDING or len(here) >= MOST_PENDING_OF_ONE:
            return
        now_ms = self._clock.now_ms()
        asked = PendingPairing(
            asked_ms=now_ms,
            expires_ms=now_ms + pairing.LIFE_MS,
            device_name=who.name,
            address=who.address,
        )
        await self._store.change(lambda change: device_rows.put_pending(change, tokens.digest(code), asked))


def _end_codes(change: Change) -> None:
    if device_rows.end_codes(change):
        request_rows.add_receipt(
            change,
            by="policy",
            what="pair",
            code="ok",
            text="Too many wrong pairing codes: all open codes were ended.",
        )
