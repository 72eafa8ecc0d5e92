"""``controlroom usage``: what accounts have left, and what agents used."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.usage import Account, Profile, UsageBy, UsageReport


@declare(
    "usage",
    examples="""
    controlroom usage
    controlroom usage --by agent
    controlroom usage --by day --json
    """,
)
@click.option(
    "--by",
    type=click.Choice(["agent", "day", "model", "profile"]),
    help="What was used instead: tokens, and what they would cost on the API.",
)
def command(call: Call, by: str | None) -> None:
    """What accounts have left, with the age and source of each reading.

    Windows are named by their length. Unknown is not zero, and an old reading says at least how much is used:
    more may have been used since.
    """
    if by is None:
        accounts, profiles, machines = call.hub(accounts_and_profiles)
        if call.json:
            call.out.json(accounts)
            return
        from controlroom.cli.usage_view import accounts_lines
        from controlroom.kit.clock import SystemClock

        now_ms = SystemClock().now_ms()
        call.out.lines(accounts_lines(accounts, profiles, machines, now_ms, call.out.width, call.out.colour))
        return
    report, names = call.hub(lambda hub: _report(hub, cast("UsageBy", by)))
    if call.json:
        call.out.json(report)
        return
    from controlroom.cli.usage_view import report_lines

    call.out.lines(report_lines(report, names, cast("UsageBy", by), call.out.width, call.out.colour))


async def accounts_and_profiles(
    hub: HubClient,
) -> tuple[tuple[Account, ...], tuple[Profile, ...], dict[str, str]]:
    """Accounts, profiles, and the names of machines."""
    machines = {machine.id: machine.name for machine in (await hub.fleet()).machines}
    return await hub.accounts(), await hub.profiles(), machines


async def _report(hub: HubClient, by: UsageBy) -> tuple[UsageReport, dict[str, str]]:
    """The report, and what people call the keys of its rows."""
    report = await hub.usage(by)
    names: dict[str, str] = {}
    if by == "agent":
        names = {agent.id: agent.name for agent in (await hub.fleet()).agents}
    elif by == "profile":
        names = {profile.id: profile.name for profile in await hub.profiles()}
    fleet = await hub.fleet() if report.missing else None
    names |= {machine.id: machine.name for machine in fleet.machines} if fleet is not None else {}
    return report, names
