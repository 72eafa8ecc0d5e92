"""``controlroom fleet --watch``: the fleet as a board to leave open.

Ages tick each second; the order changes only when an agent does. While the connection is lost the picture
stands still, in grey, with the time it is from: what may be wrong by now is not shown as news.
"""

from __future__ import annotations

import asyncio
import signal

import click

from controlroom.cli import times
from controlroom.cli.command import Call
from controlroom.cli.errors import INTERRUPTED
from controlroom.cli.fleet_state import EMPTY, apply
from controlroom.cli.fleet_view import FleetView, render_fleet
from controlroom.cli.palette import paint
from controlroom.cli.terminal import Terminal
from controlroom.client import HubClient, Live, Lost
from controlroom.kit.clock import Clock, SystemClock
from controlroom.wire.client import FromServer, Welcome

TICK_S = 1.0


class Board:
    """What the board knows: the fleet, the hub's clock, and whether the connection stands."""

    def __init__(self, clock: Clock, everything: bool, colour: bool) -> None:
        self._clock = clock
        self._everything = everything
        self._colour = colour
        self._fleet = EMPTY
        self._is_known = False
        self._ahead_ms = 0  # the hub's clock minus ours
        self._lost_at_ms: int | None = None

    def take(self, frame: FromServer | Lost) -> None:
        """One frame of the live socket."""
        now = self._clock.now_ms()
        if isinstance(frame, Lost):
            self._lost_at_ms = self._lost_at_ms or now + self._ahead_ms
            return
        self._lost_at_ms = None
        if isinstance(frame, Welcome):
            self._ahead_ms = frame.server_time_ms - now
        before = self._fleet
        self._fleet = apply(self._fleet, frame)
        self._is_known = self._is_known or self._fleet is not before

    def lines(self, width: int, height: int) -> list[str]:
        """The picture now."""
        now = self._clock.now_ms() + self._ahead_ms
        if not self._is_known:
            return ["Asking the control room …"]
        is_lost = self._lost_at_ms is not None
        seen = self._lost_at_ms if self._lost_at_ms is not None else now
        note = f"reconnecting, last seen {times.clock(seen)}" if is_lost else f"{times.clock(now)} · q leaves"
        view = FleetView(
            now_ms=seen,
            width=width,
            height=height,
            colour=self._colour and not is_lost,
            note=note,
            everything=self._everything,
        )
        lines = render_fleet(self._fleet, view)
        return [paint(line, "rest", self._colour) for line in lines] if is_lost else lines

    def until_tick_s(self) -> float:
        """Time to the next full second, so that all ages tick together."""
        return TICK_S - (self._clock.now_ms() + self._ahead_ms) % 1000 / 1000


def watch_fleet(call: Call, everything: bool) -> None:
    """Show the board until q, Ctrl-C or the terminal's end."""
    ended_by = asyncio.run(_watch(call, everything))
    if ended_by is not None:
        raise click.exceptions.Exit(INTERRUPTED if ended_by == signal.SIGINT else 128 + ended_by)


async def stream_fleet(call: Call, hub: HubClient) -> None:
    """The whole fleet as one line of JSON at each change, for scripts; ends only with Ctrl-C."""
    fleet = EMPTY
    async with hub.live() as live:
        async for frame in live:
            before = fleet
            fleet = fleet if isinstance(frame, Lost) else apply(fleet, frame)
            if (fleet.agents, fleet.machines) != (before.agents, before.machines):
                call.out.json_line(fleet)


async def _watch(call: Call, everything: bool) -> signal.Signals | None:
    board = Board(SystemClock(), everything, call.out.colour)
    async with call.connected() as hub, hub.live() as live:
        with Terminal() as terminal:
            async with asyncio.TaskGroup() as group:
                reader = group.create_task(_follow(live, board, terminal))
                await _show(board, terminal)
                reader.cancel()
            return terminal.ended_by


async def _follow(live: Live, board: Board, terminal: Terminal) -> None:
    async for frame in live:
        board.take(frame)
        terminal.wake()


async def _show(board: Board, terminal: Terminal) -> None:
    while terminal.ended_by is None:
        terminal.draw(board.lines(terminal.width, terminal.height))
        await terminal.wait(board.until_tick_s())
        for key in terminal.take_keys():
            if key in "qQ":
                return
            if key == "\x0c":
                terminal.redraw()
