"""``controlroom restart``: start an agent again with its session."""

from __future__ import annotations

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.operation_acts import args_of, follow_option, operate, when_options, why_option


@declare(
    "restart",
    examples="""
    controlroom restart orchard --why "It must read its new settings"
    controlroom restart orchard --now --drop --why "It goes round in circles"
    """,
)
@agent_argument()
@why_option()
@when_options()
@follow_option()
def command(call: Call, agent: str, why: str, now: bool, drop: bool, no_wait: bool) -> None:
    """Start an agent again with its session, in a new window, once it is idle.

    It keeps its name, its chat, its flags and its environment. The old pane is removed at the end.
    """
    operate(call, "restart", agent, why, args_of(now, drop), no_wait=no_wait)
