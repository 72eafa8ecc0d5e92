"""The checker over a real store, with questions, chats and a model that a test writes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import msgspec

from controlroom.core import questions as machine
from controlroom.hub.check_calls import Choose
from controlroom.hub.checker import Checker
from controlroom.hub.errors import HubError
from controlroom.hub.store import message_rows
from controlroom.hub.store.store import Event, Store
from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.settings import Checker as CheckerSettings
from controlroom.testing.fake_model import FakeModel
from controlroom.wire.codec import encode
from controlroom.wire.events import ChatItems
from controlroom.wire.model import Agent, Evidence, Item, Items, Message
from controlroom.wire.question import LooksAnswered, Paused, Question, QuestionOption, QuestionStep

T0 = 1_796_000_000_000


class Asked(msgspec.Struct):
    """One question and its log."""

    question: Question
    log: machine.Log


class FakeQuestions:
    """Keeps logs with the real machine."""

    def __init__(self) -> None:
        self.asked: dict[str, Asked] = {}
        self.paused: Paused | None = None
        self.judged: list[tuple[str, machine.Judge]] = []
        self.opens = 0

    def ask(
        self, question_id: str, text: str, *labels: str, blocking: bool = False, source: str = "block"
    ) -> None:
        options = tuple(QuestionOption(key=str(at), label=label) for at, label in enumerate(labels, start=1))
        log = machine.ask(at_ms=T0, by="agent:agt_1", blocking=blocking, has_default=False)
        question = Question(
            id=question_id,
            agent_id="agt_1",
            chat_id="cht_1",
            state="open",
            source=source,  # type: ignore[arg-type] # of a test
            question=text,
            options=options,
            multi=False,
            blocking=blocking,
            asked_at_ms=T0,
            history=(),
            item_id="asked",
        )
        self.asked[question_id] = Asked(question, log)

    def get(self, question_id: str) -> Question:
        asked = self.asked[question_id]
        looks = asked.log.looks
        return msgspec.structs.replace(
            asked.question,
            state=asked.log.state,
            history=tuple(
                QuestionStep(state=step.state, at_ms=step.at_ms, by=step.by, why=step.why, proof=step.proof)
                for step in asked.log.steps
            ),
            looks_answered=None
            if looks is None
            else LooksAnswered(at_ms=looks.at_ms, why=looks.why, proof=looks.proof),
        )

    def step(self, question_id: str, event: machine.AnyEvent) -> None:
        asked = self.asked[question_id]
        outcome = machine.step(asked.log, event)
        if outcome.refusal is not None:
            raise HubError("conflict", outcome.refusal)
        asked.log = outcome.log

    async def open(self) -> tuple[Question, ...]:
        self.opens += 1
        return tuple(self.get(id_) for id_, asked in self.asked.items() if asked.log.state == "open")

    async def judge(self, question_id: str, verdict: machine.Judge) -> Question:
        self.judged.append((question_id, verdict))
        self.step(question_id, verdict)
        return self.get(question_id)


class FakeChats:
    """One chat, page by page."""

    def __init__(self) -> None:
        self.items: list[Item] = [Item(id="asked", at_ms=T0, kind="question", text="Which?")]
        self.refusal: HubError | None = None
        self.reads = 0

    async def page(self, chat_id: str, *, before: str | None, after: str | None, limit: int) -> Items:
        self.reads += 1
        if self.refusal is not None:
            raise self.refusal
        end = len(self.items) if before is None else int(before)
        start = max(0, end - limit)
        return Items(
            items=tuple(self.items[start:end]),
            before=str(start) if start else None,
            after="end",
            skipped=0,
        )


class Stage:
    """``restart`` makes the checker anew over the same database."""

    def __init__(self, store: Store, clock: FakeClock, home: Path) -> None:
        self.store = store
        self.clock = clock
        self.home = home
        self.health = HealthBoard(clock)
        self.questions = FakeQuestions()
        self.chats = FakeChats()
        self.model: FakeModel | None = FakeModel()
        self.activity = "idle"
        self.settings = CheckerSettings(model="openai:fake")
        self.checker: Checker
        self.choose: Choose = lambda _settings, _home: self.model
        self._ids = itertools.count(1)

    async def restart(self) -> None:
        self.checker = Checker(
            store=self.store,
            chats=self.chats,
            questions=self.questions,
            agent=self._agent,
            settings=self.settings,
            home=self.home,
            clock=self.clock,
            health=self.health,
            choose=self.choose,
        )
        await self.checker.start()
        await self.checker.look_at_all()

    def _agent(self, agent_id: str) -> Agent:
        return Agent(
            id=agent_id,
            chat_id="cht_1",
            name="orchard",
            kind="claude",
            machine_id="mac_1",
            activity=self.activity,  # type: ignore[arg-type] # of a test
            since_ms=T0,
            evidence=Evidence(rule="idle", source="registry", detail="", at_ms=T0),
            helpers=0,
            unread=0,
        )

    def say(self, by: str, text: str, kind: str | None = None) -> Item:
        """Something new in the chat."""
        self.clock.advance(1)
        item = Item(
            id=f"i{next(self._ids)}",
            at_ms=self.clock.now_ms(),
            kind=kind or ("user" if by == "person" else "assistant"),  # type: ignore[arg-type] # of a test
            text=text,
        )
        self.chats.items.append(item)
        self.moved()
        return item

    def moved(self) -> None:
        hint = ChatItems(chat_id="cht_1", agent_id="agt_1", after=None, count=1, last="")
        self.checker.event(Event(1, self.clock.now_ms(), "chat.items", encode(hint)))

    def tell_agent(self, activity: str) -> None:
        self.activity = activity
        self.checker.event(Event(1, self.clock.now_ms(), "agent.changed", encode(self._agent("agt_1"))))

    async def message(
        self, message_id: str, text: str, *, by: str = "host", state: str = "delivered", item_id: str | None
    ) -> None:
        """A message that the hub knows of."""
        now = self.clock.now_ms()
        message = Message(
            id=message_id,
            chat_id="cht_1",
            agent_id="agt_1",
            text=text,
            state=state,  # type: ignore[arg-type] # of a test
            when="idle",
            by=by,
            created_at_ms=now,
            changed_at_ms=now,
            item_id=item_id,
        )
        await self.store.change(lambda change: message_rows.add_message(change, message, "mac_1", ""))

    @property
    def asked(self) -> int:
        return 0 if self.model is None else len(self.model.requests)

    def state(self, question_id: str = "q_1") -> str:
        return self.questions.get(question_id).state

    def proofs(self, question_id: str = "q_1") -> Sequence[str | None]:
        return [step.proof for step in self.questions.get(question_id).history if step.by == "checker"]
