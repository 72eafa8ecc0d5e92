"""``controlroom fresh``: give an agent a new session."""

from __future__ import annotations

from controlroom.cli.command import Call, agent_argument
from controlroom.cli.command import command as declare
from controlroom.cli.operation_acts import args_of, follow_option, operate, when_options, why_option


@declare(
    "fresh",
    examples="""
    controlroom fresh orchard --why "A new task"
    controlroom fresh orchard --now --drop --why "It goes round in circles"
    """,
)
@agent_argument()
@why_option()
@when_options()
@follow_option()
def command(call: Call, agent: str, why: str, now: bool, drop: bool, no_wait: bool) -> None:
    """Start an agent again with a new session and a new chat, once it is idle.

    It stays the same agent, and its old chat stays readable.
    """
    operate(call, "fresh", agent, why, args_of(now, drop), no_wait=no_wait)
