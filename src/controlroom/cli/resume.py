"""``controlroom resume``: go on after a pause."""

from __future__ import annotations

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.pause import set_paused


@declare("resume", examples="controlroom resume")
def command(call: Call) -> None:
    """Go on after a pause.

    Each default whose time came meanwhile is used now, once, and marked late.
    """
    state = set_paused(call, paused=False, why=None)
    if call.json:
        call.out.json(state)
    else:
        call.out.say("It goes on. Defaults whose time came meanwhile are used now, marked late.")
