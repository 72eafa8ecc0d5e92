"""``controlroom watch``: an agent's screen, live; only a mirror."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.errors import INTERRUPTED, CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient


@declare(
    "watch",
    examples="""
    controlroom watch orchard
    controlroom watch orchard --json | jq -r .revision
    """,
)
@agent_argument()
def command(call: Call, agent: str) -> None:
    """Watch an agent's screen live; watching changes nothing.

    The pane keeps its own size: what does not fit into this terminal is cut, and the last row says so.
    """
    if call.json:
        call.hub(lambda hub: _stream(call, hub, agent))
        return
    if not call.has_terminal:
        raise wrong_use("watch needs a terminal; with --json it prints each frame as one line.")
    ended_by = asyncio.run(_watch(call, agent))
    if ended_by is not None:
        raise click.exceptions.Exit(INTERRUPTED if ended_by == signal.SIGINT else 128 + ended_by)


async def _stream(call: Call, hub: HubClient, said: str) -> None:
    """Each frame as one line of JSON, for scripts; ends only with Ctrl-C."""
    from controlroom.cli.find import pick
    from controlroom.wire.client import Refused, ScreenFrame

    agent = pick(await hub.fleet(), said)
    async with hub.live() as live:
        await live.watch(agent.id)
        async for frame in live:
            if isinstance(frame, ScreenFrame) and frame.agent_id == agent.id:
                call.out.json_line(frame)
            elif isinstance(frame, Refused):
                raise CliError(frame.text, frame.code)


async def _watch(call: Call, said: str) -> signal.Signals | None:
    from controlroom.cli.find import pick
    from controlroom.cli.glass import Glass
    from controlroom.cli.terminal import Terminal

    async with call.connected() as hub:
        agent = pick(await hub.fleet(), said)
        first = await hub.screen(agent.id)  # refuses in words when there is no screen
        async with hub.live() as live:
            await live.watch(agent.id)
            with Terminal() as terminal:
                glass = Glass(agent, terminal, first, call.out.colour)
                async with asyncio.TaskGroup() as group:
                    reader = group.create_task(glass.follow(live))
                    await glass.show()
                    reader.cancel()
                return terminal.ended_by
