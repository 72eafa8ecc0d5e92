"""``controlroom undo``: take a skip, a dismissal or an answer back."""

from __future__ import annotations

from controlroom.cli.command import Call, question_argument
from controlroom.cli.command import command as declare
from controlroom.cli.question_acts import act_on, why_option


@declare(
    "undo",
    examples="""
    controlroom undo q_3fa9
    """,
)
@question_argument()
@why_option()
def command(call: Call, question: str, why: str | None) -> None:
    """Take back a skip, a dismissal, or an answer that is not typed yet.

    The question is open again then.
    """
    act_on(call, "undo", question, why)
