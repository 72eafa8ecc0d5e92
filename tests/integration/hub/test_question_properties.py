"""Whatever happens to a question, in whatever order, through a real hub: one end, one typed answer at most,
and a history that explains both."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import event, given, note, settings
from hypothesis import strategies as st

from controlroom.core.questions import Judge
from controlroom.hub import question_deadlines
from controlroom.hub.errors import HubError
from controlroom.hub.store import question_rows
from controlroom.kit.clock import SystemClock
from controlroom.testing.fake_node import FakeNode, agent_state
from controlroom.wire.model import Item, MessageState
from controlroom.wire.node import Act, ActResult, AmendAct, SendAct
from controlroom.wire.question import AnswerQuestion, CloseQuestion, Question, SetPause
from tests.integration.hub.conftest import House
from tests.support.waiting import until

HOUR_MS = 3600_000
PEOPLE = ("host", "device:dev_1", "device:dev_2")


class MovedClock(SystemClock):
    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class HonestNode(FakeNode):
    """Types what it was handed when the test says so, and takes nothing back that was typed."""

    def __init__(self, clock: SystemClock) -> None:
        super().__init__(clock)
        self.ended: dict[str, str] = {}

    async def act(self, act: Act) -> ActResult:
        if isinstance(act, AmendAct):
            if act.message_id in self.ended:
                return ActResult(code="conflict", text="It is typed.")
            taken = await super().act(act)
            self.ended[act.message_id] = "cancelled"
            await self.progress(act.message_id, "cancelled")  # type: ignore[arg-type]  # as nodes tell it
            return taken
        return await super().act(act)

    def waiting(self, agent_id: str) -> list[SendAct]:
        return [
            act
            for act in self.taken.values()
            if isinstance(act, SendAct) and act.agent_id == agent_id and act.id not in self.ended
        ]

    async def end(self, act: SendAct, state: MessageState) -> None:
        self.ended[act.id] = state
        await self.progress(act.id, state, item_id=f"row-{act.id}" if state == "delivered" else None)


class World:
    """A hub that goes on from example to example; each has an agent of its own."""

    def __init__(self, folder: Path) -> None:
        self.house = House(folder)
        self.house.clock = MovedClock()
        self.node = HonestNode(self.house.clock)
        self.house.node, self.house.nodes = self.node, [self.node]
        self.count = 0
        self.requests = 0

    async def asked(self, block: str) -> str:
        """A new agent's question; returns the agent's id."""
        self.count += 1
        id = f"agt_{self.count}"
        await self.node.put(agent_state(id, name=id))
        await self.node.say(id, self.item(id, "question", block))
        await until(lambda: self.house.hub._questions.open(), "a card")

        async def is_there() -> bool:
            return any(one.agent_id == id for one in await self.house.hub._questions.open())

        await until(is_there, "its card")
        return id

    def item(self, agent_id: str, kind: str, text: str) -> Item:
        told = self.node.chats[self.node.agents[agent_id].chat_id]
        return Item(id=f"{agent_id}-{len(told)}", at_ms=self.house.clock.now_ms(), kind=kind, text=text)  # type: ignore[arg-type]  # a test's own word

    async def say(self, agent_id: str, kind: str, text: str) -> None:
        state = self.node.agents[agent_id]
        await self.node.say(agent_id, self.item(agent_id, kind, text))
        if not self.node.is_away:
            mark = self.node.agents[agent_id].mark
            await until(lambda: self.house.hub._chats._marks.get(state.chat_id) == mark)

    async def do(self, agent_id: str, id: str, event: tuple[str, ...]) -> None:
        """One event; what the hub refuses, it refuses in words."""
        questions = self.house.hub._questions
        self.requests += 1
        close = CloseQuestion(request_id=f"req_{self.requests}")
        try:
            match event:
                case ("answer", by, key):
                    await questions.answer(id, AnswerQuestion(request_id=close.request_id, option=key), by)
                case ("skip" | "dismiss" | "undo" | "reopen" as what, by):
                    await getattr(questions, what)(id, close, by)
                case ("judge", sure):
                    await questions.judge(
                        id, Judge(at_ms=self.house.clock.now_ms(), why="w", sure=sure == "yes")
                    )
                case ("terminal", said):
                    await self.say(agent_id, "user", said)
                case ("reply", said):
                    await self.say(agent_id, "question", said)
                case ("time",):
                    assert isinstance(self.house.clock, MovedClock)
                    self.house.clock.ahead_ms += HOUR_MS
                case ("pause", paused):
                    wish = SetPause(request_id=close.request_id, paused=paused == "yes")
                    await questions.set_paused(wish, "host")
                case ("type", state):
                    for act in self.node.waiting(agent_id)[:1]:
                        await self.node.end(act, state)  # type: ignore[arg-type]  # one of the states below
                case ("away", "yes"):
                    await self.node.go_away()
                case ("away", _):
                    await self.node.come_back()
                case ("restart",):
                    await self.house.restart()
        except HubError as error:
            assert error.code in ("conflict", "offline"), error
            assert error.text.endswith(".")

    async def settle(self, agent_id: str, ids: list[str]) -> list[Question]:
        """Let everything end: the machine is there, its agent types what waits, and all of it is known."""
        await self.node.come_back()
        await self.house.hub._questions.set_paused(
            SetPause(request_id=f"end_{self.requests}", paused=False), "host"
        )

        async def is_quiet() -> bool:
            for act in self.node.waiting(agent_id):
                await self.node.end(act, "delivered")
            rows = await self.house.store.read(lambda c: [question_rows.question_row(c, id) for id in ids])
            now = self.house.clock.now_ms()
            return not any(
                row is None
                or row.withdraw is not None
                or (row.due_ms is not None and row.due_ms <= now)
                or (row.log.typed is not None and row.log.typed.fate == "waiting")
                for row in rows
            )

        await until(is_quiet, "everything has ended")
        return [await self.house.hub._questions.get(id) for id in ids]


EVENTS = st.one_of(
    st.tuples(st.just("answer"), st.sampled_from([*PEOPLE, "chief"]), st.sampled_from(["1", "2"])),
    st.tuples(st.sampled_from(["skip", "dismiss", "undo", "undo", "reopen"]), st.sampled_from(PEOPLE)),
    st.tuples(st.just("judge"), st.sampled_from(["yes", "no"])),
    st.tuples(st.just("terminal"), st.sampled_from(["1", "No", "Let me think."])),
    st.tuples(
        st.just("reply"),
        st.sampled_from(
            [
                "Resolved for Founder: Shall the pears be picked?: It rains.",
                "Question for Founder: Shall the **pears** be picked?\n- Yes\n- No\nBlocking: yes",
            ]
        ),
    ),
    st.just(("time",)),
    st.tuples(st.just("pause"), st.sampled_from(["yes", "no"])),
    st.tuples(st.just("type"), st.sampled_from(["delivered", "delivered", "unconfirmed", "failed"])),
    st.tuples(st.just("away"), st.sampled_from(["yes", "no"])),
    st.just(("restart",)),
)


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def world(runner: asyncio.Runner) -> Iterator[World]:
    with tempfile.TemporaryDirectory(prefix="acr") as path, pytest.MonkeyPatch.context() as patch:
        patch.setattr(question_deadlines, "SLICE_S", 0.02)
        world = World(Path(path))
        runner.run(world.house.start())
        yield world
        runner.run(world.house.stop())


@settings(max_examples=40, deadline=None)
@given(st.lists(EVENTS, min_size=5, max_size=14), st.booleans())
def test_whatever_happens_to_a_question(
    runner: asyncio.Runner, world: World, events: list[tuple[str, ...]], blocking: bool
) -> None:
    runner.run(_play(world, events, blocking=blocking))


async def _play(world: World, events: list[tuple[str, ...]], *, blocking: bool) -> None:
    block = "Question for Founder: Shall the pears be picked?\n- Yes: today\n- No: later\n"
    block += "Default: I wait by 1 hour from now"
    agent_id = await world.asked(f"{block}\nBlocking: yes" if blocking else block)
    (first,) = [one for one in await world.house.hub._questions.open() if one.agent_id == agent_id]
    before = first.history
    for one in events:
        await world.do(agent_id, first.id, one)
        now = await world.house.hub._questions.get(first.id)
        assert now.history[: len(before)] == before, "no step is ever taken away"
        assert now.state == now.history[-1].state
        before = now.history
    page = await world.house.hub._questions.page(is_open=False, agent_id=agent_id, limit=200)
    for ended in await world.settle(agent_id, [one.id for one in page.questions]):
        _explains(world, ended)


def _explains(world: World, ended: Question) -> None:
    """The history accounts for the end and for all that the agent was told."""
    note(f"{ended.id} {[step.state for step in ended.history]}")
    event(f"ended {ended.state}, {len(ended.history)} steps")
    states = [step.state for step in ended.history]
    assert states[0] == "open" and states[-1] == ended.state
    assert (ended.state == "answered") == (ended.answer is not None)
    sent = {
        int(id.rpartition(":")[2]): act
        for id, act in world.node.taken.items()
        if id.startswith(f"{ended.id}:") and isinstance(act, SendAct)
    }
    typed = {number for number, act in sent.items() if world.node.ended.get(act.id) == "delivered"}
    for number, act in sent.items():
        step = ended.history[number]
        assert step.state in ("answered", "default", "skipped"), "nothing else is told"
        assert act.by == step.by
    assert sum(states[number] == "answered" for number in typed) <= 1, "one typed answer at most"
    assert states.count("default") <= 1
    if ended.blocking:
        assert "default" not in states
        assert not any(step.by in ("checker", "chief", "timer") for step in ended.history)
    if ended.answer is not None and ended.answer.delivery is not None:
        delivery = ended.answer.delivery
        assert delivery.state == world.node.ended[delivery.id]
