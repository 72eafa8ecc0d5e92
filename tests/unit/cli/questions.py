"""Questions with invented words for the tests of the command line."""

from __future__ import annotations

from typing import Any

from controlroom.wire.question import Question, QuestionDefault, QuestionOption, QuestionStep
from tests.unit.cli.agents import MIN, NOW

OPTIONS = (
    QuestionOption(key="1", label="All of them", what="takes about 20 minutes, the old table can go"),
    QuestionOption(key="2", label="Only this year's", what="the old table stays", recommended=True),
)


def question(said: str = "Shall the old invoices move too?", ago_ms: int = 12 * MIN, **more: Any) -> Question:
    given: dict[str, Any] = {
        "id": "q_3fa9c1d2e3f4",
        "agent_id": "agt_1",
        "chat_id": "cht_1",
        "state": "open",
        "source": "block",
        "question": said,
        "options": OPTIONS,
        "multi": False,
        "blocking": False,
        "asked_at_ms": NOW - ago_ms,
        "history": (QuestionStep(state="open", at_ms=NOW - ago_ms, by="agent:agt_1", why="Asked."),),
    }
    return Question(**(given | more))


def default(
    text: str = "I move only this year's", in_ms: int | None = 18 * MIN, **more: Any
) -> QuestionDefault:
    return QuestionDefault(text=text, due_at_ms=None if in_ms is None else NOW + in_ms, **more)


def closed(state: Any, by: str, why: str = "Done.", **more: Any) -> Question:
    """One that came to this end a minute ago."""
    step: dict[str, Any] = {"proof": more.pop("proof", None), "late": more.pop("late", False)}
    asked = question(**more)
    last = QuestionStep(state=state, at_ms=NOW - MIN, by=by, why=why, **step)
    return question(state=state, history=(*asked.history, last), **more)
