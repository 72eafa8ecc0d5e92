"""The questions of the stub hub: open until somebody closes them, and refused after."""

from __future__ import annotations

from typing import Any

import msgspec

from controlroom.wire.client import Error
from controlroom.wire.question import (
    AnswerQuestion,
    AskQuestion,
    CloseQuestion,
    Paused,
    PauseState,
    Question,
    QuestionAnswer,
    QuestionDefault,
    Questions,
    QuestionState,
    QuestionStep,
    SetPause,
)
from tests.unit.cli.agents import NOW

STATES: dict[str, QuestionState] = {
    "skip": "skipped",
    "dismiss": "dismissed",
    "undo": "open",
    "reopen": "open",
}


class StubQuestions:
    """``known``: questions by id. ``course``: what a question becomes, one entry for each look that waits."""

    def __init__(self) -> None:
        self.known: dict[str, Question] = {}
        self.course: list[dict[str, Any]] = []
        self.paused: Paused | None = None

    def add(self, *questions: Question) -> None:
        self.known.update({question.id: question for question in questions})

    def pause(self, body: bytes) -> PauseState:
        wish = msgspec.json.decode(body, type=SetPause)
        self.paused = Paused(since_ms=NOW, by="host", why=wish.why) if wish.paused else None
        return PauseState(paused=self.paused)

    def answer(self, rest: list[str], body: bytes, query: dict[str, str]) -> object | None:
        match rest:
            case []:
                return self._ask(body) if body else self._page(query)
            case [one]:
                if query.get("wait") and one in self.known and self.course:
                    self.known[one] = msgspec.structs.replace(self.known[one], **self.course.pop(0))
                return self.known.get(one)
            case [one, act]:
                return self._act(self.known[one], act, body)
        return None

    def _page(self, query: dict[str, str]) -> Questions:
        found = [
            one
            for one in self.known.values()
            if (query["state"] == "all" or one.state == "open") and query.get("agent") in (None, one.agent_id)
        ]
        return Questions(questions=tuple(found), before="cur_1" if "limit" in query else None)

    def _ask(self, body: bytes) -> Question:
        asked = msgspec.json.decode(body, type=AskQuestion)
        default = None if asked.default is None else QuestionDefault(text=asked.default, said=asked.by)
        question = Question(
            id=asked.id,
            agent_id=asked.agent_id or "agt_1",
            chat_id="cht_1",
            state="open",
            source="command",
            question=asked.question,
            options=asked.options,
            multi=asked.multi,
            blocking=asked.blocking,
            asked_at_ms=NOW,
            history=(QuestionStep(state="open", at_ms=NOW, by="agent:agt_1", why="Asked."),),
            default=default,
        )
        return self.known.setdefault(asked.id, question)

    def _act(self, question: Question, act: str, body: bytes) -> object:
        if act in ("answer", "skip", "dismiss") and question.state != "open":
            return Error(code="conflict", text="It was answered by you with My phone already.")
        answer, state, why = None, STATES.get(act, "answered"), "Done."
        if act == "answer":
            said = msgspec.json.decode(body, type=AnswerQuestion)
            option = said.option if isinstance(said.option, str | None) else ", ".join(said.option)
            answer = QuestionAnswer(by="host", at_ms=NOW, option=option, text=said.text)
        else:
            why = msgspec.json.decode(body, type=CloseQuestion).why or why
        step = QuestionStep(state=state, at_ms=NOW, by="host", why=why)
        done = msgspec.structs.replace(
            question,
            state=state,
            answer=answer,
            history=(*question.history, step),
            undo_until_ms=None if state == "open" else 0,
        )
        self.known[question.id] = done
        return done
