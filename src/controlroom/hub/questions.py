"""Questions for the person: the cards of the Inbox and everything that is done to them.

What may happen to a question is decided by ``core.questions``; here its log is kept, one transaction for each
step, with whatever has to be typed because of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlroom.core import questions as machine
from controlroom.hub.errors import HubError
from controlroom.hub.nodes import Node
from controlroom.hub.store.store import Store
from controlroom.kit.clock import Clock
from controlroom.wire.node import AgentState
from controlroom.wire.question import (
    AnswerQuestion,
    AskQuestion,
    CloseQuestion,
    Paused,
    PauseState,
    Question,
    SetPause,
)
from controlroom.wire.question import Questions as QuestionPage


class Questions:
    """All questions of the fleet. Acts raise HubError: ``not_found``, ``bad_request``, ``not_allowed``, and
    ``conflict`` with the reason, which names who won."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    # ---- what there is ---------------------------------------------------------------------------------

    async def open(self) -> tuple[Question, ...]:
        """Those that wait: blocking ones, then the soonest default, then the oldest."""
        return ()

    async def page(
        self, *, is_open: bool, before: str | None = None, agent_id: str | None = None, limit: int = 50
    ) -> QuestionPage:
        """The open ones as they wait, or a page of all, the newest first."""
        return QuestionPage(questions=())

    async def get(self, question_id: str, *, wait_s: float = 0.0, by: str = "host") -> Question:
        """One question; with ``wait_s`` as soon as it is not open, or as it is after that time."""
        raise no_question(question_id)

    @property
    def paused(self) -> Paused | None:
        """Since when nothing happens by itself; None: it does."""
        return None

    # ---- what people do --------------------------------------------------------------------------------

    async def answer(self, question_id: str, body: AnswerQuestion, by: str) -> Question:
        """Answer it; the agent is told in one message. Of a picker: press its keys, now."""
        raise no_question(question_id)

    async def skip(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        raise no_question(question_id)

    async def dismiss(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        raise no_question(question_id)

    async def undo(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        raise no_question(question_id)

    async def reopen(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        raise no_question(question_id)

    async def file(self, body: AskQuestion, by: str) -> Question:
        """A question by command."""
        raise HubError("failed", "Questions cannot be asked by command yet.")

    async def set_paused(self, body: SetPause, by: str) -> PauseState:
        """Pause what happens by itself, or go on."""
        return PauseState(paused=None)

    # ---- what happens by itself ------------------------------------------------------------------------

    async def judge(self, question_id: str, verdict: machine.Judge) -> Question:
        """The checker's verdict."""
        raise no_question(question_id)

    def snapshot(self, node: Node, states: Sequence[AgentState]) -> None:
        """Pickers come and go with the dialogs of agents."""


def no_question(question_id: str) -> HubError:
    return HubError("not_found", f"There is no question {question_id[:80]}.")
