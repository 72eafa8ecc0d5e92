"""Live frames of watched panes: one capture loop for each pane, however many watch."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import NamedTuple

from controlroom.core.screen import Frame
from controlroom.kit.supervise import Tasks
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef
from controlroom.node.world import PaneWorld

EVERY_S = 0.1
"""Watched panes are captured ten times a second (house.md section 8)."""

ECHO_PAUSES_S = (0.010, 0.015, 0.025)
"""After our own input the looks come this soon: most programs echo within 10 ms, a redraw takes longer."""


STUCK_S = 3.0
"""A pane that cannot be read for longer than this is not shown as live any more."""


class Sight(NamedTuple):
    """What a watcher sees: the screen, and whether typing would show on it (``kit.tty``)."""

    frame: Frame
    echo: bool | None


class _Slot:
    """The newest sight for one watcher; an older one that was not taken is dropped."""

    def __init__(self) -> None:
        self.sight: Sight | None = None
        self.is_over = False
        self.news = asyncio.Event()


class Mirror:
    """Capture loops that run only while somebody watches."""

    def __init__(self, world: PaneWorld) -> None:
        self._world = world
        self._slots: dict[PaneRef, set[_Slot]] = {}
        self._pokes: dict[PaneRef, asyncio.Event] = {}
        self._tasks = Tasks("mirror")

    def poke(self, pane: PaneRef) -> None:
        """Our own input went to this pane: look right away."""
        if (event := self._pokes.get(pane)) is not None:
            event.set()

    async def watch(self, pane: PaneRef) -> AsyncIterator[Sight]:
        """Frames whose revision or echo differs from the one before; ends when the pane is gone, or could not
        be read for a while: nobody takes an old screen for a new one."""
        slot = _Slot()
        slots = self._slots.setdefault(pane, set())
        slots.add(slot)
        if pane not in self._pokes:
            self._pokes[pane] = asyncio.Event()
            self._tasks.start(str(pane.id), self._capture(pane))
        try:
            while True:
                await slot.news.wait()
                slot.news.clear()
                sight, slot.sight = slot.sight, None
                if sight is not None:
                    yield sight
                elif slot.is_over:
                    return
        finally:
            slots.discard(slot)

    async def _capture(self, pane: PaneRef) -> None:
        slots, poke = self._slots[pane], self._pokes[pane]
        last: tuple[str, bool | None] | None = None
        shown: set[_Slot] = set()
        pauses: list[float] = []
        now = asyncio.get_running_loop().time
        good_at = now()
        try:
            while slots:
                try:
                    frame = await self._world.frame(pane)
                except PaneBusy:
                    frame = None
                    if now() - good_at > STUCK_S:
                        return
                if frame is not None:
                    good_at = now()
                    sight = Sight(frame, self._world.echo(pane))
                    is_new = last != (frame.revision, sight.echo)
                    for slot in slots if is_new else slots - shown:
                        slot.sight = sight
                        slot.news.set()
                    last, shown = (frame.revision, sight.echo), set(slots)
                if pauses:
                    await asyncio.sleep(pauses.pop(0))
                    continue
                try:
                    async with asyncio.timeout(EVERY_S):
                        await poke.wait()
                except TimeoutError:
                    continue
                poke.clear()
                pauses = list(ECHO_PAUSES_S)
                await asyncio.sleep(pauses.pop(0))
        except PaneGone:
            pass
        finally:
            del self._slots[pane], self._pokes[pane]
            for slot in slots:
                slot.is_over = True
                slot.news.set()

    async def aclose(self) -> None:
        await self._tasks.aclose()
