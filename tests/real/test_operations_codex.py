"""Real Codex is started again, gets a fresh conversation, is stopped and brought back; alone, and behind its
background server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlroom.testing.fake_openai import Call, FakeOpenAI, Say, Shell
from controlroom.testing.model_script import TOOL_RESULT, Gate
from controlroom.wire.model import Agent
from tests.real.conftest import Desk
from tests.real.support.codex import EXECUTABLE, READY, Codex, CodexHome
from tests.real.support.pane import AGENT_S, PROMPT
from tests.real.support.room import Room
from tests.support.waiting import until

WHY = "It must read its settings anew"
BOTH = pytest.mark.parametrize("daemon", [False, True], ids=["alone", "daemon"])


async def greeted(
    codex: Codex, room: Room, model: FakeOpenAI, *arguments: str, daemon: bool = False
) -> Agent:
    """It is started and has had one turn, so that there is a conversation."""
    await codex.start(*arguments, daemon=daemon)
    model.answer(Say("Good morning."), match="hello")
    await codex.say("hello")
    await codex.until_event("task_complete")
    agent = await room.until(
        codex.pane, lambda agent: agent.finished and agent.session_id and agent.activity == "idle"
    )
    await room.until_said(agent.id, "Good morning.")
    return agent


async def operation(room: Room, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = await room.json(*words)
    return found


async def refusal(room: Room, *words: str) -> str:
    """Why an operation that begins at once is refused as it would drop something."""
    out, _ = await room.run(*words, "--json", expect=1)
    told = json.loads(out)
    assert (told["state"], told["error"]["code"]) == ("failed", "busy"), told
    return str(told["error"]["text"])


def words_of(desk: Desk, agent: Agent, what: str) -> list[str]:
    """Command line or environment of the program in an agent's pane."""
    assert agent.pane is not None
    pid = desk.tmux.get(agent.pane.id, "pane_pid")
    return Path(f"/proc/{pid}/{what}").read_bytes().rstrip(b"\0").decode().split("\0")


def shows(desk: Desk, agent: Agent) -> str:
    assert agent.pane is not None
    return desk.tmux.text(agent.pane.id)


@BOTH
@pytest.mark.timeout(300)
async def test_a_restart_goes_on_with_the_same_conversation(
    desk: Desk, room: Room, codex_model: FakeOpenAI, daemon: bool
) -> None:
    codex = await desk.codex(start=False)
    before = await greeted(codex, room, codex_model, "--search", daemon=daemon)
    told = await operation(room, "restart", before.id, "--why", WHY)
    assert told["state"] == "delivered", told
    after = await room.until_activity(before.id, "idle")
    assert (after.session_id, after.chat_id, after.name) == (before.session_id, before.chat_id, before.name)
    assert after.pane != before.pane
    assert READY in shows(desk, after) and "Good morning." in shows(desk, after)
    command = words_of(desk, after, "cmdline")
    assert before.session_id is not None
    flags = ["--search"] if daemon else ["--no-daemon", "--search"]
    assert command[1:] == ["resume", before.session_id, *flags, "--cd", str(codex.pane.folder)]
    assert f"CODEX_HOME={codex.home.folder}" in words_of(desk, after, "environ")
    panes = desk.tmux.run("list-panes", "-a", "-F", "#{pane_id}").split()
    assert after.pane is not None and panes == [after.pane.id], "the old pane is gone"
    codex_model.answer(Say("Still here."), match="are you there")
    message = await room.send(after.id, "are you there")
    await room.until_message(message, lambda message: message.state == "delivered")
    await room.until_said(after.id, "Still here.")
    assert len(codex.rollouts()) == 1
    assert codex.typed() == ["hello", "are you there"]


@pytest.mark.timeout(300)
async def test_a_fresh_conversation_and_the_way_back(desk: Desk, room: Room, codex_model: FakeOpenAI) -> None:
    codex = await desk.codex(start=False)
    before = await greeted(codex, room, codex_model)
    told = await operation(room, "fresh", before.id, "--why", "A new task")
    assert told["state"] == "delivered", told
    codex_model.answer(Say("What is it?"), match="a new task")
    message = await room.send(before.id, "a new task")
    await room.until_message(message, lambda message: message.state == "delivered")
    fresh = await room.until(
        before.id, lambda agent: agent.finished and agent.session_id != before.session_id
    )
    assert fresh.chat_id != before.chat_id
    undone = await operation(room, "undo", told["id"], "--why", "The old one was needed")
    assert undone["state"] == "delivered", undone
    back = await room.until(before.id, lambda agent: agent.session_id == before.session_id)
    assert back.chat_id == before.chat_id
    assert "Good morning." in shows(desk, back)


@BOTH
@pytest.mark.timeout(300)
async def test_a_busy_one_is_dropped_only_when_told_to_and_really_stops(
    desk: Desk, room: Room, codex_model: FakeOpenAI, daemon: bool
) -> None:
    codex = await desk.codex(start=False)
    before = await greeted(codex, room, codex_model, daemon=daemon)
    gate, helps = Gate(), Gate()
    task = {"task_name": "count_trees", "message": "count the trees"}
    codex_model.answer(Call("spawn_agent", task), match="delegate")
    codex_model.answer(Say("Forty"), helps, Say(" trees."), match=f"{TOOL_RESULT}aborted")
    codex_model.answer(Say("Delegated."), match=TOOL_RESULT)
    await codex.say("delegate it")
    await helps.arrived()
    await room.until(before.id, lambda agent: agent.activity == "helpers" and agent.helpers == 1)
    codex_model.answer(Say("One."), gate, Say(" Two."), match="count")
    await codex.say("count")
    await gate.arrived()
    await room.until_activity(before.id, "working")
    said = await refusal(room, "stop", before.id, "--why", "Enough", "--now")
    assert "the running turn and a helper that runs" in said
    ended = len(codex.events("turn_aborted"))  # the helper's copy of its parent has one too
    told = await operation(room, "stop", before.id, "--why", "Enough", "--now", "--drop")
    assert told["state"] == "delivered", told
    await room.until_activity(before.id, "gone")
    await until(lambda: len(codex.events("turn_aborted")) == ended + 2, "what ran has ended")
    assert codex.pane.process(EXECUTABLE) is None
    await codex.pane.until_text("codex resume", PROMPT.strip())
    assert desk.tmux.get(codex.pane.id, "alternate_on") == "0", "the shell has its screen again"
    await until(lambda: codex_model.cut_off == 2, "nobody listens to the answers any more")
    begun = len(codex.events("task_started"))
    undone = await operation(room, "undo", told["id"], "--why", "One more thing")
    assert undone["state"] == "delivered", undone
    back = await room.until_activity(before.id, "idle")
    assert (back.session_id, back.chat_id) == (before.session_id, before.chat_id)
    assert len(codex.events("task_started")) == begun, "nothing went on"


@pytest.mark.timeout(300)
async def test_an_open_approval_and_a_draft_are_said_before_they_are_dropped(
    desk: Desk, room: Room, codex_model: FakeOpenAI
) -> None:
    codex = await desk.codex(start=False)
    before = await greeted(codex, room, codex_model)
    codex_model.answer(Shell("touch picked", escalate=True), match="pick")
    await codex.say("pick one")
    await room.until_activity(before.id, "blocked")
    assert "an open dialog" in await refusal(room, "restart", before.id, "--why", WHY, "--now")
    told = await operation(room, "restart", before.id, "--why", WHY, "--now", "--drop")
    assert told["state"] == "delivered", told
    after = await room.until_activity(before.id, "idle")
    assert after.session_id == before.session_id
    assert not (codex.pane.folder / "picked").exists()
    assert after.pane is not None
    desk.tmux.run("send-keys", "-t", after.pane.id, "-l", "half a thou")
    await until(lambda: "half a thou" in shows(desk, after), "the draft", within_s=AGENT_S)
    assert "a draft" in await refusal(room, "close", before.id, "--why", "The end", "--now")
    told = await operation(room, "close", before.id, "--why", "The end", "--now", "--drop")
    assert told["state"] == "delivered", told
    assert before.id not in [agent.id for agent in await room.agents()]
    assert codex.typed() == ["hello", "pick one"]


def home_for_all(desk: Desk, model: FakeOpenAI) -> CodexHome:
    """A profile whose key the whole tmux server has, as a person's login shell would give it."""
    home = CodexHome(desk.path / "codex-all", model.url)
    desk.tmux.run("set-environment", "-g", "LOCAL_KEY", home.environment["LOCAL_KEY"])
    return home


@pytest.mark.timeout(300)
async def test_a_new_agent_is_started_and_a_strange_folder_waits_for_a_person(
    desk: Desk, room: Room, codex_model: FakeOpenAI
) -> None:
    pane = await desk.pane()
    home = home_for_all(desk, codex_model)
    work = desk.work_folder("pears")
    home.trust(work)
    codex_model.answer(Say("I pick them."), match="pick the pears")
    told = await operation(
        room,
        *("start", "codex", str(work), "--profile", str(home.folder), "--name", "pear tree"),
        *("--prompt", "pick the pears", "--why", "They are ripe"),
    )
    assert told["state"] == "delivered", told
    await room.until_said(told["agent_id"], "I pick them.")
    started = await room.until_activity(told["agent_id"], "idle")
    assert (started.name, started.folder, started.profile) == ("pear tree", str(work), str(home.folder))
    assert "--no-daemon" in words_of(desk, started, "cmdline")
    stranger = desk.work_folder("stranger")
    pane.run("git", "init", "-q", str(stranger))
    await until((stranger / ".git").exists, "a repository")
    told = await operation(
        room, "start", "codex", str(stranger), "--profile", str(home.folder), "--why", "A look", "--no-wait"
    )

    async def newest() -> dict[str, Any]:
        (found,) = (await room.json("operations", "--limit", "1"))["operations"]
        return dict(found)

    async def is_over() -> bool:
        return bool((await newest())["state"] == "failed")

    await until(is_over, "it stops at the prompt", within_s=AGENT_S)
    ended = await newest()
    assert (ended["id"], ended["error"]["code"]) == (told["id"], "startup_prompt")
    assert "Trust this folder?" in ended["error"]["text"]
    waiting = await room.until_activity(ended["agent_id"], "blocked")
    assert waiting.waiting_for is not None and waiting.waiting_for.kind == "startup"
