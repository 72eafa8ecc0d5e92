"""``controlroom skip``: leave a question undecided."""

from __future__ import annotations

from controlroom.cli.command import Call, question_argument
from controlroom.cli.command import command as declare
from controlroom.cli.question_acts import act_on, why_option


@declare(
    "skip",
    examples="""
    controlroom skip q_3fa9
    controlroom skip q_3fa9 --why "Ask me again on Monday"
    """,
)
@question_argument()
@why_option()
def command(call: Call, question: str, why: str | None) -> None:
    """Close a question without deciding it.

    The agent is told that nobody decided, and that this is no approval. "controlroom undo" takes it back.
    """
    act_on(call, "skip", question, why)
