"""An agent's pane over the terminal channel: our mirror of it, never a client of the agent's tmux server.

The pane keeps its own size; nothing that a device does here can resize, redraw or end it. Input is pressed as
keys of the allowlist or pasted, with the checks that all keys go through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from controlroom.core.screen import Frame, render
from controlroom.core.terminal import Reason, Size
from controlroom.core.typed import NotKeys, TypedInput
from controlroom.gateway.ports import AgentPanes
from controlroom.gateway.terminal.session import NOT_ANY_MORE, CannotAttach, Voice
from controlroom.kit.clock import wait_at_most
from controlroom.kit.supervise import Tasks

FIRST_FRAME_S: Final = 10.0  # a capture takes 10 ms; one that takes longer than this is stuck
CLEAR: Final = "\x1b[0m\x1b[2J"


class MirrorSession:
    """One client's look at one agent's pane. A slow client gets the newest frame, not all of them."""

    def __init__(
        self, *, voice: Voice, name: str, agent_id: str, by: str, panes: AgentPanes, has_tmux: bool
    ) -> None:
        self.name = name
        self._has_tmux = has_tmux
        self._voice = voice
        self._agent_id = agent_id
        self._by = by
        self._panes = panes
        self._typed = TypedInput()
        self._tasks = Tasks("terminal mirror")
        self._latest: Frame | None = None
        self._shown: Frame | None = None
        self._is_over = False
        self._news = asyncio.Event()

    async def start(self) -> None:
        """Wait for the first frame. Raises CannotAttach."""
        self._tasks.start(self._agent_id, self._read())
        await wait_at_most(self._news, FIRST_FRAME_S)
        if self._latest is None:
            raise CannotAttach("This agent has no pane that can be shown now.")

    def described(self) -> Mapping[str, object]:
        frame = self._latest or self._shown
        assert frame is not None, "start has seen a frame"
        size = {"cols": frame.width, "rows": frame.height}
        return {"pid": 0, "shell": "", **size, "tmux_available": self._has_tmux}

    async def type(self, data: str) -> str | None:
        try:
            typed = self._typed.feed(data)
        except NotKeys as error:
            return str(error)
        for one in typed:
            if not self._voice.may():
                return NOT_ANY_MORE
            seen = self._shown.revision if self._shown is not None else ""
            if (refusal := await self._panes.type(self._agent_id, one, seen, self._by)) is not None:
                return refusal
        return None

    def resize(self, size: Size) -> bool:
        return False

    async def pump(self) -> None:
        try:
            while await self._show_next():
                pass
        finally:
            await self._tasks.aclose()
        await self._voice.detached(self._voice.asked or "pane gone")

    async def end(self, reason: Reason, *, say: bool = True) -> None:
        self._voice.ask(reason, say=say)
        self._is_over = True
        self._news.set()
        await self._tasks.aclose()

    async def _read(self) -> None:
        try:
            async for frame in self._panes.frames(self._agent_id):
                self._latest = frame
                self._news.set()
        finally:
            self._is_over = True
            self._news.set()

    async def _show_next(self) -> bool:
        """Send the newest frame as soon as there is one. False at the end."""
        await self._news.wait()
        self._news.clear()
        frame, before = self._latest, self._shown
        if self._voice.asked is None and frame is not None and frame is not before:
            self._shown = frame
            is_resized = before is not None and (before.width, before.height) != (frame.width, frame.height)
            if is_resized and not await self._voice.attached({**self.described(), "reattach": True}):
                return False
            clear = CLEAR if before is None or is_resized else ""
            if not await self._voice.output(clear + render(frame)):
                return False
        return not self._is_over
