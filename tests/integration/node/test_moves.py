"""Moves of scripted agents between two config folders, in a real tmux server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest

from controlroom.kit.sql import DiskFull
from controlroom.node.acts import moves
from controlroom.node.acts.carrying import CannotCarry, Carried, carry
from controlroom.node.journal.journal import Journal
from controlroom.node.journal.records import ActRecord
from controlroom.testing.scripted.steps import Hold, Say, Scene, Turn
from controlroom.wire.node import ActProgress, AgentState, OperateAct, SendAct
from tests.integration.node.operations_stage import Stage
from tests.support.waiting import until

NAME = "orchard"
HELLO = Turn(prompt="hello", steps=(Say(text="Hello."),))
SPOKEN = Scene(name=NAME, turns=(HELLO,))
VARIABLE = "ORCHARD_KEY"


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    try:
        (stage.folder / "second").mkdir()
        await stage.start()
        yield stage
    finally:
        await stage.close()


def states(told: ActProgress) -> dict[str, str]:
    return {step.name: step.state for step in told.steps}


def move(stage: Stage, agent: AgentState, id: str = "op_1", to: str = "second") -> OperateAct:
    return OperateAct(id=id, kind="move", agent_id=agent.id, profile=str(stage.folder / to))


def words(stage: Stage, what: str) -> list[str]:
    (pid,) = stage.living()
    return Path(f"/proc/{pid}/{what}").read_bytes().decode().split("\0")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def keepers(stage: Stage) -> list[int]:
    mark = str(stage.folder / "moves").encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                argv = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if b"--keep" in argv and mark in argv:
                found.append(int(entry.name))
    return found


async def with_an_environment_of_its_own(stage: Stage, scene: Scene) -> AgentState:
    """An agent without a variable that a new window of this server has."""
    agent = await stage.agent(scene)
    stage.desk.tmux("set-environment", "-g", VARIABLE, "bitter")
    return agent


async def is_over(stage: Stage) -> None:
    async def none() -> bool:
        return not keepers(stage) and not list((stage.folder / "moves").iterdir())

    await until(none, "nothing of the move is left")


async def test_a_move_keeps_session_name_and_chat_and_the_old_copy(stage: Stage) -> None:
    before = await with_an_environment_of_its_own(stage, SPOKEN)
    old = files(stage.desk.config / "projects")
    told = await stage.done(move(stage, before))
    assert told.state == "delivered", told
    assert set(states(told).values()) == {"done"}
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.chat_id, after.session_id) == (before.id, before.chat_id, before.session_id)
    assert after.profile == str(stage.folder / "second") and after.pane != before.pane
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)]
    environ = words(stage, "environ")
    assert f"CLAUDE_CONFIG_DIR={stage.folder}/second" in environ and f"{VARIABLE}=bitter" not in environ
    now = files(stage.desk.config / "projects")
    assert old.keys() == now.keys(), "the source is never removed"
    assert all(now[name].startswith(data) for name, data in old.items()), "it wrote its last row itself"
    items = await stage.running.api.items(before.id, before.chat_id)
    assert [item.text for item in items.items if item.text == "Hello."] == ["Hello."]
    await is_over(stage)


async def test_a_message_queued_meanwhile_is_delivered_after_once(stage: Stage) -> None:
    """Lesson 1: it starts a turn the instant that the agent is back, which must not look like a failure."""
    before = await stage.agent(msgspec.structs.replace(SPOKEN, reply=(Hold(),)))
    copying, may_copy = asyncio.Event(), asyncio.Event()

    async def slowly(*about: Any) -> Carried:
        copying.set()
        await may_copy.wait()
        return await carry(*about)

    with patch.object(moves, "carry", slowly):
        await stage.operate(move(stage, before))
        await asyncio.wait_for(copying.wait(), 60)
        await stage.running.api.act(SendAct(id="msg_1", agent_id=before.id, text="and then the pears"))
        may_copy.set()
        assert (await stage.until_over("op_1")).state == "delivered"

    async def is_delivered() -> bool:
        rows = await stage.told("msg_1")
        return bool(rows) and rows[-1].state == "delivered"

    await until(is_delivered, "the message is there", within_s=60)
    after = await stage.until_agent(NAME, "working")
    assert (after.profile, after.name) == (str(stage.folder / "second"), NAME)
    rows = b"".join(files(stage.folder / "second" / "projects").values())
    assert rows.count(b'"content":"and then the pears"') == 1
    assert b"pears" not in b"".join(files(stage.desk.config / "projects").values())


async def test_what_does_not_come_up_there_goes_on_where_it_was(stage: Stage) -> None:
    before = await with_an_environment_of_its_own(stage, msgspec.structs.replace(SPOKEN, refuses_in="second"))
    told = await stage.done(move(stage, before))
    assert told.error is not None and told.state == "failed"
    assert "did not find the session" in told.error.text
    assert (states(told)["start"], states(told)["back"]) == ("failed", "done")
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.session_id, after.profile) == (before.id, before.session_id, before.profile)
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)]
    environ = words(stage, "environ")
    assert f"CLAUDE_CONFIG_DIR={stage.desk.config}" in environ and f"{VARIABLE}=bitter" not in environ
    assert not files(stage.folder / "second"), "the target is as it was"
    await is_over(stage)


async def test_a_copy_that_fails_leaves_it_where_it_was(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)

    async def full(*_: object) -> None:
        raise CannotCarry("The disk of the target is full.")

    with patch.object(moves, "carry", full):
        told = await stage.done(move(stage, before))
    assert (
        told.error is not None
        and told.error.text == "The disk of the target is full. It goes on where it was."
    )
    assert (states(told)["copy"], states(told)["start"], states(told)["back"]) == (
        "failed",
        "skipped",
        "done",
    )
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.session_id, after.profile) == (before.id, before.session_id, before.profile)
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)]
    await is_over(stage)


async def test_a_move_that_breaks_leaves_no_window_that_waits(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    with patch.object(moves.Moves, "release", side_effect=RuntimeError("a fault of ours")):
        told = await stage.done(move(stage, before))
    assert told.error is not None and "broke half way" in told.error.text
    await is_over(stage)
    await until(
        lambda: [dead for _, name, dead in stage.panes() if name == NAME] == [True, True], "both say why"
    )
    await stage.until_agent(NAME, "gone")
    told = await stage.done(OperateAct(id="op_2", kind="restart", agent_id=before.id))
    assert told.state == "delivered", told
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.session_id, after.profile) == (before.id, before.session_id, before.profile)


async def test_a_disk_that_is_full_for_a_while_only_delays_a_move(stage: Stage) -> None:
    """Nothing can be written down after the agent has ended: the move waits, and goes on."""
    before = await stage.agent(SPOKEN)
    save, refused = Journal.save, 0

    async def full(self: Journal, record: ActRecord, news: ActProgress | None = None) -> None:
        nonlocal refused
        if isinstance(record.act, OperateAct) and not stage.living() and refused < 2:
            refused += 1
            raise DiskFull("No room is left.")
        await save(self, record, news)

    with patch.object(Journal, "save", full):
        told = await stage.done(move(stage, before))
    assert (told.state, refused) == ("delivered", 2), told
    after = await stage.until_agent(NAME, "idle")
    assert (after.session_id, after.profile) == (before.session_id, str(stage.folder / "second"))


async def test_the_same_folder_through_a_link_is_nothing_to_do(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    living = stage.living()
    os.symlink(stage.desk.config, stage.folder / "linked")
    told = await stage.done(move(stage, before, to="linked"))
    assert told.state == "delivered" and "already" in (told.steps[0].detail or "")
    assert set(states(told).values()) == {"done", "skipped"} and stage.living() == living


async def test_what_cannot_be_moved_is_refused_before_anything_is_done(stage: Stage) -> None:
    silent = await stage.agent(Scene(name="silent"))
    living = stage.living()
    refused = await stage.operate(move(stage, silent, to="nowhere"))
    assert refused.code == "bad_request" and "no such folder" in refused.text
    told = await stage.done(move(stage, silent))
    assert told.error is not None and "nothing to move" in told.error.text
    assert stage.living() == living and len(stage.panes()) == 1


async def test_a_session_that_another_process_has_open_is_not_moved(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    (first,) = stage.living()
    argv = words(stage, "cmdline")[:-1]
    stage.desk.tmux("new-window", "-d", "-n", "twin", *argv, "--resume", str(before.session_id))

    async def is_there() -> bool:
        return len(await stage.agents()) == 2

    await until(is_there, "both are seen", within_s=60)
    told = await stage.done(move(stage, before))
    assert told.error is not None and told.error.code == "busy"
    assert "also runs" in told.error.text and "twin" in told.error.text
    assert first in stage.living() and len(stage.living()) == 2 and len(stage.panes()) == 2


async def test_one_that_does_not_run_is_moved_and_back(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    await stage.agent(Scene(name="cellar"))
    await stage.done(OperateAct(id="op_0", kind="stop", agent_id=before.id))
    told = await stage.done(move(stage, before))
    assert told.state == "delivered", told
    after = await stage.until_agent(NAME, "idle")
    assert (after.session_id, after.profile) == (before.session_id, str(stage.folder / "second"))
    told = await stage.done(move(stage, before, id="op_2", to="claude"))
    assert told.state == "delivered", told
    back = await stage.until_agent(NAME, "idle")
    assert (back.session_id, back.profile) == (before.session_id, before.profile)
