"""``controlroom lock``: one at a time, for what a machine has once."""

from __future__ import annotations

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use
from controlroom.cli.turn import TurnCommand, checked_name, folder_of, run_in_turn, show, theirs, turn_options

USUAL = "browser"


@declare(
    "lock",
    examples="""
    controlroom lock browser -- npx playwright test
    controlroom lock browser --timeout 600 -- make e2e
    controlroom lock
    """,
    cls=TurnCommand,
)
@click.argument("name", required=False)
@turn_options()
def command(
    call: Call, name: str | None, stray: tuple[str, ...], timeout: float | None, no_wait: bool
) -> None:
    """Run a command while nobody else has its lock NAME on this machine.

    It waits in a queue, first come, first served, and tells on standard error who has the lock. Then the
    command takes the place of this program: its exit status, signals and terminal are its own. The lock ends
    with the command and everything that it left running, however they end. Inside it the same lock is no
    wait. No control room has to run.

    Without a command it shows who has the lock and who waits.

    Exit status: the command's own; 75 no turn in time, 126 or 127 the command cannot be run.
    """
    wanted = theirs(stray)
    if name is not None:
        checked_name(name)
    if wanted is None:
        folder = folder_of(call, "lock")
        known = sorted({USUAL, *(path.name for path in folder.iterdir())} if folder.is_dir() else {USUAL})
        show(call, "lock", dict.fromkeys([name] if name else known))
        return
    if name is None:
        raise wrong_use("Name the lock before --.")
    run_in_turn(call, "lock", name, wanted, limit=1, timeout=timeout, no_wait=no_wait)
