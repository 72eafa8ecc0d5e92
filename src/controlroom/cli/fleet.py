"""``controlroom fleet``: all agents once, or live with ``--watch``."""

from __future__ import annotations

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use


@declare(
    "fleet",
    examples="""
    controlroom fleet
    controlroom fleet --watch
    controlroom fleet --json | jq -r '.agents[] | select(.activity == "blocked") | .name'
    """,
)
@click.option("--watch", is_flag=True, help="Keep the list on the screen, live; q leaves.")
@click.option("--all", "everything", is_flag=True, help="Archived agents and those gone long ago too.")
def command(call: Call, watch: bool, everything: bool) -> None:
    """All agents: what needs you first, then the others."""
    if watch:
        if call.json or not call.out.is_terminal:
            raise wrong_use("--watch needs a terminal and no --json; scripts read: controlroom fleet --json.")
        from controlroom.cli.fleet_board import watch_fleet

        watch_fleet(call, everything)
        return
    fleet = call.hub(lambda hub: hub.fleet())
    if call.json:
        call.out.json(fleet)
        return
    from controlroom.cli.fleet_view import FleetView, render_fleet
    from controlroom.kit.clock import SystemClock

    view = FleetView(
        now_ms=SystemClock().now_ms(),
        width=call.out.width,
        colour=call.out.colour,
        everything=everything,
    )
    call.out.lines(render_fleet(fleet, view))
