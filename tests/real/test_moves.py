"""Real Claude Code is moved between two config folders, and back when it does not come up there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlroom.testing.fake_anthropic import FakeAnthropic, Text, ToolUse
from controlroom.testing.model_script import Gate
from controlroom.wire.model import Agent
from tests.real.conftest import Desk
from tests.real.support.claude import Claude, ClaudeProfile
from tests.real.support.room import Room
from tests.support.move_moments import THERE
from tests.support.waiting import until

WHY = "Its week is nearly used up"


@pytest.fixture
def first(desk: Desk, claude_model: FakeAnthropic) -> ClaudeProfile:
    """A profile in the person's home that knows their folder, there before the control room looks."""
    profile = ClaudeProfile(desk.home / ".claude-first", claude_model.url)
    profile.trust(desk.work_folder("orchard"))
    return profile


@pytest.fixture
def second(desk: Desk, claude_model: FakeAnthropic) -> ClaudeProfile:
    """Another one, to which that folder is new."""
    return ClaudeProfile(desk.home / ".claude-second", claude_model.url)


async def started(desk: Desk, profile: ClaudeProfile, *words: str) -> Claude:
    claude = Claude(await desk.pane(profile.environment), profile)
    await claude.start(*words)
    return claude


async def until_known(room: Room, profile: ClaudeProfile) -> None:
    """Profiles are looked for twice a minute."""

    async def is_known() -> bool:
        async with room.hub() as hub:
            return str(profile.folder) in [known.folder for known in await hub.profiles()]

    await until(is_known, "the profile is known", within_s=90)


async def greeted(claude: Claude, room: Room, model: FakeAnthropic) -> Agent:
    """One turn, so that there is something to move; the agent."""
    model.answer(Text("Good morning."), match="hello")
    await claude.say("hello")
    await claude.pane.until_text("Good morning.")
    await claude.until_status("idle")
    agent = await room.until(claude.pane, lambda agent: agent.finished and agent.activity == "idle")
    await room.until_said(agent.id, "Good morning.")
    assert agent.pane is not None
    claude.pane.server.run("rename-window", "-t", agent.pane.id, agent.name)
    return agent


async def move(room: Room, agent: Agent, profile: ClaudeProfile, *words: str) -> dict[str, Any]:
    await until_known(room, profile)
    told: dict[str, Any] = await room.json("move", agent.id, str(profile.folder), "--why", WHY, *words)
    return told


def environment(desk: Desk, agent: Agent) -> dict[str, str]:
    """Of the process in an agent's pane."""
    assert agent.pane is not None
    raw = Path(f"/proc/{desk.tmux.get(agent.pane.id, 'pane_pid')}/environ").read_bytes()
    return dict(entry.decode().split("=", 1) for entry in raw.split(b"\0") if b"=" in entry)


def transcript(profile: ClaudeProfile, agent: Agent) -> Path:
    (found,) = profile.folder.glob(f"projects/*/{agent.session_id}.jsonl")
    return found


def windows(desk: Desk) -> list[str]:
    return desk.tmux.run("list-windows", "-a", "-F", "#{window_name}").split("\n")


async def answers(room: Room, model: FakeAnthropic, agent_id: str, word: str) -> None:
    """It takes a message and says something."""
    model.answer(Text(f"Here is {word}."), match=f"where is {word}")
    message = await room.send(agent_id, f"where is {word}")
    await room.until_message(message, lambda message: message.state == "delivered")
    await room.until_said(agent_id, f"Here is {word}.")


@pytest.mark.timeout(300)
async def test_there_with_its_helpers_files_and_back(
    desk: Desk, first: ClaudeProfile, second: ClaudeProfile, room: Room, claude_model: FakeAnthropic
) -> None:
    """The target does not know the folder: its trust prompt is known, and answered."""
    claude = await started(desk, first, "--verbose")
    before = await greeted(claude, room, claude_model)
    task = {"description": "Count", "prompt": "COUNT THE TREES", "subagent_type": "general-purpose"}
    claude_model.answer(ToolUse("Agent", task), match="count them")
    claude_model.answer(Text("Forty trees."), match="COUNT THE TREES$")
    await claude.say("count them")
    await room.until(claude.pane, lambda agent: agent.activity == "idle" and agent.helpers == 0)
    before = await room.until_activity(before.id, "idle")
    old = environment(desk, before)

    told = await move(room, before, second)
    assert told["state"] == "delivered", told
    after = await room.until_activity(before.id, "idle")
    assert (after.session_id, after.chat_id, after.name) == (before.session_id, before.chat_id, before.name)
    assert after.profile == str(second.folder) and after.helpers == 0
    new = environment(desk, after)
    assert new["CLAUDE_CONFIG_DIR"] == str(second.folder)
    assert new["ANTHROPIC_API_KEY"] == old["ANTHROPIC_API_KEY"]
    source = claude.profile.folder / "projects"
    owned = list(source.glob(f"*/{before.session_id}/subagents/*"))
    assert owned, "a helper left files"
    for path in owned:
        copy = second.folder / "projects" / path.relative_to(source)
        assert copy.stat().st_mtime_ns == path.stat().st_mtime_ns, "old helpers are no new ones"
    await answers(room, claude_model, before.id, "one")

    told = await move(room, before, claude.profile)
    assert told["state"] == "delivered", told
    back = await room.until_activity(before.id, "idle")
    assert (back.session_id, back.profile) == (before.session_id, before.profile)
    assert b"Here is one." in transcript(claude.profile, before).read_bytes()
    await answers(room, claude_model, before.id, "two")


@pytest.mark.timeout(300)
async def test_a_busy_one_with_a_message_queued_onto_a_stub(
    desk: Desk, first: ClaudeProfile, second: ClaudeProfile, room: Room, claude_model: FakeAnthropic
) -> None:
    claude = await started(desk, first)
    second.trust(desk.work_folder("orchard"))
    before = await greeted(claude, room, claude_model)
    stub = second.folder / transcript(claude.profile, before).relative_to(claude.profile.folder)
    stub.parent.mkdir(parents=True)
    stub.write_text(json.dumps({"type": "mode", "mode": "normal", "sessionId": before.session_id}) + "\n")
    endless = Gate()
    claude_model.answer(endless, Text("Never said."), match="think for ever")
    await claude.say("think for ever")
    await endless.arrived()
    await room.until_activity(before.id, "working")
    claude_model.answer(Text("The pears are ripe."), match="what of the pears")
    message = await room.send(before.id, "what of the pears")

    told = await move(room, before, second, "--now", "--drop")
    assert told["state"] == "delivered", told
    await room.until_message(message, lambda message: message.state == "delivered")
    await room.until_said(before.id, "The pears are ripe.")
    after = await room.until_activity(before.id, "idle")
    assert (after.session_id, after.name, after.profile) == (
        before.session_id,
        before.name,
        str(second.folder),
    )
    assert before.name in windows(desk)
    assert Claude(claude.pane, second).typed().count("what of the pears") == 1
    assert "Good morning." in transcript(second, before).read_text()


@pytest.mark.timeout(300)
async def test_a_prompt_that_nobody_knows_brings_it_back(
    desk: Desk, first: ClaudeProfile, second: ClaudeProfile, room: Room, claude_model: FakeAnthropic
) -> None:
    """Where the key of its environment was never approved, Claude Code asks: that is for a person."""
    claude = await started(desk, first)
    second.trust(desk.work_folder("orchard"))
    state = json.loads((second.folder / ".claude.json").read_text())
    state["customApiKeyResponses"] = {"approved": [], "rejected": []}
    (second.folder / ".claude.json").write_text(json.dumps(state))
    before = await greeted(claude, room, claude_model)
    old = environment(desk, before)
    with pytest.raises(AssertionError, match="left with 1"):
        await move(room, before, second)
    (told,) = (await room.json("operations", "--limit", "1"))["operations"]
    assert told["state"] == "failed" and "custom API key" in told["error"]["text"], told
    back = await room.until_activity(before.id, "idle")
    assert (back.session_id, back.profile, back.name) == (before.session_id, before.profile, before.name)
    assert environment(desk, back)["ANTHROPIC_API_KEY"] == old["ANTHROPIC_API_KEY"]
    assert windows(desk).count(before.name) == 1
    await answers(room, claude_model, before.id, "one")


@pytest.mark.timeout(600)
async def test_a_control_room_that_is_killed_at_every_moment_still_moves_it(
    desk: Desk, first: ClaudeProfile, second: ClaudeProfile, room: Room, claude_model: FakeAnthropic
) -> None:
    """One move, its control room killed at each moment of the table in docs/explain/moves.md in turn."""
    claude = await started(desk, first)
    second.trust(desk.work_folder("orchard"))
    before = await greeted(claude, room, claude_model)
    gate = Gate()
    claude_model.answer(gate, Text("Done."), match="long work")
    await claude.say("long work")
    await gate.arrived()
    await room.until_activity(before.id, "working")
    told = await move(room, before, second, "--no-wait")
    await room.kill()  # it waits for the agent: no act of the move was done
    gate.open()
    await claude.until_status("idle")

    assert THERE
    for moment in THERE:
        await room.live_until(moment)
    await room.start()

    async def ended() -> dict[str, Any] | None:
        (now,) = (await room.json("operations", "--limit", "1"))["operations"]
        return now if now["state"] in ("delivered", "failed", "cancelled") else None

    over = await until(ended, "it is over", within_s=120)
    assert over is not None
    assert (over["id"], over["state"]) == (told["id"], "delivered"), over
    after = await room.until_activity(before.id, "idle")
    assert (after.session_id, after.profile) == (before.session_id, str(second.folder))
    assert windows(desk) == [before.name], "one window, with its name"
    await answers(room, claude_model, before.id, "one")
    assert Claude(claude.pane, second).typed().count("where is one") == 1
