"""What adapters remember of panes for a while: who reads or types now, and what was seen last."""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from controlroom.node.mux.base import PaneRef

KEPT = 256  # panes; an unchanged screen is not drawn again

T = TypeVar("T")


class Turns:
    """One reader or writer for each pane; nothing stays of panes at which nobody is."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[PaneRef, asyncio.Lock] = WeakValueDictionary()

    def of(self, pane: PaneRef) -> asyncio.Lock:
        lock = self._locks.get(pane)
        if lock is None:
            lock = self._locks[pane] = asyncio.Lock()
        return lock


class Newest(Generic[T]):
    """One thing for each pane, for those that were asked about last."""

    def __init__(self) -> None:
        self._kept: dict[PaneRef, T] = {}

    def get(self, pane: PaneRef) -> T | None:
        return self._kept.get(pane)

    def put(self, pane: PaneRef, seen: T) -> None:
        self._kept.pop(pane, None)
        self._kept[pane] = seen
        if len(self._kept) > KEPT:
            del self._kept[next(iter(self._kept))]
