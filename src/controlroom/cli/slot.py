"""``controlroom slot``: only so many at a time, for jobs that heat a machine."""

from __future__ import annotations

import os

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import wrong_use
from controlroom.cli.turn import TurnCommand, run_in_turn, show, theirs, turn_options


@declare(
    "slot",
    examples="""
    controlroom slot heavy -- make -j8 simulations
    controlroom slot heavy --no-wait -- ./render.sh
    controlroom slot
    """,
    cls=TurnCommand,
)
@click.argument("name", required=False)
@turn_options()
def command(
    call: Call, name: str | None, stray: tuple[str, ...], timeout: float | None, no_wait: bool
) -> None:
    """Run a command while few enough others have its slot NAME on this machine.

    How many may run at once stands in the settings, [slots]. It waits in a queue, first come, first served,
    and tells on standard error who has the slots. Then the command takes the place of this program: its exit
    status, signals and terminal are its own. The slot ends with the command and everything that it left
    running, however they end. Inside it the same slot is no wait. No control room has to run.

    Without a command it shows who has the slots and who waits.

    Exit status: the command's own; 75 no turn in time, 126 or 127 the command cannot be run.
    """
    wanted = theirs(stray)
    limits = _limits(call)
    if name is not None and name not in limits:
        known = ", ".join(limits)
        raise wrong_use(
            f"There is no slot {name[:60]!r}; there are {known}. [slots] of {call.home.config} names them."
        )
    if wanted is None:
        show(call, "slot", {name: limits[name]} if name else limits)
        return
    if name is None:
        raise wrong_use("Name the slot before --.")
    run_in_turn(call, "slot", name, wanted, limit=limits[name], timeout=timeout, no_wait=no_wait)


def _limits(call: Call) -> dict[str, int]:
    """How many at once, by name. Raises CliError."""
    from controlroom.kit.settings import SettingsError, load_settings, slot_limits

    try:
        return slot_limits(load_settings(call.home.config, os.environ))
    except SettingsError as error:
        raise wrong_use(str(error)) from None
