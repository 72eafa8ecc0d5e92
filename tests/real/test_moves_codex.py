"""Real Codex is moved between two homes: alone, behind its background servers, a fork, and a refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from controlroom.testing.fake_openai import FakeOpenAI, Say
from controlroom.testing.model_script import Gate
from controlroom.wire.model import Agent
from tests.real.conftest import Desk
from tests.real.support.codex import Codex, CodexHome
from tests.real.support.pane import AGENT_S
from tests.real.support.room import Room, held
from tests.real.test_operations_codex import BOTH, greeted, operation, shows, words_of
from tests.support.move_moments import THERE
from tests.support.waiting import until

WHY = "The week of the first account ends"


@pytest.fixture
def homes(desk: Desk, codex_model: FakeOpenAI) -> tuple[CodexHome, CodexHome]:
    """Two homes that the control room finds when it starts."""
    first, second = (CodexHome(desk.home / f".codex-{name}", codex_model.url) for name in ("first", "second"))
    for home in (first, second):
        home.trust(desk.work_folder("orchard"))
    return first, second


async def codex_in(desk: Desk, home: CodexHome) -> Codex:
    return Codex(await desk.pane(home.environment), home)


def copy_of(path: Path, codex: Codex, home: CodexHome) -> Path:
    return home.folder / path.relative_to(codex.home.folder)


def panes(desk: Desk) -> list[str]:
    return desk.tmux.run("list-panes", "-a", "-F", "#{pane_id}").split()


def said_in(path: Path) -> list[str]:
    """What a person said, by the file of a conversation."""
    rows = [json.loads(line)["payload"] for line in path.read_text().splitlines()]
    items = [row["item"] for row in rows if row.get("type") == "item_completed"]
    return [item["content"][0]["text"] for item in items if item["type"] == "UserMessage"]


async def until_in(room: Room, agent: Agent, home: CodexHome) -> Agent:
    return await room.until(
        agent.id, lambda now: now.activity == "idle" and now.profile == str(home.folder), "not in that home"
    )


async def until_over(room: Room, id: str) -> None:
    async def look() -> bool:
        (told,) = (await room.json("operations", "--limit", "1"))["operations"]
        assert told["id"] == id and told["state"] != "failed", told
        return bool(told["state"] == "delivered")

    await until(look, "the operation is over", within_s=AGENT_S, step_s=0.5)


@BOTH
@pytest.mark.timeout(600)
async def test_a_move_goes_on_with_the_same_conversation_and_a_message_that_waited(
    desk: Desk, homes: tuple[CodexHome, CodexHome], room: Room, codex_model: FakeOpenAI, daemon: bool
) -> None:
    """Alone, the control room is killed at each moment of the table in docs/explain/moves.md in turn."""
    codex, home = await codex_in(desk, homes[0]), homes[1]
    before = await greeted(codex, room, codex_model, daemon=daemon)
    (old,) = codex.rollouts()
    gate = Gate()
    codex_model.answer(gate, Say("One, two."), match="count")
    codex_model.answer(Say("Still here."), match="are you there")
    await codex.say("count")
    await gate.arrived()
    await room.until_activity(before.id, "working")
    asked = await operation(room, "move", before.id, str(home.folder), "--why", WHY, "--no-wait")
    message = await room.send(before.id, "are you there")
    await room.until_message(message, held)
    if daemon:
        gate.open()
    else:
        await room.kill()  # the move waits for the agent: no act of it was done
        gate.open()
        await codex.until_event("task_complete", 2)
        for moment in THERE:
            await room.live_until(moment)
        await room.start()
    await until_over(room, asked["id"])
    after = await until_in(room, before, home)
    assert (after.session_id, after.chat_id, after.name) == (before.session_id, before.chat_id, before.name)
    assert f"CODEX_HOME={home.folder}" in words_of(desk, after, "environ")
    assert "Good morning." in shows(desk, after)
    await room.until_message(message, lambda message: message.state == "delivered")
    await room.until_said(after.id, "Still here.")
    new = copy_of(old, codex, home)
    assert said_in(old) == ["hello", "count"], "the source is left as it was"
    assert said_in(new) == ["hello", "count", "are you there"]
    assert new.read_bytes().startswith(old.read_bytes())
    assert after.pane is not None and panes(desk) == [after.pane.id], "the old pane is gone"


@pytest.mark.timeout(300)
async def test_a_fork_brings_what_it_was_forked_from(
    desk: Desk, homes: tuple[CodexHome, CodexHome], room: Room, codex_model: FakeOpenAI
) -> None:
    codex, home = await codex_in(desk, homes[0]), homes[1]
    first = await greeted(codex, room, codex_model)
    assert first.session_id is not None
    await codex.say("/quit")
    await room.until_activity(first.id, "gone")
    codex.pane.type_line("clear")
    await codex.start("fork", first.session_id)
    codex_model.answer(Say("Another way."), match="try another way")
    await codex.say("try another way")
    await codex.until_event("task_complete", 2)
    fork = await room.until(
        codex.pane,
        lambda agent: agent.finished and agent.session_id not in (None, first.session_id),
    )
    told = await operation(room, "move", fork.id, str(home.folder), "--why", WHY)
    assert told["state"] == "delivered", told
    after = await until_in(room, fork, home)
    assert after.session_id == fork.session_id
    assert "Another way." in shows(desk, after)
    codex_model.answer(Say("Still here."), match="are you there")
    message = await room.send(after.id, "are you there")
    await room.until_message(message, lambda message: message.state == "delivered")
    await room.until_said(after.id, "Still here.")
    asked = next(request for request in codex_model.requests if "are you there" in request.text)
    assert "Good morning." in asked.whole, "the model hears the whole conversation"
    undone = await operation(room, "undo", told["id"], "--why", "It was better there")
    assert undone["state"] == "delivered", undone
    back = await until_in(room, fork, codex.home)
    assert back.session_id == fork.session_id
    assert "Still here." in shows(desk, back), "what was said meanwhile comes back with it"


@pytest.mark.timeout(300)
async def test_another_account_that_is_refused_is_said_and_the_agent_stays(
    desk: Desk, homes: tuple[CodexHome, CodexHome], room: Room, codex_model: FakeOpenAI
) -> None:
    codex, home = await codex_in(desk, homes[0]), homes[1]
    codex.home.sign_in("acct-first")
    login = home.sign_in("acct-second")
    home.configure("features.cli_resume_account_check = true\n")
    before = await greeted(codex, room, codex_model)
    before_it = login.read_bytes(), login.stat().st_mtime_ns
    out, _ = await room.run("move", before.id, str(home.folder), "--why", WHY, "--json", expect=1)
    told: dict[str, Any] = json.loads(out)
    assert "another ChatGPT account" in told["error"]["text"], told
    back = await until_in(room, before, codex.home)
    assert (back.id, back.session_id) == (before.id, before.session_id)
    assert "Good morning." in shows(desk, back)
    assert (login.read_bytes(), login.stat().st_mtime_ns) == before_it
    assert not list(home.folder.glob("sessions/*/*/*/*.jsonl")), "no copy is left"
