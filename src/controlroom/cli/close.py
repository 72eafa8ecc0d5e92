"""``controlroom close``: end an agent and remove its pane."""

from __future__ import annotations

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.operation_acts import args_of, follow_option, operate, when_options, why_option


@declare(
    "close",
    examples="""
    controlroom close orchard --why "The project is done"
    controlroom close orchard --now --drop --why "It goes round in circles"
    """,
)
@agent_argument()
@why_option()
@when_options()
@follow_option()
def command(call: Call, agent: str, why: str, now: bool, drop: bool, no_wait: bool) -> None:
    """End an agent once it is idle, remove its pane, and take it off the list.

    Its chat is kept. A pane in which other programs run stays.
    """
    operate(call, "close", agent, why, args_of(now, drop), no_wait=no_wait)
