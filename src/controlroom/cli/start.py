"""``controlroom start``: start a new agent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.operation_acts import follow_option, why_option

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.operation import OperationArgs


@declare(
    "start",
    examples="""
    controlroom start claude ~/orchard --why "Pick the pears"
    controlroom start codex ~/pears --why "A second opinion"
    controlroom start claude . --name pears --prompt "Read the plan" --why "Next task"
    controlroom start codex . --worktree kim/plums --why "A branch of its own"
    """,
)
@click.argument("kind", metavar="KIND")
@click.argument("folder", metavar="FOLDER")
@click.option("--name", metavar="NAME", help="What it is called; without it after its folder.")
@click.option("--prompt", metavar="TEXT", help="Its first message, sent once it is up.")
@click.option("--profile", metavar="FOLDER", help="Its config folder; without it the usual one.")
@click.option("--model", metavar="MODEL", help="The model; without it the agent's own choice.")
@click.option(
    "--flags",
    metavar="FLAGS",
    multiple=True,
    help="Flags as the setting agents.flags allows them; may be given again.",
)
@click.option(
    "--worktree",
    metavar="BRANCH",
    help="Work in a new git worktree beside the repository, on this new branch.",
)
@click.option("--machine", metavar="ID", help="Where; without it on the primary machine.")
@why_option()
@follow_option()
def command(
    call: Call,
    kind: str,
    folder: str,
    name: str | None,
    prompt: str | None,
    profile: str | None,
    model: str | None,
    flags: tuple[str, ...],
    worktree: str | None,
    machine: str | None,
    why: str,
    no_wait: bool,
) -> None:
    """Start a new agent of a KIND (claude, codex) in a FOLDER, in a new window of the tmux server that runs.

    A start-up prompt that is not known stops it there, and waits for you in its window.
    """
    from controlroom.wire.operation import OperationArgs

    args = OperationArgs(
        kind=kind,
        folder=folder if machine else os.path.abspath(os.path.expanduser(folder)),  # noqa: PTH100, PTH111
        name=name,
        prompt=prompt,
        profile=profile if machine or profile is None else os.path.abspath(profile),  # noqa: PTH100
        model=model,
        flags=flags,
        worktree=worktree,
        machine_id=machine,
    )
    call.hub(lambda hub: _start(call, hub, args, why, no_wait))


async def _start(call: Call, hub: HubClient, args: OperationArgs, why: str, no_wait: bool) -> None:
    from controlroom.cli.operation_acts import ask_and_follow, leave
    from controlroom.kit.clock import new_id
    from controlroom.wire.operation import AskOperation

    wish = AskOperation(id=new_id("op"), kind="start", why=why, args=args)
    leave(await ask_and_follow(call, hub, wish, no_wait=no_wait))
