"""Real Claude Code is started again, gets a fresh session, is stopped and brought back."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from controlroom.testing.fake_anthropic import FakeAnthropic, Text
from controlroom.wire.model import Agent
from tests.real.conftest import Desk
from tests.real.support.claude import Claude, ClaudeProfile
from tests.real.support.room import Room
from tests.support.waiting import until

WHY = "It must read its settings anew"
WHO = ("-c", "user.name=Kim", "-c", "user.email=kim@host.example")


async def greeted(claude: Claude, room: Room, model: FakeAnthropic) -> Agent:
    """One turn, so that there is a transcript; the agent."""
    model.answer(Text("Good morning."), match="hello")
    await claude.say("hello")
    await claude.pane.until_text("Good morning.")
    await claude.until_status("idle")
    agent = await room.until(claude.pane, lambda agent: agent.finished and agent.activity == "idle")
    await room.until_said(agent.id, "Good morning.")
    return agent


async def agent_of(room: Room, agent_id: str, activity: str = "idle") -> Agent:
    return await room.until_activity(agent_id, activity)


def words_of(desk: Desk, agent: Agent, what: str) -> list[bytes]:
    """Command line or environment of the process in an agent's pane."""
    assert agent.pane is not None
    pid = desk.tmux.get(agent.pane.id, "pane_pid")
    return Path(f"/proc/{pid}/{what}").read_bytes().rstrip(b"\0").split(b"\0")


async def operation(room: Room, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = await room.json(*words)
    return found


@pytest.mark.timeout(300)
async def test_a_restart_goes_on_with_the_same_conversation(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude = await desk.claude("--verbose")
    before = await greeted(claude, room, claude_model)
    told = await operation(room, "restart", before.id, "--why", WHY)
    assert told["state"] == "delivered", told
    after = await agent_of(room, before.id)
    assert (after.session_id, after.chat_id, after.name) == (before.session_id, before.chat_id, before.name)
    assert after.pane != before.pane
    command = words_of(desk, after, "cmdline")
    assert b"--verbose" in command and before.session_id is not None
    assert command[-2:] == [b"--resume", before.session_id.encode()]
    environment = words_of(desk, after, "environ")
    assert any(entry.startswith(b"ANTHROPIC_BASE_URL=") for entry in environment)
    claude_model.answer(Text("Still here."), match="are you there")
    message = await room.send(after.id, "are you there")
    await room.until_message(message, lambda message: message.state == "delivered")
    await room.until_said(after.id, "Still here.")


@pytest.mark.timeout(300)
async def test_a_fresh_session_and_the_way_back(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    claude = await desk.claude()
    before = await greeted(claude, room, claude_model)
    told = await operation(room, "fresh", before.id, "--why", "A new task")
    assert told["state"] == "delivered", told
    fresh = await agent_of(room, before.id)
    assert fresh.session_id != before.session_id and fresh.chat_id != before.chat_id
    undone = await operation(room, "undo", told["id"], "--why", "The old one was needed")
    assert undone["state"] == "delivered", undone

    async def is_back() -> bool:
        back = await agent_of(room, before.id)
        return (back.session_id, back.chat_id) == (before.session_id, before.chat_id)

    await until(is_back, "the session of before")


@pytest.mark.timeout(300)
async def test_a_stop_leaves_the_shell_and_its_undo_brings_the_agent_back(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude = await desk.claude()
    before = await greeted(claude, room, claude_model)
    assert before.pane is not None
    told = await operation(room, "stop", before.id, "--why", "Enough for today")
    assert told["state"] == "delivered", told
    gone = await agent_of(room, before.id, "gone")
    assert gone.fault is None, "it ended cleanly"
    assert before.pane.id in desk.tmux.run("list-panes", "-a", "-F", "#{pane_id}").split()
    undone = await operation(room, "undo", told["id"], "--why", "One more thing")
    assert undone["state"] == "delivered", undone
    back = await agent_of(room, before.id)
    assert (back.session_id, back.chat_id) == (before.session_id, before.chat_id)


def profile_for_all(desk: Desk, model: FakeAnthropic) -> ClaudeProfile:
    """A profile whose variables the whole tmux server has, as a person's login shell would give them."""
    profile = ClaudeProfile(desk.path / "claude-all", model.url)
    for name, value in profile.environment.items():
        if name != "CLAUDE_CONFIG_DIR":
            desk.tmux.run("set-environment", "-g", name, value)
    return profile


@pytest.mark.timeout(300)
async def test_a_new_agent_is_started_and_given_its_first_prompt(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    await desk.pane()
    profile = profile_for_all(desk, claude_model)
    work = desk.work_folder("pears")
    profile.trust(work)
    claude_model.answer(Text("I pick them."), match="pick the pears")
    told = await operation(
        room,
        *("start", "claude", str(work), "--profile", str(profile.folder), "--name", "pear tree"),
        *("--prompt", "pick the pears", "--why", "They are ripe"),
    )
    assert told["state"] == "delivered", told
    await room.until_said(told["agent_id"], "I pick them.")
    started = await agent_of(room, told["agent_id"])
    assert (started.name, started.folder, started.profile) == ("pear tree", str(work), str(profile.folder))
    assert "pear tree" in desk.tmux.run("list-windows", "-a", "-F", "#{window_name}").split("\n")


@pytest.mark.timeout(300)
async def test_a_folder_that_nobody_trusted_waits_for_a_person(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    await desk.pane()
    profile = profile_for_all(desk, claude_model)
    profile.trust(desk.work_folder("orchard"))
    stranger = desk.work_folder("stranger")
    told = await operation(
        room,
        *("start", "claude", str(stranger), "--profile", str(profile.folder), "--why", "A look", "--no-wait"),
    )

    async def is_over() -> bool:
        (newest,) = (await room.json("operations", "--limit", "1"))["operations"]
        return bool(newest["state"] == "failed")

    await until(is_over, "it stops at the prompt", within_s=90)
    (ended,) = (await room.json("operations", "--limit", "1"))["operations"]
    assert (ended["id"], ended["error"]["code"]) == (told["id"], "startup_prompt")
    assert "Quick safety check" in ended["error"]["text"]
    waiting = await agent_of(room, ended["agent_id"], "blocked")
    assert waiting.waiting_for is not None and waiting.waiting_for.kind == "startup"
    assert "stranger" in desk.tmux.run("list-windows", "-a", "-F", "#{window_name}").split("\n")


@pytest.mark.timeout(300)
async def test_a_worktree_is_shown_and_goes_with_its_agent(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    """The program itself trusts a worktree of a repository that it trusts."""
    await desk.pane()
    profile = profile_for_all(desk, claude_model)
    repository = desk.work_folder("pears")
    profile.trust(repository)
    for words in (("init", "--quiet"), (*WHO, "commit", "--quiet", "--allow-empty", "-m", "Begin.")):
        subprocess.run(["git", *words], cwd=repository, check=True)
    told = await operation(
        room,
        *("start", "claude", str(repository), "--profile", str(profile.folder), "--worktree", "plums"),
        *("--why", "A branch of its own"),
    )
    assert told["state"] == "delivered", told
    started = await agent_of(room, told["agent_id"])
    worktree = f"{repository}-plums"
    assert (started.name, started.folder, started.branch) == ("pears-plums", worktree, "plums")
    closed = await operation(room, "close", started.id, "--why", "It was a look")
    assert "the branch plums stays" in closed["steps"][-1]["detail"], closed
    assert not Path(worktree).exists()
