"""Keys are pressed only on what was seen, and an agent cannot act through the control room on others."""

from __future__ import annotations

import shlex

from controlroom.testing.fake_anthropic import FakeAnthropic, Text, ToolUse
from controlroom.testing.model_script import TOOL_RESULT
from tests.real.conftest import Desk
from tests.real.support.room import LAUNCHER, Room
from tests.support.waiting import until


async def test_keys_reach_the_composer(desk: Desk, room: Room) -> None:
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    await room.run("keys", agent.id, *"hello", "Enter")
    await claude.until_typed("hello")


async def test_keys_at_a_dialog_need_the_screen_that_was_seen(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude_model.answer(ToolUse("Bash", {"command": "touch picked", "description": "Pick"}), match="pick")
    claude = await desk.claude()
    await claude.say("pick one")
    agent = await room.until_activity(claude.pane, "blocked")
    assert await room.refusal("keys", agent.id, "1") == "changed"
    assert await room.refusal("keys", agent.id, "1", "--seen-revision", "of-another-screen") == "changed"
    assert not (claude.pane.folder / "picked").exists()

    async def pressed() -> bool:
        """The program's logo moves for a while after its start, and with it the screen."""
        seen = (await room.json("screen", agent.id))["revision"]
        async with room.hub() as hub:
            fleet = await hub.fleet()
        if next(found for found in fleet.agents if found.id == agent.id).waiting_for is None:
            return True
        try:
            await room.run("keys", agent.id, "Escape", "--seen-revision", seen)
        except AssertionError:
            return False
        return False

    await until(pressed, "the dialog is left by Escape", within_s=60, step_s=0.5)
    await room.until_activity(claude.pane, "idle")
    assert not (claude.pane.folder / "picked").exists()


async def test_an_agent_may_read_but_not_act(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    """A command that runs inside an agent's pane is that agent, whatever it says."""
    other = await desk.claude()
    victim = await room.until_activity(other.pane, "idle")
    command = f"{shlex.quote(str(LAUNCHER))} --home {shlex.quote(str(room.data))}"
    report = "report"
    lines = f"{command} fleet --json > {report}; {command} keys {victim.id} x --json 2>> {report}; echo said"
    claude_model.answer(ToolUse("Bash", {"command": lines, "description": "Meddle"}), match="meddle")
    claude_model.answer(Text("I tried."), match=TOOL_RESULT)
    claude = await desk.claude(folder="meadow")
    await claude.say("meddle")
    agent = await room.until(claude.pane, lambda agent: agent.waiting_for is not None)
    assert agent.waiting_for is not None
    await room.answer(agent.id, agent.waiting_for.id, "Yes")
    await room.until_said(agent.id, "I tried.")
    said = (claude.pane.folder / report).read_text()
    assert victim.id in said
    assert "not_allowed" in said
    assert "❯ x" not in other.pane.text()
