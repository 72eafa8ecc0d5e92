"""Tokens of widgets: each may look at ``GET /glance`` and at nothing else.

The host makes them; anybody who is paired takes them away.
"""

from __future__ import annotations

from msgspec.structs import replace

from controlroom.core.text import clean_line
from controlroom.hub.errors import HubError
from controlroom.hub.store import glance_rows
from controlroom.hub.store.glance_rows import GlanceRow
from controlroom.hub.store.store import Change, Store
from controlroom.kit import tokens
from controlroom.kit.clock import Clock, new_id
from controlroom.wire.glance import GlanceToken, GlanceTokens

PREFIX = "glance_"
MOST = 20
SEEN_EVERY_MS = 60_000  # how exact "last used" is


class GlanceBook:
    """Held in memory, stored before it counts."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._rows: dict[str, GlanceRow] = {}

    async def start(self) -> None:
        for row in await self._store.read(glance_rows.glance_rows):
            self._rows[row.shown.id] = row

    def shown(self) -> GlanceTokens:
        return GlanceTokens(tokens=tuple(row.shown for row in self._rows.values()))

    async def make(self, name: str) -> GlanceToken:
        """Raises HubError ``conflict`` when there are too many."""
        if len(self._rows) >= MOST:
            raise HubError("conflict", f"There are {MOST} of them; remove one first.")
        token = PREFIX + tokens.long_token()
        shown = GlanceToken(
            id=new_id("gln"), name=clean_line(name, 60) or "Widget", made_ms=self._clock.now_ms()
        )
        row = GlanceRow(shown=shown, token_hash=tokens.digest(token))
        await self._store.change(lambda change: glance_rows.add(change, row))
        self._rows[shown.id] = row
        return replace(shown, token=token)

    async def remove(self, id_: str) -> GlanceTokens:
        """Raises HubError ``not_found``."""
        if id_ not in self._rows:
            raise HubError("not_found", "There is no such token.")
        await self._store.change(lambda change: glance_rows.remove(change, id_))
        self._rows.pop(id_, None)
        return self.shown()

    async def holder(self, token: str) -> str | None:
        """The id of this token's entry, None when there is none (any more)."""
        if not token.startswith(PREFIX):
            return None
        digest = tokens.digest(token)
        row = next((one for one in self._rows.values() if tokens.is_same(one.token_hash, digest)), None)
        if row is None:
            return None
        now_ms, shown = self._clock.now_ms(), row.shown
        if shown.used_ms is None or now_ms - shown.used_ms >= SEEN_EVERY_MS:
            self._rows[shown.id] = replace(row, shown=replace(shown, used_ms=now_ms))

            def job(change: Change) -> None:
                glance_rows.used(change, shown.id, now_ms)

            await self._store.change(job)
        return shown.id
