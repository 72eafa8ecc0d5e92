"""The checker at work: it looks at open questions when their chats have moved, and judges them.

It sleeps until something happens: a chat with an open question got items, a question was asked or opened
again, an agent stopped working, the pause ended, a time to try again has come. A chat is judged when its
agent has come to rest, or when the person wrote last. What was judged is remembered on disk, for exactly that
state of the conversation, so nothing is paid for twice. What may close a question is decided by
``core.checker``, and whether it still can by ``core.questions``.

Without a model only the rules work: a normal state.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import structlog

from controlroom.core.check_rows import Row, position
from controlroom.core.checker import Card, Finding, by_rules, weigh, worth_asking
from controlroom.core.questions import Judge
from controlroom.hub.check_calls import Calls, Choose, Later
from controlroom.hub.check_reading import Reading, ReadsChats, card_of
from controlroom.hub.errors import HubError
from controlroom.hub.store import check_rows
from controlroom.hub.store.check_rows import Check
from controlroom.hub.store.store import Event, Store
from controlroom.kit.clock import Clock, wait_at_most
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Checker as CheckerSettings
from controlroom.wire.client import CheckerState
from controlroom.wire.codec import decode
from controlroom.wire.events import ChatItems
from controlroom.wire.model import Agent
from controlroom.wire.question import Question

_log = structlog.get_logger("checker")

RULES = "rules"
CHECKED = ("block", "command")  # what agents ask in words
AT_WORK = ("working", "starting")  # while only its helpers work, what it said stands
ROUND_S = 2.0  # between two rounds: a burst of items is one change
WORKING_S = 15.0  # while an agent works, its chat is looked at this often for words of the person
UNREADABLE_S = 60.0  # a chat that cannot be read now
AT_ONCE = 4  # calls of a model in one round


class OpenQuestions(Protocol):
    """What it needs of the questions."""

    async def open(self) -> tuple[Question, ...]: ...

    async def judge(self, question_id: str, verdict: Judge) -> Question:
        """Raises HubError when it cannot be judged any more."""

    @property
    def paused(self) -> object | None: ...


class Checker:
    """Subscribed to the store's events by its owner, who also supervises ``run``."""

    def __init__(
        self,
        *,
        store: Store,
        chats: ReadsChats,
        questions: OpenQuestions,
        agent: Callable[[str], Agent | None],
        settings: CheckerSettings,
        home: Path,
        clock: Clock,
        health: HealthBoard,
        choose: Choose | None = None,
    ) -> None:
        self._store = store
        self._reading = Reading(store, chats)
        self._questions = questions
        self._agent = agent
        self._settings = settings
        self._clock = clock
        self._calls = Calls(store, settings, home, clock, health, choose)
        self._wake = asyncio.Event()
        self._checks: dict[str, Check] = {}
        self._chats: set[str] = set()  # those that hold an open question
        self._moved: set[str] = set()  # those of them that have to be looked at
        self._looked: dict[str, float] = {}
        self._asked = 0  # calls of this round
        self._later: float | None = None  # the earliest time at which a question that waits may go on

    async def start(self) -> None:
        self._checks = await self._store.read(check_rows.all_checks)
        await self._store.change(check_rows.forget_old)
        await self._calls.start()

    def event(self, event: Event) -> None:
        """One event of the store: what concerns an open question wakes it."""
        match event.name:
            case "chat.items":
                self._move(decode(event.data, ChatItems).chat_id)
            case "question.changed":
                question = decode(event.data, Question)
                if question.state == "open" and question.source in CHECKED:
                    self._chats.add(question.chat_id)
                    self._move(question.chat_id)
            case "agent.changed":
                agent = decode(event.data, Agent)
                if agent.chat_id in self._moved and agent.activity not in AT_WORK:
                    self._wake.set()
            case "pause.changed":
                self._wake.set()

    def _move(self, chat_id: str) -> None:
        if chat_id in self._chats:
            self._moved.add(chat_id)
            self._wake.set()

    def state(self) -> CheckerState:
        """How it is, for people."""
        limit, calls = self._settings.calls_per_day, self._calls.today
        text = "A model looks at what the rules leave open."
        if not self._settings.model:
            text = "No model is configured: questions are closed by rules alone."
        elif self._calls.problem:
            text = self._calls.problem
        elif self._questions.paused is not None:
            text = "Paused: no model is asked."
        elif limit == 0:
            text = "No calls are allowed (checker.calls_per_day = 0): questions are closed by rules alone."
        elif calls >= limit:
            text = f"Today's {limit} calls are used up: until tomorrow only the rules work."
        return CheckerState(model=self._settings.model, text=text, calls_today=calls, calls_per_day=limit)

    # ---- the loop --------------------------------------------------------------------------------------

    async def run(self) -> None:
        await self.look_at_all()
        while True:
            await self._until_something_happens()
            self._wake.clear()
            await self.round()
            await asyncio.sleep(ROUND_S)

    async def look_at_all(self) -> None:
        """Whatever was said while we were not there."""
        self._chats = {question.chat_id for question in await self._open()}
        self._moved = set(self._chats)
        self._wake.set()

    async def _until_something_happens(self) -> None:
        pause = None if self._later is None else max(0.0, self._later - self._clock.monotonic())
        await wait_at_most(self._wake, pause)

    async def _open(self) -> list[Question]:
        """Dialogs are left out, they say themselves whether they still stand; and cards that stand for many
        questions, which no sentence answers together."""
        return [
            question
            for question in await self._questions.open()
            if question.state == "open" and question.source in CHECKED and not question.more
        ]

    async def round(self) -> None:
        """Judge what can be judged now."""
        self._later = None
        if self._questions.paused is not None:
            return
        moved, self._moved = self._moved, set()  # what happens from now on belongs to the next round
        by_chat: dict[str, list[Question]] = {}
        for question in await self._open():
            by_chat.setdefault(question.chat_id, []).append(question)
        self._chats = by_chat.keys() | self._moved
        self._looked = {chat: at for chat, at in self._looked.items() if chat in self._chats}
        self._asked = 0
        for chat_id in sorted(moved & by_chat.keys(), key=lambda chat: self._looked.get(chat, 0.0)):
            try:
                self._may_look(by_chat[chat_id][0])
            except Later as later:
                self._postpone(chat_id, later)
                continue
            self._looked[chat_id] = self._clock.monotonic()
            for question in by_chat[chat_id]:
                try:
                    await self._judge(question, by_chat[chat_id])
                except Later as later:
                    self._postpone(chat_id, later)

    def _postpone(self, chat_id: str, later: Later) -> None:
        self._moved.add(chat_id)
        if later.at is not None:
            self._later = later.at if self._later is None else min(self._later, later.at)

    def _works(self, question: Question) -> bool:
        agent = self._agent(question.agent_id)
        return agent is not None and agent.chat_id == question.chat_id and agent.activity in AT_WORK

    def _may_look(self, question: Question) -> None:
        """While an agent works only the person's words are waited for: not at each of its steps."""
        looked = self._looked.get(question.chat_id)
        if looked is not None and self._works(question) and self._clock.monotonic() < looked + WORKING_S:
            raise Later(looked + WORKING_S)

    # ---- one question ----------------------------------------------------------------------------------

    async def _judge(self, question: Question, together: Sequence[Question]) -> None:
        rows = await self._reading.since(question)
        if rows is None:
            raise Later(self._clock.monotonic() + UNREADABLE_S)
        if self._works(question) and not (rows and rows[-1].by == "person"):
            raise Later
        card = card_of(question)
        others = [card_of(other) for other in together if other.id != question.id]
        found, worth = await asyncio.to_thread(
            lambda: (by_rules(card, rows, others), worth_asking(card, rows))
        )
        at = position(worth)
        if not worth or self._is_known(question, at):
            return
        model = self._calls.model
        if model is None or (found is not None and found.sure):
            await self._tell(question, found, Check(at, RULES))
        else:
            await self._ask(question, card, rows, found, Check(at, model.name))

    def _is_known(self, question: Question, at: str) -> bool:
        """Whether it was judged in this state of its conversation, by the best that we have."""
        known = self._checks.get(question.id)
        return known is not None and known.position == at and (known.by != RULES or self._calls.model is None)

    async def _ask(
        self, question: Question, card: Card, rows: Sequence[Row], by_rule: Finding | None, check: Check
    ) -> None:
        """Judge by the model. What the rules found is told while it cannot be asked. Raises Later."""
        try:
            if self._asked >= AT_ONCE:  # what moved meanwhile comes first
                raise Later(self._clock.monotonic())
            self._asked += 1
            verdict = await self._calls.ask(question, rows, check.position)
        except Later:
            await self._tell(question, by_rule)
            raise
        if verdict is None:
            await self._tell(question, by_rule, check)
            return
        found = await asyncio.to_thread(weigh, card, rows, verdict, self._settings.confidence)
        if self._questions.paused is not None:
            raise Later
        if found is not None and found.sure and await self._reading.since(question) != rows:
            raise Later(self._clock.monotonic())  # something was said meanwhile
        result = "nothing" if found is None else "close" if found.sure else "looks answered"
        _log.info("judged", question=question.id, verdict=verdict.verdict, result=result)
        await self._tell(question, found, check)

    async def _tell(self, question: Question, found: Finding | None, check: Check | None = None) -> None:
        """Tell what was found, if it is new, and remember that it was (``check``)."""
        looks = question.looks_answered
        is_told = (
            looks is not None and found is not None and (looks.why, looks.proof) == (found.why, found.proof)
        )
        if found is not None and (found.sure or not is_told):
            verdict = Judge(at_ms=self._clock.now_ms(), why=found.why, sure=found.sure, proof=found.proof)
            try:
                await self._questions.judge(question.id, verdict)
            except HubError as error:  # somebody else was quicker: that stands
                _log.info("not judged", question=question.id, code=error.code)
        if check is not None:
            self._checks[question.id] = check
            await self._store.change(lambda change: check_rows.put_check(change, question.id, check))
