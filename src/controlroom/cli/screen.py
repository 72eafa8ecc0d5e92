"""``controlroom screen``: an agent's screen as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from controlroom.client import HubClient


@declare(
    "screen",
    examples="""
    controlroom screen orchard
    controlroom screen orchard --ansi | less -R
    """,
)
@agent_argument()
@click.option("--ansi", is_flag=True, help="With colours, also into a pipe.")
def command(call: Call, agent: str, ansi: bool) -> None:
    """Print an agent's screen as it is now. Looking changes nothing."""
    call.hub(lambda hub: _print(call, hub, agent, ansi))


async def _print(call: Call, hub: HubClient, said: str, ansi: bool) -> None:
    from controlroom.cli.find import pick
    from controlroom.cli.mirror_view import safe_row

    screen = await hub.screen(pick(await hub.fleet(), said).id)
    if call.json:
        call.out.json(screen)
        return
    coloured = ansi or call.out.colour
    rows = list(screen.ansi if coloured else screen.rows)
    plain = list(screen.rows)
    while plain and not plain[-1].strip():
        plain.pop()
        rows.pop()
    call.out.lines(safe_row(row, coloured) for row in rows)
