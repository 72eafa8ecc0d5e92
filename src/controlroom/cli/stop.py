"""``controlroom stop``: end an agent; its pane and chat stay."""

from __future__ import annotations

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.operation_acts import args_of, follow_option, operate, when_options, why_option


@declare(
    "stop",
    examples="""
    controlroom stop orchard --why "Enough for today"
    controlroom stop orchard --now --drop --why "It goes round in circles"
    """,
)
@agent_argument()
@why_option()
@when_options()
@follow_option()
def command(call: Call, agent: str, why: str, now: bool, drop: bool, no_wait: bool) -> None:
    """End an agent once it is idle; its pane and chat stay.

    A dead agent is stopped already. "controlroom undo" starts it again with its session.
    """
    operate(call, "stop", agent, why, args_of(now, drop), no_wait=no_wait)
