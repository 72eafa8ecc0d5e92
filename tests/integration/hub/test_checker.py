"""The checker at work: when it asks, what it closes, what it remembers."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from controlroom.core import questions as machine
from controlroom.core.check_prompt import Request
from controlroom.hub.errors import HubError
from controlroom.hub.models.base import NeedsLogin, NotPossible, RetryLater
from controlroom.hub.models.choose import choose
from controlroom.hub.store.store import Store
from controlroom.kit.clock import FakeClock
from controlroom.kit.settings import Checker as CheckerSettings
from controlroom.testing.fake_model import FakeModel, obedient, verdict
from controlroom.wire.question import Paused
from tests.integration.hub.checker_stage import T0, Stage
from tests.support.waiting import until

PROOF = "We know Postgres best, so that one."
HOSTILE = Path(__file__).parents[2] / "fixtures" / "checker" / "hostile.json"


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    clock = FakeClock(at_ms=T0)
    store = Store.at(tmp_path / "hub.sqlite", clock)
    await store.start()
    stage = Stage(store, clock, tmp_path)
    stage.questions.ask("q_1", "Which database should the new service use?", "Postgres", "SQLite")
    await stage.restart()
    yield stage
    await store.aclose()


def model(stage: Stage) -> FakeModel:
    assert stage.model is not None
    return stage.model


async def test_it_closes_with_the_sentence_that_proves_it(stage: Stage) -> None:
    stage.say("agent", "The schema is ready.")
    stage.say("person", PROOF)
    model(stage).answers = [verdict(PROOF, row=2)]
    await stage.checker.round()
    assert stage.state() == "resolved"
    assert stage.proofs() == [PROOF]


async def test_the_rules_come_first_and_cost_nothing(stage: Stage) -> None:
    stage.say("person", "Postgres, please.")
    await stage.checker.round()
    assert (stage.state(), stage.asked) == ("resolved", 0)


async def test_below_the_confidence_it_only_looks_answered(stage: Stage) -> None:
    stage.say("person", PROOF)
    model(stage).answers = [verdict(PROOF, confidence=0.5)]
    await stage.checker.round()
    question = stage.questions.get("q_1")
    assert question.state == "open"
    assert question.looks_answered is not None and question.looks_answered.proof == PROOF


async def test_a_blocking_question_is_never_closed(stage: Stage) -> None:
    stage.questions.asked.clear()
    stage.questions.ask("q_2", "Pay the bill now?", "Pay it", "Wait", blocking=True)
    stage.say("person", "Pay it, we had it in the budget.")
    model(stage).answers = [verdict("Pay it, we had it in the budget.", confidence=1.0)]
    await stage.restart()
    await stage.checker.round()
    question = stage.questions.get("q_2")
    assert question.state == "open" and question.looks_answered is not None


async def test_only_words_of_the_two_are_sent(stage: Stage) -> None:
    stage.say("agent", "out: token=secret-1", kind="tool")
    stage.say("agent", "I think of secret-2", kind="thinking")
    stage.say("agent", "helper: secret-3", kind="helper")
    stage.say("agent", "notice: secret-4", kind="notice")
    stage.say("agent", "agent two says secret-5", kind="message")
    stage.say("person", "What is `secret-6`?\n> secret-7 is quoted")
    await stage.checker.round()
    text = model(stage).requests[0].text
    assert "What is" in text and [n for n in range(1, 6) if f"secret-{n}" in text] == []
    assert "secret-7" not in text


# ---- once for each state -----------------------------------------------------------------------------------


async def test_the_same_conversation_is_judged_once_over_restarts_too(stage: Stage) -> None:
    stage.say("person", "Let me think about Postgres.")
    await stage.checker.round()
    stage.moved()
    await stage.checker.round()
    await stage.restart()
    await stage.checker.round()
    assert stage.asked == 1
    stage.say("person", "I slept over it.")
    await stage.checker.round()
    assert stage.asked == 2


async def test_replies_about_other_things_change_nothing(stage: Stage) -> None:
    stage.say("person", "Let me think about Postgres.")
    await stage.checker.round()
    stage.say("agent", "The tests are green.")
    await stage.checker.round()
    assert stage.asked == 1


async def test_replies_alone_that_cannot_settle_it_cost_nothing(stage: Stage) -> None:
    stage.say("agent", "The tests are green.")
    await stage.checker.round()
    assert stage.asked == 0


async def test_what_closed_it_once_does_not_close_it_again(stage: Stage) -> None:
    stage.say("person", PROOF)
    model(stage).default = verdict(PROOF)
    await stage.checker.round()
    stage.clock.advance(60)
    stage.questions.step("q_1", machine.Reopen(at_ms=stage.clock.now_ms(), by="host"))
    await stage.restart()
    await stage.checker.round()
    assert (stage.state(), stage.asked) == ("open", 1)
    stage.say("person", "It stays Postgres, sorry for the noise.")
    model(stage).default = verdict("It stays Postgres, sorry for the noise.")
    await stage.checker.round()
    assert stage.state() == "resolved"


# ---- when --------------------------------------------------------------------------------------------------


async def test_an_agent_that_works_is_waited_for(stage: Stage) -> None:
    stage.activity = "working"
    stage.say("agent", "I use Postgres for the service from now on.")
    await stage.checker.round()
    assert stage.asked == 0
    stage.tell_agent("idle")
    await stage.checker.round()
    assert stage.asked == 1


async def test_the_person_is_not_waited_for(stage: Stage) -> None:
    stage.activity = "working"
    stage.say("person", PROOF)
    model(stage).answers = [verdict(PROOF)]
    await stage.checker.round()
    assert stage.state() == "resolved"


async def test_each_step_of_an_agent_at_work_is_not_looked_at(stage: Stage) -> None:
    stage.activity = "working"
    for _ in range(20):
        stage.say("agent", "A step.", kind="tool")
        await stage.checker.round()
    assert stage.chats.reads <= 3


async def test_while_paused_nothing_happens(stage: Stage) -> None:
    stage.questions.paused = Paused(since_ms=T0, by="host")
    stage.say("person", "Postgres")
    await stage.checker.round()
    assert (stage.state(), stage.asked, stage.chats.reads) == ("open", 0, 0)
    assert stage.checker.state().text == "Paused: no model is asked."
    stage.questions.paused = None
    await stage.checker.round()
    assert stage.state() == "resolved"


async def test_a_pause_that_comes_during_a_call_stops_it_from_closing(stage: Stage) -> None:
    def pause(_request: Request) -> str:
        stage.questions.paused = Paused(since_ms=T0, by="host")
        return verdict(PROOF)

    stage.say("person", PROOF)
    model(stage).answers = [pause]
    await stage.checker.round()
    assert stage.state() == "open"


async def test_what_is_said_during_a_call_is_heard(stage: Stage) -> None:
    def meanwhile(_request: Request) -> str:
        stage.say("person", "No wait, keep that open.")
        return verdict(PROOF)

    stage.say("person", PROOF)
    model(stage).answers = [meanwhile, verdict("", kind="open")]
    await stage.checker.round()
    assert stage.state() == "open"
    await stage.checker.round()
    assert (stage.state(), stage.asked) == ("open", 2)


async def test_who_is_quicker_wins(stage: Stage) -> None:
    def answered(_request: Request) -> str:
        stage.questions.step("q_1", machine.Answer(at_ms=T0, by="device:dev_1", option="2"))
        return verdict(PROOF)

    stage.say("person", PROOF)
    model(stage).answers = [answered]
    await stage.checker.round()
    assert stage.state() == "answered"


async def test_dialogs_are_left_alone(stage: Stage) -> None:
    stage.questions.asked.clear()
    stage.questions.ask("q_2", "Which one?", "Postgres", "SQLite", source="picker")
    await stage.restart()
    stage.say("person", "Postgres")
    await stage.checker.round()
    assert stage.state("q_2") == "open"


async def test_a_chat_that_cannot_be_read_is_read_later(stage: Stage) -> None:
    stage.chats.refusal = HubError("not_found", "Its history is missing.")
    stage.say("person", "Postgres")
    await stage.checker.round()
    stage.chats.refusal = None
    await stage.checker.round()
    assert stage.state() == "resolved"


async def test_it_sleeps_until_something_happens(stage: Stage) -> None:
    loop = asyncio.get_running_loop().create_task(stage.checker.run())
    try:
        await until(lambda: stage.questions.opens >= 2)
        before = stage.questions.opens
        for _ in range(200):
            await asyncio.sleep(0)
        assert stage.questions.opens == before
        stage.say("person", "Postgres")
        await until(lambda: stage.state() == "resolved")
    finally:
        loop.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loop


# ---- whose words -------------------------------------------------------------------------------------------


async def test_what_we_typed_is_not_the_persons(stage: Stage) -> None:
    text = 'Answer to your question "Which of Postgres and SQLite is faster?": Postgres'
    item = stage.say("person", text)
    await stage.message("q_9:1", text, item_id=item.id)
    unproven = stage.say("person", "Postgres")
    await stage.message("q_9:2", "Postgres", state="unconfirmed", item_id=None)
    by_agent = stage.say("person", "SQLite")
    await stage.message("msg_1", "SQLite", by="agent:agt_2", item_id=by_agent.id)
    await stage.checker.round()
    assert (stage.state(), stage.asked, unproven.text) == ("open", 0, "Postgres")


async def test_what_a_person_sent_from_a_phone_is(stage: Stage) -> None:
    item = stage.say("person", "Postgres")
    await stage.message("msg_1", "Postgres", by="device:dev_1", item_id=item.id)
    await stage.checker.round()
    assert stage.state() == "resolved"


class Attack(msgspec.Struct):
    name: str
    by: str
    text: str
    proof: str
    about: str = "database"


ATTACKS = msgspec.json.decode(HOSTILE.read_bytes(), type=list[Attack])


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
async def test_a_model_that_obeys_closes_nothing(stage: Stage, attack: Attack) -> None:
    stage.settings = CheckerSettings(model="openai:fake", confidence=0.5)
    await stage.restart()
    stage.say(attack.by, attack.text)
    model(stage).answers = [verdict(attack.proof, confidence=1.0)]
    model(stage).default = obedient
    for _ in range(3):
        stage.moved()
        await stage.checker.round()
        stage.clock.advance(60)
        stage.say("agent", "I go on with the new service.")
    assert stage.state() == "open"


# ---- no model, no calls left, trouble ----------------------------------------------------------------------


async def test_no_model_is_a_normal_state(stage: Stage) -> None:
    stage.model, stage.settings = None, CheckerSettings()
    await stage.restart()
    assert stage.checker.state().text == "No model is configured: questions are closed by rules alone."
    stage.say("agent", "I went with Postgres for now.")
    await stage.checker.round()
    await stage.checker.round()
    assert stage.state() == "open" and len(stage.questions.judged) == 1
    assert stage.questions.get("q_1").looks_answered is not None
    stage.say("person", "Postgres")
    await stage.checker.round()
    assert (stage.state(), stage.health.items) == ("resolved", ())


async def test_a_model_that_comes_later_looks_again(stage: Stage) -> None:
    kept, stage.model = stage.model, None
    await stage.restart()
    stage.say("person", PROOF)
    await stage.checker.round()
    stage.model = kept
    model(stage).answers = [verdict(PROOF)]
    await stage.restart()
    await stage.checker.round()
    assert stage.state() == "resolved"


async def test_the_days_calls_are_counted_on_disk(stage: Stage) -> None:
    stage.settings = CheckerSettings(model="openai:fake", calls_per_day=2)
    for number in range(2, 6):
        stage.questions.ask(f"q_{number}", f"What about thing number {number}?")
    await stage.restart()
    stage.say("person", "Hm, let me see.")
    for _ in range(3):
        await stage.checker.round()
    assert stage.asked == 2
    await stage.restart()
    await stage.checker.round()
    assert stage.asked == 2
    state = stage.checker.state()
    assert (state.calls_today, state.calls_per_day) == (2, 2) and "used up" in state.text
    assert stage.health.items == ()
    stage.clock.advance(86_400)
    await stage.checker.round()
    assert (stage.asked, stage.checker.state().calls_today) == (4, 2)


async def test_no_calls_allowed_is_not_used_up(stage: Stage) -> None:
    stage.settings = CheckerSettings(model="openai:fake", calls_per_day=0)
    await stage.restart()
    stage.say("person", "Hm.")
    await stage.checker.round()
    assert stage.asked == 0 and "calls_per_day = 0" in stage.checker.state().text


async def test_a_crash_during_a_call_cannot_overspend(stage: Stage) -> None:
    stage.settings = CheckerSettings(model="openai:fake", calls_per_day=1)

    def crash(_request: Request) -> str:
        raise RuntimeError("killed")

    model(stage).default = crash
    await stage.restart()
    stage.say("person", "Hm.")
    with pytest.raises(RuntimeError):
        await stage.checker.round()
    await stage.restart()
    await stage.checker.round()
    assert stage.asked == 1


async def test_a_few_calls_at_once_then_others_have_their_turn(stage: Stage) -> None:
    for number in range(2, 12):
        stage.questions.ask(f"q_{number}", f"What about thing number {number}?")
    await stage.restart()
    stage.say("person", "Hm.")
    await stage.checker.round()
    first = stage.asked
    assert 0 < first < 11
    for _ in range(5):
        await stage.checker.round()
    assert stage.asked == 11


async def test_a_busy_model_is_left_alone_for_longer_each_time(stage: Stage) -> None:
    model(stage).default = RetryLater("Busy.")
    stage.say("person", "I went for Postgres I think.")
    times = []
    for _ in range(400):
        before = stage.asked
        await stage.checker.round()
        if stage.asked > before:
            times.append(stage.clock.monotonic())
        stage.clock.advance(10)
    pauses = [int(later - earlier) for earlier, later in itertools.pairwise(times)]
    assert pauses == [30, 60, 120, 240, 480, 960, 1920]
    assert [item.code for item in stage.health.items] == ["checker"]
    model(stage).default = verdict("", kind="open")
    stage.clock.advance(3600)
    await stage.checker.round()
    assert stage.health.items == ()


async def test_a_pause_that_the_model_asks_for_is_kept(stage: Stage) -> None:
    model(stage).answers = [RetryLater("Busy.", 500.0)]
    stage.say("person", "Hm.")
    await stage.checker.round()
    stage.clock.advance(499)
    await stage.checker.round()
    assert stage.asked == 1
    stage.clock.advance(2)
    await stage.checker.round()
    assert stage.asked == 2


@pytest.mark.parametrize("error", [NeedsLogin("The key is refused."), NotPossible("No such model.")])
async def test_what_only_a_person_can_help_is_told_at_once(stage: Stage, error: Exception) -> None:
    assert isinstance(error, NeedsLogin | NotPossible)
    model(stage).answers = [error]
    stage.say("person", "I took Postgres, I guess.")
    await stage.checker.round()
    assert error.text in stage.health.items[0].title
    assert stage.checker.state().text == error.text
    assert stage.questions.get("q_1").looks_answered is not None  # the rules go on


async def test_settings_that_cannot_work_are_told_and_the_rules_go_on(stage: Stage) -> None:
    stage.settings = CheckerSettings(model="openai:x", url="http://192.168.1.5/v1")
    stage.choose = choose
    await stage.restart()
    assert "in the clear" in stage.health.items[0].title
    stage.say("person", "Postgres")
    await stage.checker.round()
    assert stage.state() == "resolved"


async def test_garbage_is_asked_once_more_and_then_left(stage: Stage) -> None:
    model(stage).default = "The question is answered, close it!"
    stage.say("person", "Hm.")
    for _ in range(6):
        await stage.checker.round()
        stage.clock.advance(60)
    assert (stage.state(), stage.asked, stage.health.items) == ("open", 2, ())
