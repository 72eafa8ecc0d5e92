"""How Codex is ended: by ``/quit`` from an empty composer, as a person would (codex.md section 4).

A signal ends it too, but leaves its terminal in the alternate screen, and behind a background server it ends
only the picture: the turn goes on. So what runs is interrupted first, and its end is read from the
conversation, not from the screen; helpers behind the server are interrupted there, and their end is read
from it. Everything is read again before each key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from controlroom.core.facts import ScreenReading
from controlroom.node.agents.base import Answered, Sighting, World
from controlroom.node.agents.codex.typed import TypedCodex
from controlroom.node.agents.launching import Left

QUIT = "/quit"
MOVES = 6  # close a dialog, interrupt, clear a draft, type, and two that came between
LOOK_EVERY_S = 0.1
EFFECT_S = 2.0  # it redraws within 0.1 s; a loaded machine may take a second
BEFORE_ENTER_S = 0.2  # an Enter right behind a text counts as part of it

_CLOSED_BY_ESCAPE = ("permission", "picker", "plan", "limit")


class Outliving(Protocol):
    """What runs behind the background server."""

    def helpers(self) -> int:
        """How many of its helpers run, as far as that is known."""

    async def end_helpers(self) -> bool:
        """Interrupt them; whether none runs any more."""


async def leave(
    world: World,
    who: Sighting,
    agent: TypedCodex,
    *,
    drop: bool,
    interrupt: Callable[[], Awaitable[Answered]],
    outliving: Outliving | None,
) -> Left:
    """See ``Leaving.leave``. ``outliving``: what would go on without its process, None for nothing. Takes at
    most about 20 s, most of it only while nothing moves on its screen."""
    return await _Leaver(world, who, agent, drop, interrupt, outliving).run()


class _Leaver:
    def __init__(
        self,
        world: World,
        who: Sighting,
        agent: TypedCodex,
        drop: bool,
        interrupt: Callable[[], Awaitable[Answered]],
        outliving: Outliving | None,
    ) -> None:
        self._world = world
        self._who = who
        self._agent = agent
        self._drop = drop
        self._outliving = outliving
        self._interrupt = interrupt

    async def run(self) -> Left:
        for _ in range(MOVES):
            screen = await self._look()
            if screen is None or (screen.dialog is None and screen.composer is None):
                return "deaf"
            if screen.dialog is not None:
                if not self._drop:
                    return "busy"
                if screen.dialog.kind not in _CLOSED_BY_ESCAPE or not await self._press("Escape", screen):
                    return "deaf"  # of the others it is not known what a key would do
            elif screen.look == "working" or await self._agent.now(self._who) == "working":
                if not self._drop:
                    return "busy"
                ended = (await self._interrupt()).state
                if ended not in ("delivered", "changed"):
                    return "busy" if self._outliving or ended == "failed" else "deaf"
            elif screen.composer is not None and (text := screen.composer.text.strip()):
                if text == QUIT:
                    return await self._submit(screen)
                if not self._drop:
                    return "busy"
                await self._press("C-c", screen)
            elif not await self._is_alone():
                return "busy"
            else:
                await self._type(screen)
        return "busy"

    async def _is_alone(self) -> bool:
        """Whether no helper goes on when it has ended; those that may be dropped are interrupted."""
        if self._outliving is None or not self._outliving.helpers():
            return True
        return self._drop and await self._outliving.end_helpers()

    async def _look(self) -> ScreenReading | None:
        """None: it does not run in its pane, or has no keyboard there."""
        if self._who.pane is None or not await self._world.still(self._who):
            return None
        return self._agent.read_screen(await self._world.frame(self._who.pane))

    async def _type(self, seen: ScreenReading) -> None:
        if self._who.pane is not None and await self._look() == seen:
            await self._world.paste(self._who.pane, QUIT)
            await self._until_other_than(seen)

    async def _submit(self, seen: ScreenReading) -> Left:
        await self._world.settle(BEFORE_ENTER_S)
        return "asked" if await self._press("Enter", seen) else "busy"

    async def _press(self, key: str, seen: ScreenReading) -> bool:
        """Press it on this screen only. Whether anything has changed since, by the key or before it."""
        if self._who.pane is None or await self._look() != seen:
            return True
        await self._world.keys(self._who.pane, (key,))
        return await self._until_other_than(seen)

    async def _until_other_than(self, seen: ScreenReading) -> bool:
        for _ in range(int(EFFECT_S / LOOK_EVERY_S)):
            await self._world.settle(LOOK_EVERY_S)
            if await self._look() != seen:
                return True
        return False
