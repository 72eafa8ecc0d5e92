"""The Inbox of a real control room, as tests read it and act on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controlroom.client import CannotReach
from controlroom.kit.clock import new_id
from controlroom.wire.question import AnswerQuestion, CloseQuestion, Question
from tests.real.support.pane import AGENT_S
from tests.real.support.room import Room
from tests.support.waiting import until


class Inbox:
    """``open`` and ``all`` may be asked while the control room is away: then they are empty."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def all(self) -> tuple[Question, ...]:
        """The newest first."""
        try:
            async with self._room.hub() as hub:
                return (await hub.questions(state="all")).questions
        except CannotReach:
            return ()

    async def until(
        self, reached: Callable[[Question], object], what: str = "", within_s: float = AGENT_S
    ) -> Question:
        """The newest question of which ``reached`` is true, as soon as there is one."""
        seen: list[Question] = []

        async def look() -> Question | None:
            seen[:] = await self.all()
            return next((question for question in seen if reached(question)), None)

        try:
            question = await until(look, within_s=within_s)
        except AssertionError as error:
            raise AssertionError(f"no such question {what}; last seen: {seen}") from error
        assert question is not None
        return question

    async def until_asked(self, text: str) -> Question:
        """The open question with this text."""
        return await self.until(lambda card: card.state == "open" and card.question == text, text)

    async def until_closed(self, question_id: str, state: str) -> Question:
        return await self.until(
            lambda card: card.id == question_id and card.state == state, f"{question_id} {state}"
        )

    async def until_told(self, question_id: str) -> Question:
        """The question as soon as its answer stands in the agent's own file."""

        def told(card: Question) -> bool:
            if card.id != question_id or card.answer is None or card.answer.delivery is None:
                return False
            return card.answer.delivery.state == "delivered"

        return await self.until(told, f"{question_id} told")

    async def answer(
        self, question_id: str, option: str | Sequence[str] | None = None, text: str | None = None
    ) -> Question:
        given = option if option is None or isinstance(option, str) else tuple(option)
        body = AnswerQuestion(request_id=new_id("req"), option=given, text=text)
        async with self._room.hub() as hub:
            return await hub.answer_question(question_id, body)

    async def skip(self, question_id: str) -> Question:
        async with self._room.hub() as hub:
            return await hub.close_question(question_id, "skip", CloseQuestion(request_id=new_id("req")))
