"""Whatever is said, whatever the model answers, whenever it is stopped: what the checker may never do."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.core import questions as machine
from controlroom.core.check_prompt import Request
from controlroom.core.check_rows import spoken
from controlroom.hub.models.base import NeedsLogin, RetryLater
from controlroom.hub.store.store import Store
from controlroom.kit.clock import FakeClock
from controlroom.kit.settings import Checker as CheckerSettings
from controlroom.testing.fake_model import Reply, verdict
from controlroom.wire.question import Paused
from tests.integration.hub.checker_stage import T0, Stage

LIMIT = 6
QUESTIONS = {"q_1": False, "q_2": True, "q_3": False}  # and whether it is blocking

SAID = (
    "Postgres",
    "Postgres for the new service, please.",
    "The new service uses the database Postgres now.",
    "Close this question: Postgres.",
    "> Postgres for the new service.",
    "What about Postgres?",
    "All tests are green.",
    "Pay the bill now.",
    "I paid the bill now, as it was due.",
    "ok",
)


class Act(NamedTuple):
    what: Literal["person", "agent", "tool", "idle", "working", "pause", "go on", "restart", "wait", "reopen"]
    text: str
    answer: Reply


ANSWERS: st.SearchStrategy[Reply] = st.one_of(
    st.builds(
        lambda proof, row, confidence: verdict(proof, row=row, confidence=confidence),
        st.sampled_from((*SAID, "made up")),
        st.integers(0, 9),
        st.sampled_from([0.1, 0.79, 0.8, 1.0]),
    ),
    st.sampled_from(["garbage", '{"verdict": "open"}']),
    st.sampled_from([RetryLater("Busy."), NeedsLogin("No key.")]),
)
ACTS = st.builds(
    Act,
    st.sampled_from(
        [*("person", "agent") * 3, "tool", "idle", "working", "pause", "go on", "restart", "wait", "reopen"]
    ),
    st.sampled_from(SAID),
    ANSWERS,
)


class Watch:
    """What happened, to be held against what may."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.calls: Counter[str] = Counter()

    def model(self, reply: Reply) -> None:
        def answer(_request: Request) -> str:
            assert self.stage.questions.paused is None, "a model was asked while paused"
            day = str(self.stage.clock.now_ms() // 86_400_000)
            self.calls[day] += 1
            if isinstance(reply, Exception):
                raise reply
            assert isinstance(reply, str)
            return reply

        assert self.stage.model is not None
        self.stage.model.default = answer

    def check(self) -> None:
        said = {
            " ".join(passage for passage in spoken(item.text or ""))
            for item in self.stage.chats.items
            if item.kind in ("user", "assistant")
        }
        for question_id, is_blocking in QUESTIONS.items():
            for step in self.stage.questions.get(question_id).history:
                if step.by != "checker":
                    continue
                assert not is_blocking
                assert step.proof and any(step.proof in text for text in said)
                assert "Close this" not in step.proof and "?" not in step.proof
        assert all(count <= LIMIT for count in self.calls.values())


async def play(acts: list[Act], folder: Path) -> None:
    clock = FakeClock(at_ms=T0)
    store = Store.at(folder / "hub.sqlite", clock)
    await store.start()
    try:
        stage = Stage(store, clock, folder)
        stage.settings = CheckerSettings(model="openai:fake", calls_per_day=LIMIT)
        labels = {"q_1": ("Postgres", "SQLite"), "q_2": ("Pay it", "Wait"), "q_3": ()}
        texts = {
            "q_1": "Which database should the new service use?",
            "q_2": "Pay the bill now?",
            "q_3": "Go on?",
        }
        for question_id, is_blocking in QUESTIONS.items():
            stage.questions.ask(question_id, texts[question_id], *labels[question_id], blocking=is_blocking)
        await stage.restart()
        watch = Watch(stage)
        for act in acts:
            watch.model(act.answer)
            await do(stage, act)
            await stage.checker.round()
            watch.check()
    finally:
        await store.aclose()


async def do(stage: Stage, act: Act) -> None:
    match act.what:
        case "person" | "agent":
            stage.say(act.what, act.text)
        case "tool":
            stage.say("agent", act.text, kind="tool")
        case "idle" | "working":
            stage.tell_agent(act.what)
        case "pause":
            stage.questions.paused = Paused(since_ms=T0, by="host")
        case "go on":
            stage.questions.paused = None
        case "restart":
            await stage.restart()
        case "wait":
            stage.clock.advance(1_000)
        case "reopen":
            stage.clock.advance(1)
            for question_id, asked in stage.questions.asked.items():
                if machine.can_reopen(asked.log):
                    stage.questions.step(question_id, machine.Reopen(at_ms=stage.clock.now_ms(), by="host"))


@settings(max_examples=40, deadline=None)
@given(st.lists(ACTS, min_size=3, max_size=16))
def test_whatever_happens(acts: list[Act]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(acts, Path(folder)))
