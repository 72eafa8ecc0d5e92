"""Trouble that lasts, as items for people: raised, kept with its beginning, cleared when it is over."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controlroom.kit.clock import Clock


class HealthItem(msgspec.Struct, frozen=True):
    """``do`` is what a person should do, one sentence."""

    code: str
    title: str
    since_ms: int
    do: str


class HealthBoard:
    """The present troubles of one piece of the house, oldest first."""

    def __init__(self, clock: Clock, changed: Callable[[], None] = lambda: None) -> None:
        self._clock = clock
        self._items: dict[str, HealthItem] = {}
        self._changed = changed

    def raise_(self, code: str, title: str, do: str) -> None:
        """Add or update an item; its beginning stays."""
        old = self._items.get(code)
        new = HealthItem(code, title, old.since_ms if old else self._clock.now_ms(), do)
        if new != old:
            self._items[code] = new
            self._changed()

    def clear(self, code: str) -> None:
        if self._items.pop(code, None) is not None:
            self._changed()

    def replace(self, prefix: str, items: list[tuple[str, str, str]]) -> None:
        """Make ``items`` (code, title, do) the only ones whose code begins with ``prefix``."""
        for code in [c for c in self._items if c.startswith(prefix) and c not in {i[0] for i in items}]:
            self.clear(code)
        for code, title, do in items:
            self.raise_(code, title, do)

    @property
    def items(self) -> tuple[HealthItem, ...]:
        return tuple(self._items.values())
