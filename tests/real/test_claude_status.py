"""What the fleet says of a real Claude Code while it works, asks, waits and is interrupted."""

from __future__ import annotations

import time

from controlroom.testing.fake_anthropic import FakeAnthropic, Text, ToolUse, usage_limit
from controlroom.testing.model_script import TOOL_RESULT, Gate
from tests.real.conftest import Desk
from tests.real.support.room import Room
from tests.support.waiting import until


async def test_a_whole_turn(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    """Idle, working, idle and finished; the chat and the screen show the same words."""
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    assert (agent.kind, agent.folder) == ("claude", str(claude.pane.folder))
    assert agent.session_id == claude.session_id
    gate = Gate()
    claude_model.answer(Text("I am looking."), gate, Text("Three are ripe."), match="ripe")
    await claude.say("How many are ripe?")
    await gate.arrived()
    working = await room.until_activity(claude.pane, "working")
    assert working.finished is None
    gate.open()
    done = await room.until(claude.pane, lambda agent: agent.finished)
    assert done.activity == "idle"
    assert done.finished is not None
    assert "Three are ripe." in done.finished.text

    fleet = await room.json("fleet")
    shown = next(entry for entry in fleet["agents"] if entry["id"] == agent.id)
    assert shown["activity"] == "idle"
    assert set(shown["evidence"]) >= {"rule", "source", "detail", "at_ms"}
    items = (await room.json("chat", agent.id))["items"]
    assert [item["text"] for item in items if item["kind"] == "user"] == ["How many are ripe?"]
    assert [item["text"] for item in items if item["kind"] == "assistant"][-1] == "Three are ripe."
    await claude.pane.until_text("Three are ripe.")  # the row in its file may come before
    screen = await room.json("screen", agent.id)
    assert any("Three are ripe." in row for row in screen["rows"])


async def test_a_permission_dialog_is_shown_whole_and_answered(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude_model.answer(ToolUse("Bash", {"command": "touch picked", "description": "Pick"}), match="pick")
    claude_model.answer(Text("Picked."), match=TOOL_RESULT)
    claude = await desk.claude()
    await claude.say("pick one")
    agent = await room.until_activity(claude.pane, "blocked")
    waiting = agent.waiting_for
    assert waiting is not None
    assert waiting.kind == "permission"
    assert "touch picked" in waiting.text
    labels = [option.label for option in waiting.options or ()]
    assert (labels[0], labels[-1]) == ("Yes", "No")
    assert any(option.risky for option in waiting.options or ())

    await room.run("answer", agent.id, "Yes", "--waiting-id", waiting.id)
    await room.until_said(agent.id, "Picked.")
    assert (claude.pane.folder / "picked").exists()
    await room.until_activity(claude.pane, "idle")


async def test_a_refusal_keeps_the_file_away(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    claude_model.answer(ToolUse("Bash", {"command": "touch picked", "description": "Pick"}), match="pick")
    claude = await desk.claude()
    await claude.say("pick one")
    agent = await room.until_activity(claude.pane, "blocked")
    assert agent.waiting_for is not None
    await room.answer(agent.id, agent.waiting_for.id, "No")
    await room.until_activity(claude.pane, "idle")
    assert not (claude.pane.folder / "picked").exists()

    async def states() -> bool:
        tools = [item.tool for item in await room.chat(agent.id) if item.tool is not None]
        return [tool.state for tool in tools] == ["refused"]

    await until(states, "the chat shows that it was refused")


FRUIT = {
    "question": "Which fruit?",
    "header": "Fruit",
    "multiSelect": False,
    "options": [
        {"label": "Apples", "description": "Red ones"},
        {"label": "Pears", "description": "Green ones"},
    ],
}
TOOLS = {
    "question": "Which tools?",
    "header": "Tools",
    "multiSelect": True,
    "options": [
        {"label": "Ladder", "description": "Tall"},
        {"label": "Basket", "description": "Wide"},
        {"label": "Gloves", "description": "Soft"},
    ],
}


async def _asks(desk: Desk, claude_model: FakeAnthropic, *questions: object):  # type: ignore[no-untyped-def]
    claude_model.answer(ToolUse("AskUserQuestion", {"questions": list(questions)}), match="ask me")
    claude_model.answer(Text("Thank you."), match=TOOL_RESULT)
    claude = await desk.claude()
    await claude.say("ask me")
    return claude


def _answers(claude_model: FakeAnthropic) -> str:
    return next(request.text for request in claude_model.requests if TOOL_RESULT in request.text)


async def test_a_question_with_one_choice(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    claude = await _asks(desk, claude_model, FRUIT)
    agent = await room.until_activity(claude.pane, "blocked")
    waiting = agent.waiting_for
    assert waiting is not None
    assert (waiting.kind, waiting.multi) == ("picker", False)
    assert "Which fruit?" in waiting.text
    assert [option.label for option in waiting.options or ()][:2] == ["Apples", "Pears"]
    await room.answer(agent.id, waiting.id, "Pears")
    await room.until_said(agent.id, "Thank you.")
    assert "Pears" in _answers(claude_model)
    assert "Apples" not in _answers(claude_model)


async def test_a_question_answered_in_own_words(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    claude = await _asks(desk, claude_model, FRUIT)
    agent = await room.until_activity(claude.pane, "blocked")
    assert agent.waiting_for is not None
    assert agent.waiting_for.free_text
    await room.answer(agent.id, agent.waiting_for.id, text="Quinces — 漢")
    await room.until_said(agent.id, "Thank you.")
    assert "Quinces — 漢" in _answers(claude_model)


async def test_a_question_with_several_choices(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    claude = await _asks(desk, claude_model, TOOLS)
    agent = await room.until_activity(claude.pane, "blocked")
    waiting = agent.waiting_for
    assert waiting is not None
    assert waiting.multi
    keys = {option.label: option.key for option in waiting.options or ()}
    await room.answer(agent.id, waiting.id, f"{keys['Ladder']},{keys['Gloves']}")
    review = await room.until(
        claude.pane, lambda agent: agent.waiting_for is not None and agent.waiting_for.id != waiting.id
    )
    assert review.waiting_for is not None
    assert "Ladder, Gloves" in review.waiting_for.text
    await room.answer(agent.id, review.waiting_for.id, "Submit answers")
    await room.until_said(agent.id, "Thank you.")
    answers = _answers(claude_model)
    assert "Ladder" in answers
    assert "Gloves" in answers
    assert "Basket" not in answers


async def test_a_plan_waits_for_approval(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    """Where the plan has to be written stands in the program's own rows."""
    claude = await desk.claude(mode="plan")
    agent = await room.until_activity(claude.pane, "idle")
    await room.json("send", agent.id, "hello", "--wait")
    await room.until_said(agent.id, "Understood.")
    await room.until_activity(claude.pane, "idle")
    attached = [row["attachment"] for row in claude.rows() if row.get("type") == "attachment"]
    path = next(entry["planFilePath"] for entry in attached if entry["type"] == "plan_mode")
    plan = ToolUse("Write", {"file_path": path, "content": "# Plan\n\nPick the ripe apples first.\n"})
    claude_model.answer(plan, match="plan it")
    claude_model.answer(ToolUse("ExitPlanMode", {}), match=TOOL_RESULT)
    await room.json("send", agent.id, "plan it", "--wait")
    blocked = await room.until_activity(claude.pane, "blocked")
    assert blocked.waiting_for is not None
    assert blocked.waiting_for.kind == "plan"
    assert "Pick the ripe apples first." in blocked.waiting_for.text
    manual = next(o for o in blocked.waiting_for.options or () if "manually" in o.label)
    await room.answer(agent.id, blocked.waiting_for.id, manual.key)
    await room.until_activity(claude.pane, "idle")


async def test_helpers_in_the_background(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    helper = Gate()
    errand = {"description": "Count", "prompt": "COUNT THE TREES", "subagent_type": "general-purpose"}
    claude_model.answer(helper, Text("Forty trees."), match="COUNT THE TREES$")
    claude_model.answer(ToolUse("Agent", errand), match="send someone")
    claude_model.answer(Text("Somebody is on the way."), match=TOOL_RESULT)
    claude_model.answer(Text("Forty, I hear."), match="task-notification")
    claude = await desk.claude()
    await claude.say("send someone")
    await helper.arrived()
    agent = await room.until_activity(claude.pane, "helpers")
    assert agent.helpers == 1
    assert agent.finished is None
    helper.open()
    await room.until_said(agent.id, "Forty, I hear.")
    await room.until(claude.pane, lambda agent: agent.activity == "idle" and agent.helpers == 0)
    items = await room.chat(agent.id)
    assert [item.text for item in items if item.kind == "user"] == ["send someone"]


async def test_waiting_for_a_usage_limit_is_not_blocked(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude_model.fail(usage_limit(int(time.time()) + 3600), match="go on")
    claude = await desk.claude(login="token")
    await claude.say("go on")
    await claude.pane.until_text("Usage limit reached", "Continuing automatically")
    agent = await room.until(claude.pane, lambda agent: agent.fault)
    assert agent.fault is not None
    assert (agent.fault.code, agent.waiting_for) == ("usage_limit", None)
    await room.until_activity(claude.pane, "idle")


async def test_the_choice_at_a_usage_limit_is_blocked(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude_model.fail(usage_limit(int(time.time()) + 3600), match="go on")
    claude = await desk.claude(login="token", settings={"autoContinueAtUsageLimit": False})
    await claude.say("go on")
    agent = await room.until_activity(claude.pane, "blocked")
    assert agent.waiting_for is not None
    assert agent.waiting_for.kind == "limit"
    assert "What do you want to do?" in agent.waiting_for.text


async def test_interrupting_ends_the_turn(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    gate = Gate()
    claude_model.answer(Text("One, two,"), gate, match="count")
    claude = await desk.claude()
    await claude.say("count")
    await gate.arrived()
    await claude.pane.until_text("● One, two,")  # before its first word it takes the prompt back
    agent = await room.until_activity(claude.pane, "working")
    await room.run("interrupt", agent.id)
    await room.until_activity(claude.pane, "idle")
    await until(lambda: claude_model.cut_off == 1, "the model hears that nobody listens")
    await room.until_said(agent.id, "Interrupted", "notice")
    items = await room.chat(agent.id)
    assert [item.text for item in items if item.kind == "user"] == ["count"]


async def test_interrupting_before_the_first_word_ends_the_turn(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    """It may take the prompt back into its composer; then no row says that the turn has ended."""
    gate = Gate()
    claude_model.answer(gate, Text("One, two,"), match="count")
    claude = await desk.claude()
    await claude.say("count")
    await gate.arrived()
    agent = await room.until_activity(claude.pane, "working")
    await room.run("interrupt", agent.id)
    await until(lambda: claude_model.cut_off == 1, "the model hears that nobody listens")
    rests = await room.until_activity(claude.pane, "idle")
    assert rests.finished is None
