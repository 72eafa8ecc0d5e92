"""``controlroom move``: take an agent to another profile, with its session."""

from __future__ import annotations

import os

import click
import msgspec

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.operation_acts import args_of, follow_option, operate, when_options, why_option


@declare(
    "move",
    examples="""
    controlroom move orchard home --why "Its account is nearly used up"
    controlroom move orchard ~/.claude-home --now --drop --why "It cannot wait"
    """,
)
@agent_argument()
@click.argument("profile", metavar="PROFILE")
@why_option()
@when_options()
@follow_option()
def command(call: Call, agent: str, profile: str, why: str, now: bool, drop: bool, no_wait: bool) -> None:
    """Take an agent to another PROFILE (name, id or folder) of its machine, once it is idle.

    It keeps its name, its chat and its session. When it does not come up there, it goes on where it was.
    """
    args = msgspec.structs.replace(args_of(now, drop), profile=name_or_real_folder(profile))
    operate(call, "move", agent, why, args, no_wait=no_wait)


def name_or_real_folder(profile: str) -> str:
    """A folder by its real path, so that a link names the same one; a name or an id as it is."""
    if "/" not in profile and not profile.startswith("~"):
        return profile
    return os.path.realpath(os.path.expanduser(profile))  # noqa: PTH111 (pathlib raises for an unknown ~name)
