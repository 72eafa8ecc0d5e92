"""``controlroom pause``: nothing happens by itself until somebody says ``resume``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare

if TYPE_CHECKING:
    from controlroom.wire.question import PauseState


@declare(
    "pause",
    examples="""
    controlroom pause
    controlroom pause --why "On a plane until tonight"
    """,
)
@click.option("--why", metavar="TEXT", help="Why; it stands in the receipt.")
def command(call: Call, why: str | None) -> None:
    """Pause what happens by itself: defaults and the checker.

    No default of a question is used and no model is called, also after a restart, until
    "controlroom resume". Your own messages and answers go out as ever.
    """
    state = set_paused(call, paused=True, why=why)
    if call.json:
        call.out.json(state)
    else:
        call.out.say(f"Paused. No default is used until: {call.hint('resume')}")


def set_paused(call: Call, *, paused: bool, why: str | None) -> PauseState:
    """How it stands then; the same wish twice is no trouble."""
    from controlroom.kit.clock import new_id
    from controlroom.wire.question import SetPause

    wish = SetPause(request_id=new_id("req"), paused=paused, why=why)
    return call.hub(lambda hub: hub.set_paused(wish))
