"""``controlroom policy explain``: on which account each agent should be, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from controlroom.client import HubClient


@declare(
    "policy",
    examples="""
    controlroom policy explain
    controlroom policy explain orchard
    controlroom policy explain --json | jq '.advice[] | select(.what != "stay")'
    """,
)
@click.argument("what", type=click.Choice(["explain"]))
@click.argument("agent", required=False, metavar="[AGENT]")
def command(call: Call, what: str, agent: str | None) -> None:
    """Say for each agent which account it should be on now, and why.

    Reading it moves nothing. It looks at what each account has left, at holds and reserves, and at paid
    extra usage, by the rules of the settings, [policy]; on machines in policy.automatic it is done by itself.
    """
    call.hub(lambda hub: _explain(call, hub, agent))


async def _explain(call: Call, hub: HubClient, wanted: str | None) -> None:
    import msgspec

    from controlroom.cli.find import pick
    from controlroom.cli.policy_view import render_report

    fleet = await hub.fleet()
    report = await hub.policy()
    if wanted is not None:
        chosen = pick(fleet, wanted).id
        mine = tuple(one for one in report.advice if one.agent_id == chosen)
        report = msgspec.structs.replace(report, advice=mine)
    if call.json:
        call.out.json(report)
        return
    names = {agent.id: agent.name for agent in fleet.agents}
    call.out.lines(render_report(report, names, call.out.width, call.out.colour))
