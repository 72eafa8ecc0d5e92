"""Pressing keys in a pane on behalf of a person who watches it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controlroom.core.keys import parse_keys
from controlroom.core.screen import Frame
from controlroom.node.agents.base import Sighting
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef, PaneUnsure
from controlroom.node.watch import Mirror
from controlroom.node.world import PaneWorld
from controlroom.wire.node import ActResult


class Hands:
    """Keys, checked against what the person saw."""

    def __init__(self, world: PaneWorld, mirror: Mirror) -> None:
        self._world = world
        self._mirror = mirror

    async def press(
        self,
        who: Sighting,
        pane: PaneRef,
        keys: tuple[str, ...],
        seen_revision: str | None,
        *,
        paste: str = "",
        must_have_seen: bool,
        asks: Callable[[Frame], bool],
    ) -> ActResult:
        """Paste and press keys if the pane still holds this agent and shows what the person saw.

        Whoever names no screen types into a program that draws all the time. They never answer a dialog
        that appeared meanwhile: ``asks`` tells whether the screen, read right before, shows one.
        """
        try:
            if keys or not paste:
                parse_keys(keys)
        except ValueError as error:
            return ActResult(code="bad_request", text=str(error))
        if must_have_seen and seen_revision is None:
            return ActResult(
                code="bad_request",
                text="A dialog is open: say which screen you saw (seen_revision), or use answer.",
            )
        try:
            # Asked together: a key waits for both.
            is_still, frame = await asyncio.gather(self._world.still(who), self._world.frame(pane))
            if not is_still:
                return ActResult(code="changed", text="The pane does not hold this agent any more.")
            if seen_revision is not None and frame.revision != seen_revision:
                return ActResult(code="changed", text="The screen changed. No key was pressed.")
            if seen_revision is None and asks(frame):
                return ActResult(code="changed", text="It asks something by now. No key was pressed.")
            if paste:
                await self._world.paste(pane, paste)
            if keys:
                await self._world.keys(pane, keys)
        except PaneGone:
            return ActResult(code="changed", text="The pane is gone.")
        except PaneUnsure:
            return ActResult(code="failed", text="The keys may or may not have arrived: look at the screen.")
        except PaneBusy:
            return ActResult(
                code="failed", text="The multiplexer did not answer in time. No key was pressed."
            )
        self._mirror.poke(pane)
        return ActResult(code="ok")

    def poke(self, pane: PaneRef) -> None:
        """Our own input went there: whoever watches sees it at once."""
        self._mirror.poke(pane)
