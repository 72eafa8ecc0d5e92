"""``controlroom reopen``: open a question that was closed without you."""

from __future__ import annotations

from controlroom.cli.command import Call, question_argument
from controlroom.cli.command import command as declare
from controlroom.cli.question_acts import act_on, why_option


@declare(
    "reopen",
    examples="""
    controlroom reopen q_3fa9
    """,
)
@question_argument()
@why_option()
def command(call: Call, question: str, why: str | None) -> None:
    """Open a question again that was closed without you.

    That is: its default was used, the agent or the checker closed it, a newer one replaced it, it expired,
    or its answer did not arrive. A default that the agent was told already is corrected by your answer.
    """
    act_on(call, "reopen", question, why)
