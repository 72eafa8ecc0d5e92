"""``controlroom dismiss``: close a question and say nothing."""

from __future__ import annotations

from controlroom.cli.command import Call, question_argument
from controlroom.cli.command import command as declare
from controlroom.cli.question_acts import act_on, why_option


@declare(
    "dismiss",
    examples="""
    controlroom dismiss q_3fa9
    """,
)
@question_argument()
@why_option()
def command(call: Call, question: str, why: str | None) -> None:
    """Close a question; the agent is told nothing.

    "controlroom undo" takes it back.
    """
    act_on(call, "dismiss", question, why)
