"""A node that is killed (SIGKILL) at every moment of one move in turn: those of docs/explain/moves.md."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from controlroom.core.operations import Choose, Effect, Finish, Name, Wait
from controlroom.testing.scripted.steps import Say, Scene, Turn
from controlroom.wire.node import ActProgress, AgentState
from tests.integration.node.operations_stage import Stage
from tests.support.move_moments import BACK, THERE

ROOT = Path(__file__).parents[3]
NAME = "orchard"
SPOKEN = Scene(name=NAME, turns=(Turn(prompt="hello", steps=(Say(text="Hello."),)),))
VICTIM_S = 90


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    try:
        (stage.folder / "second").mkdir()
        await stage.start()
        yield stage
    finally:
        await stage.close()


async def killed(stage: Stage, agent: AgentState, at: list[str]) -> ActProgress:
    """One move, its node killed at each of these moments; how it ended."""
    await stage.stop()
    for moment in at:
        victim = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "tests.integration.node.moves_victim"),
            *(str(stage.folder), agent.id, str(stage.folder / "second"), moment),
            cwd=ROOT,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        async with asyncio.timeout(VICTIM_S):
            _, errors = await victim.communicate()
        assert victim.returncode == -signal.SIGKILL, f"{moment}: {errors.decode()}"
    await stage.start()
    return await stage.until_over("op_1")


def test_the_tables_name_every_effect_of_a_move() -> None:
    named = {moment.partition(" ")[0] for moment in THERE + BACK}
    effects = {effect.__name__.lower() for effect in get_args(Effect)}
    others = {kind.__name__.lower() for kind in (Wait, Finish, Choose, Name)}
    assert named == effects - others, "and the window opens with its name"


async def test_a_move_arrives_whenever_the_node_is_killed(stage: Stage) -> None:
    before = await stage.agent(SPOKEN)
    told = await killed(stage, before, THERE)
    assert told.state == "delivered", told
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.chat_id, after.session_id) == (before.id, before.chat_id, before.session_id)
    assert after.profile == str(stage.folder / "second")
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)], "one window, with its name"
    assert len(stage.living()) == 1 and list(await stage.agents()) == [NAME]


async def test_a_move_that_fails_goes_back_whenever_the_node_is_killed(stage: Stage) -> None:
    before = await stage.agent(msgspec.structs.replace(SPOKEN, asks_in="second"))
    told = await killed(stage, before, BACK)
    assert told.state == "failed" and told.error is not None
    assert [step.state for step in told.steps if step.name == "back"] == ["done"], told
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.chat_id, after.session_id) == (before.id, before.chat_id, before.session_id)
    assert after.profile == str(stage.desk.config)
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)], "one window, with its name"
    assert len(stage.living()) == 1 and list(await stage.agents()) == [NAME]
