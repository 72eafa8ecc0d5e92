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
        from controlroom.cli.fleet_board import stream_fleet, watch_fleet

        if call.json:
            call.hub(lambda hub: stream_fleet(call, hub))
        elif call.has_terminal:
            watch_fleet(call, everything)
        else:
            raise wrong_use("--watch needs a terminal; with --json it prints the fleet at each change.")
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
