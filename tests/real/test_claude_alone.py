"""Claude Code and our model server, without the control room: the ground that the other tests stand on."""

from __future__ import annotations

import time

from controlroom.testing.fake_anthropic import FakeAnthropic, Text, ToolUse, usage_limit
from controlroom.testing.model_script import TOOL_RESULT, Gate
from tests.real.conftest import Desk
from tests.real.support.claude import EXECUTABLE
from tests.support.waiting import until


async def test_it_answers_a_prompt(desk: Desk, claude_model: FakeAnthropic) -> None:
    gate = Gate()
    claude_model.answer(gate, Text("Apples are ripe."), match="ripe")
    claude = await desk.claude()
    await claude.say("Are they ripe?")
    await gate.arrived()
    await claude.until_status("busy")
    gate.open()
    await claude.pane.until_text("Apples are ripe.")
    await claude.until_status("idle")
    await claude.until_typed("Are they ripe?")


async def test_it_asks_before_it_touches_a_file(desk: Desk, claude_model: FakeAnthropic) -> None:
    claude_model.answer(ToolUse("Bash", {"command": "touch picked", "description": "Pick"}), match="pick")
    claude_model.answer(Text("Picked."), match=TOOL_RESULT)
    claude = await desk.claude()
    await claude.say("pick one")
    await claude.until_status("waiting", "permission prompt")
    await claude.pane.until_text("Do you want to proceed?", "1. Yes")
    await claude.pane.choose("1", "Do you want to proceed?")
    await claude.until_status("idle")
    assert (claude.pane.folder / "picked").exists()


async def test_a_used_up_plan_makes_it_wait_by_itself(desk: Desk, claude_model: FakeAnthropic) -> None:
    claude_model.fail(usage_limit(int(time.time()) + 3600), match="go on")
    claude = await desk.claude(login="token")
    await claude.say("go on")
    await claude.pane.until_text("Usage limit reached", "Continuing automatically")
    await claude.until_status("idle")


async def test_it_leaves_no_registry_entry_when_it_quits(desk: Desk) -> None:
    claude = await desk.claude()
    await claude.say("/exit")
    await until(lambda: claude.pane.process(EXECUTABLE) is None, "Claude Code ends")
    assert list((claude.profile.folder / "sessions").glob("*.json")) == []
