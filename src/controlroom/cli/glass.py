"""The live part of ``controlroom watch``: the newest frame, and how the person looks at it."""

from __future__ import annotations

from controlroom.cli import text
from controlroom.cli.mirror_view import Mirror, first_row, render
from controlroom.cli.terminal import Terminal
from controlroom.client import Live, Lost
from controlroom.wire.client import EventFrame, Refused, ScreenFrame, Welcome
from controlroom.wire.model import Agent, Screen

TICK_S = 1.0
SIDESTEP = 8  # columns moved with one arrow key


class Glass:
    """The newest frame, and how the person looks at it."""

    def __init__(self, agent: Agent, terminal: Terminal, first: Screen, colour: bool) -> None:
        self._agent = agent
        self._terminal = terminal
        self._colour = colour
        self._top: int | None = None
        self._left = 0
        self._frame = ScreenFrame(
            agent_id=agent.id,
            revision=first.revision,
            width=first.width,
            height=first.height,
            cursor=first.cursor,
            data="\r\n".join(first.ansi),
        )
        self._note = ""

    async def follow(self, live: Live) -> None:
        """Take frames until the agent has no screen any more."""
        async for frame in live:
            match frame:
                case ScreenFrame() if frame.agent_id == self._agent.id:
                    self._frame, self._note = frame, ""
                case Lost():
                    self._note = "reconnecting, this is the last picture"
                case Welcome():
                    self._note = ""
                case Refused():
                    self._note = text.line(frame.text, 200)
                case EventFrame(name="agent.gone") if f'"{self._agent.id}"'.encode() in bytes(frame.data):
                    self._note = "it is gone, this is the last picture"
            self._terminal.wake()

    async def show(self) -> None:
        """Draw until the person leaves."""
        terminal = self._terminal
        while terminal.ended_by is None:
            mirror = Mirror(width=terminal.width, height=terminal.height - 1, top=self._top, left=self._left)
            terminal.draw(render(self._frame, mirror, self._agent.name, self._colour, self._note))
            await terminal.wait(TICK_S)
            for key in terminal.take_keys():
                if key in "qQ":
                    return
                self._move(key, mirror)

    def _move(self, key: str, mirror: Mirror) -> None:
        most_left = max(self._frame.width - mirror.width, 0)
        most_top = max(self._frame.height - mirror.height, 0)
        top = first_row(self._frame, mirror)
        match key:
            case "left":
                self._left = max(self._left - SIDESTEP, 0)
            case "right":
                self._left = min(self._left + SIDESTEP, most_left)
            case "up":
                self._top = max(top - 1, 0)
            case "down":
                self._top = min(top + 1, most_top)
            case "f":
                self._top, self._left = None, 0
            case "\x0c":
                self._terminal.redraw()
