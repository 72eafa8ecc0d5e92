"""Which agent is which: start-up prompts, /clear, resume, a crash, and two agents in one folder."""

from __future__ import annotations

from controlroom.testing.fake_anthropic import FakeAnthropic, Text
from tests.real.conftest import Desk
from tests.real.support.claude import EXECUTABLE, Claude
from tests.real.support.room import Room
from tests.support.waiting import until


async def _greet(claude: Claude, room: Room, claude_model: FakeAnthropic) -> str:
    """One turn, so that there is a transcript; the id of the agent."""
    claude_model.answer(Text("Good morning."), match="hello")
    await claude.say("hello")
    await claude.pane.until_text("Good morning.")
    await claude.until_status("idle")
    agent = await room.until(claude.pane, lambda agent: agent.finished and agent.activity == "idle")
    await room.until_said(agent.id, "Good morning.")
    return agent.id


async def test_a_start_up_prompt_is_shown_and_answered(desk: Desk, room: Room) -> None:
    claude = await desk.claude(start=False)
    stranger = desk.work_folder("stranger")
    claude.pane.run("cd", str(stranger))
    claude.pane.run("claude", "--permission-mode", "manual")
    await claude.pane.until_text("Quick safety check")
    agent = await room.until(claude.pane, lambda agent: agent.waiting_for)
    assert agent.waiting_for is not None
    assert agent.waiting_for.kind == "startup"
    assert [option.label for option in agent.waiting_for.options or ()] == [
        "No, exit",
        "Yes, I trust this folder",
    ]
    await room.answer(agent.id, agent.waiting_for.id, "Yes, I trust this folder")
    ready = await room.until_activity(claude.pane, "idle")
    assert ready.id == agent.id


async def test_clearing_the_session_keeps_the_agent(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude = await desk.claude()
    agent_id = await _greet(claude, room, claude_model)
    before = claude.session_id
    await claude.say("/clear")
    await until(lambda: claude.session_id != before, "a new session")
    agent = await room.until(claude.pane, lambda agent: agent.session_id == claude.session_id)
    assert agent.id == agent_id


async def test_resuming_a_session_is_the_same_agent(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude = await desk.claude()
    agent_id = await _greet(claude, room, claude_model)
    session = claude.session_id
    await claude.say("/exit")
    gone = await room.until_activity(agent_id, "gone")
    assert gone.fault is None
    await claude.start("--resume", session)
    agent = await room.until_session(claude.pane, session)
    assert agent.id == agent_id
    assert [item.text for item in await room.chat(agent.id) if item.kind == "user"] == ["hello"]


async def test_a_killed_agent_is_a_crash(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    claude = await desk.claude()
    agent_id = await _greet(claude, room, claude_model)
    session = claude.session_id
    claude.pane.kill_hard(EXECUTABLE)
    gone = await room.until(agent_id, lambda agent: agent.activity == "gone" and agent.fault)
    assert gone.fault is not None
    assert gone.fault.code == "crashed"
    await claude.start("--resume", session)
    agent = await room.until_session(claude.pane, session)
    assert agent.id == agent_id
    assert agent.fault is None


async def test_two_agents_in_one_folder_are_two(desk: Desk, room: Room, claude_model: FakeAnthropic) -> None:
    first, second = await desk.claude(), await desk.claude()
    claude_model.answer(Text("I am the second."), match="who")
    await second.say("who are you?")
    one = await room.until_activity(first.pane, "idle")
    two = await room.until(second.pane, lambda agent: agent.finished)
    assert one.id != two.id
    assert (one.session_id, two.session_id) == (first.session_id, second.session_id)
    assert [item.kind for item in await room.chat(one.id)] == []
    await room.until_said(two.id, "I am the second.")


async def test_a_tmux_server_that_dies_takes_only_its_agents(
    desk: Desk, room: Room, claude_model: FakeAnthropic
) -> None:
    claude = await desk.claude()
    agent_id = await _greet(claude, room, claude_model)
    desk.tmux.kill(hard=True)
    await room.until_activity(agent_id, "gone")
    again = await desk.claude()
    await room.until_activity(again.pane, "idle")
