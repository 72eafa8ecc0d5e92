"""Receipts: who did what, or was not allowed to. They stand for good and go to all clients."""

from __future__ import annotations

from collections.abc import Sequence

import structlog

from controlroom.hub.store import request_rows
from controlroom.hub.store.store import Store
from controlroom.kit.clock import Clock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.client import Receipts

_log = structlog.get_logger("receipts")

PAGE = 500
QUIET_S = 60.0  # an agent that tries the same again and again fills no journal
REMEMBERED = 1_000


class ReceiptBook:
    """Reads receipts, and writes those of acts that failed; the others write theirs themselves."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._refused: dict[tuple[str, str, str | None], float] = {}

    async def page(self, after: int) -> Receipts:
        """Receipts with ``seq`` > ``after``, oldest first."""
        found = await self._store.read(lambda c: request_rows.receipts_after(c, after, PAGE + 1))
        return Receipts(receipts=tuple(found[:PAGE]), more=len(found) > PAGE)

    async def page_before(self, before: int, limit: int) -> Receipts:
        """The newest receipts with ``seq`` < ``before``, at most ``limit``, oldest first."""
        limit = max(1, min(limit, PAGE))
        found = await self._store.read(lambda c: request_rows.receipts_before(c, before, limit + 1))
        return Receipts(receipts=tuple(found[-limit:]), more=len(found) > limit)

    async def refused(self, by: str, what: str, agent_id: str | None, text: str) -> None:
        """Note that somebody was not allowed to do something; repetitions within a minute are one."""
        key, now = (by, what, agent_id), self._clock.monotonic()
        if now - self._refused.get(key, -QUIET_S) < QUIET_S:
            return
        if len(self._refused) >= REMEMBERED:
            self._refused.clear()
        self._refused[key] = now
        await self._write(by, what, "not_allowed", agent_id, text)

    async def done(
        self, by: str, what: str, agent_id: str | None, text: str, screen: Sequence[str] = ()
    ) -> None:
        """Note something that is no lasting request of its own."""
        await self._write(by, what, "ok", agent_id, text, screen)

    async def failed(
        self, by: str, what: str, agent_id: str | None, text: str, screen: Sequence[str] = ()
    ) -> None:
        """Note an act that was begun and of which nobody can say how it ended."""
        await self._write(by, what, "failed", agent_id, text, screen)

    async def _write(
        self, by: str, what: str, code: str, agent_id: str | None, text: str, screen: Sequence[str] = ()
    ) -> None:
        try:
            await self._store.change(
                lambda change: request_rows.add_receipt(
                    change, by=by, what=what, code=code, text=text, agent_id=agent_id, screen=screen
                )
            )
        except DatabaseTrouble as error:  # the answer stays what it is
            _log.error("a receipt cannot be stored", by=by, what=what, error=str(error))
