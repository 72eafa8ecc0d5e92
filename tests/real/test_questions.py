"""Real agents ask by block and by command, and get the answers: checked in what their model is sent."""

from __future__ import annotations

import shlex

import pytest

from controlroom.client import Refused
from controlroom.testing.fake_anthropic import FakeAnthropic, Text, ToolUse
from controlroom.testing.fake_openai import FakeOpenAI, Say
from controlroom.testing.model_script import TOOL_RESULT, Gate
from tests.real.conftest import Desk
from tests.real.support.claude import Claude
from tests.real.support.codex import Codex
from tests.real.support.inbox import Inbox
from tests.real.support.room import LAUNCHER, Room
from tests.support.waiting import until

ASKS = "Which bed gets the beans?"
BLOCK = f"""\
The seeds are here.

Question for Founder: {ASKS}
- North bed: morning sun, but cold nights (recommended)
- South bed, the dry one: needs water: every day
Default: North bed by tomorrow 09:00
Context: It rained."""
QUOTED = f"The form is:\n\n```\n{BLOCK}\n```\n\nThat is all."

Agent = Claude | Codex
Model = FakeAnthropic | FakeOpenAI


@pytest.fixture
def inbox(room: Room) -> Inbox:
    return Inbox(room)


@pytest.fixture(params=["claude", "codex"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def model(kind: str, claude_model: FakeAnthropic, codex_model: FakeOpenAI) -> Model:
    return claude_model if kind == "claude" else codex_model


@pytest.fixture
async def agent(kind: str, desk: Desk, room: Room, model: Model) -> Agent:
    """An agent at its prompt that the control room knows."""
    agent: Agent = await (desk.claude() if kind == "claude" else desk.codex())
    await room.until_activity(agent.pane, "idle")
    return agent


def replies(model: Model, text: str, *, match: str, gate: Gate | None = None) -> None:
    """What the model says to the next message that fits."""
    if isinstance(model, FakeAnthropic):
        model.answer(*([gate] if gate else []), Text(text), match=match)
    else:
        model.answer(*([gate] if gate else []), Say(text), match=match)


def sent(model: Model, begin: str) -> list[str]:
    """The messages that reached the model and begin so."""
    return [request.text for request in model.requests if request.text.startswith(begin)]


async def test_a_block_is_asked_and_answered(agent: Agent, model: Model, room: Room, inbox: Inbox) -> None:
    """Option and note arrive in one message that names the question."""
    replies(model, BLOCK, match="plan the beds")
    replies(model, "South it is.", match="^Answer to your question")
    await agent.say("plan the beds")
    card = await inbox.until_asked(ASKS)
    asks = await room.until_activity(agent.pane, "question")
    assert (card.agent_id, card.source, card.blocking, card.problem) == (asks.id, "block", False, None)
    assert [(one.label, one.what, one.recommended) for one in card.options] == [
        ("North bed", "morning sun, but cold nights", True),
        ("South bed, the dry one", "needs water: every day", False),
    ]
    assert card.default is not None and card.default.due_at_ms is not None
    assert card.context == "It rained."

    await room.run("answer", card.id, "South bed, the dry one", "--text", "But “not” before noon: it's hot.")
    await room.until_said(asks.id, "South it is.")
    told = await inbox.until_told(card.id)
    expected = (
        f'Answer to your question "{ASKS}": South bed, the dry one. Note: But “not” before noon: it\'s hot.'
    )
    assert sent(model, "Answer to") == [expected]
    assert told.answer is not None and told.answer.option == "2"
    with pytest.raises(Refused) as late:
        await inbox.answer(card.id, "North bed")
    assert late.value.code == "conflict" and "already" in str(late.value)
    assert agent.typed() == ["plan the beds", expected]


async def test_a_busy_agent_gets_the_answer_when_its_turn_ends_and_the_hub_may_die_meanwhile(
    agent: Agent, model: Model, room: Room, inbox: Inbox
) -> None:
    gate = Gate()
    replies(model, BLOCK, match="plan the beds")
    replies(model, "Weeded.", match="weed the path", gate=gate)
    await agent.say("plan the beds")
    card = await inbox.until_asked(ASKS)
    await room.until_activity(agent.pane, "question")
    await agent.say("weed the path")
    await gate.arrived()
    await room.until_activity(agent.pane, "working")
    answered = await inbox.answer(card.id, "1")
    assert answered.state == "answered" and answered.undo_until_ms == 0
    await room.kill()
    gate.open()
    await room.start()
    await inbox.until_told(card.id)
    expected = f'Answer to your question "{ASKS}": North bed'
    await agent.until_typed("plan the beds", "weed the path", expected)
    await until(lambda: sent(model, "Answer to") == [expected], "the model is told once")


async def test_killed_right_after_the_answer_nothing_is_typed_twice(
    agent: Agent, model: Model, room: Room, inbox: Inbox
) -> None:
    replies(model, BLOCK, match="plan the beds")
    await agent.say("plan the beds")
    card = await inbox.until_asked(ASKS)
    await room.until_activity(agent.pane, "question")
    await inbox.answer(card.id, "2")
    await room.kill()
    await room.start()
    await inbox.until_told(card.id)
    expected = f'Answer to your question "{ASKS}": South bed, the dry one'
    await agent.until_typed("plan the beds", expected)
    await room.until_said(card.agent_id, "Understood.")
    assert sent(model, "Answer to") == [expected]


async def test_nobody_answers_and_the_agent_uses_its_default(
    agent: Agent, model: Model, room: Room, inbox: Inbox
) -> None:
    replies(model, BLOCK.replace("tomorrow 09:00", "10 seconds"), match="plan the beds")
    replies(model, "North it is.", match="Use your default: North bed")
    await agent.say("plan the beds")
    card = await inbox.until(lambda card: card.question == ASKS and card.state == "default")
    await room.until_said(card.agent_id, "North it is.")
    assert card.history[-1].by == "timer"
    assert len(sent(model, "Nobody answered your question")) == 1


async def test_a_skip_is_no_approval(agent: Agent, model: Model, room: Room, inbox: Inbox) -> None:
    replies(model, BLOCK, match="plan the beds")
    replies(model, "Then I wait.", match="nobody decided it, and this is no approval")
    await agent.say("plan the beds")
    card = await inbox.until_asked(ASKS)
    await room.run("skip", card.id)
    await room.until_said(card.agent_id, "Then I wait.")
    assert (await inbox.until_closed(card.id, "skipped")).history[-1].by == "host"


async def test_typed_in_the_terminal_it_is_answered(
    agent: Agent, model: Model, room: Room, inbox: Inbox
) -> None:
    replies(model, BLOCK, match="plan the beds")
    await agent.say("plan the beds")
    card = await inbox.until_asked(ASKS)
    await room.until_activity(agent.pane, "question")
    await agent.say("North bed")
    answered = await inbox.until_closed(card.id, "answered")
    assert answered.answer is not None and answered.answer.option == "1"
    await room.until_said(card.agent_id, "Understood.")
    assert agent.typed() == ["plan the beds", "North bed"]


async def test_asked_again_and_then_settled(agent: Agent, model: Model, room: Room, inbox: Inbox) -> None:
    replies(model, BLOCK, match="plan the beds")
    replies(model, BLOCK.replace("It rained", "It rained twice"), match="once more")
    replies(model, f"Resolved for Founder: {ASKS}: The north bed flooded.", match="look out")
    await agent.say("plan the beds")
    first = await inbox.until_asked(ASKS)
    await room.until_activity(agent.pane, "question")
    await agent.say("once more")
    second = await inbox.until(lambda card: card.replaces == first.id)
    replaced = await inbox.until_closed(first.id, "superseded")
    assert replaced.superseded_by == second.id
    await room.until_activity(agent.pane, "question")
    await agent.say("look out")
    settled = await inbox.until_closed(second.id, "resolved")
    assert settled.history[-1].why == "The north bed flooded."
    assert sent(model, "Answer") == []


async def test_a_malformed_block_is_a_card_and_the_agent_is_told_once(
    agent: Agent, model: Model, room: Room, inbox: Inbox
) -> None:
    replies(model, "Question for Founder: North or south?", match="plan the beds")
    replies(model, "Question for Founder: Beans or peas?", match="and the seeds")
    replies(model, "I see.", match="its form was not right")
    await agent.say("plan the beds")
    card = await inbox.until_asked("North or south?")
    assert card.problem is not None and "no options" in card.problem
    assert card.raw == "Question for Founder: North or south?"
    await room.until_said(card.agent_id, "I see.")
    await room.until_activity(agent.pane, "idle")
    await agent.say("and the seeds")
    await inbox.until_asked("Beans or peas?")
    await room.run("send", card.agent_id, "and now rest", "--wait")
    await until(lambda: len(sent(model, "and now rest")) == 1, "what is typed last has arrived")
    assert sum("its form was not right" in text for text in agent.typed()) == 1


async def test_a_quoted_block_asks_nothing(agent: Agent, model: Model, room: Room, inbox: Inbox) -> None:
    replies(model, QUOTED, match="show the form")
    replies(model, BLOCK, match="plan the beds")
    await agent.say("show the form")
    await room.until_activity(agent.pane, "idle")
    await agent.say("plan the beds")
    await inbox.until_asked(ASKS)
    assert len(await inbox.all()) == 1


async def test_a_command_of_the_agent_waits_for_the_answer(
    desk: Desk, room: Room, inbox: Inbox, claude_model: FakeAnthropic
) -> None:
    words = [str(LAUNCHER), "--home", str(room.data), "ask", ASKS]
    words += ["-o", "North bed: sun", "-o", "South bed: dry", "--blocking", "--wait"]
    command = shlex.join(words)
    claude_model.answer(ToolUse("Bash", {"command": command, "description": "Ask"}), match="ask for me")
    claude_model.answer(Text("South, then."), match=f"{TOOL_RESULT}.*South bed")
    claude = await desk.claude(settings={"permissions": {"allow": ["Bash"]}})
    found = await room.until_activity(claude.pane, "idle")
    await claude.say("ask for me")
    card = await inbox.until_asked(ASKS)
    assert (card.agent_id, card.source, card.blocking) == (found.id, "command", True)
    await inbox.answer(card.id, "South bed", "and soon")
    await room.until_said(found.id, "South, then.")
    results = [request.text for request in claude_model.requests if "South bed" in request.text]
    assert any("and soon" in text for text in results)
    await room.until_activity(claude.pane, "idle")
    assert claude.typed() == ["ask for me"]
