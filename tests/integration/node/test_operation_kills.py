"""A node that is killed (SIGKILL) at each moment of an operation, and started again."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.testing.scripted.steps import Say, Scene, Turn
from controlroom.wire.node import AgentState
from tests.integration.node.operations_stage import Stage
from tests.support.waiting import until

NAME = "orchard"
SPOKEN = Scene(name=NAME, turns=(Turn(prompt="hello", steps=(Say(text="Hello."),)),))
VICTIM_S = 90


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    try:
        await stage.start()
        yield stage
    finally:
        await stage.close()


async def killed_at(stage: Stage, agent: AgentState, kind: str, moment: int) -> bool:
    """Whether the node was killed; False: the operation was over before."""
    await stage.stop()
    victim = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "tests.integration.node.operations_victim"),
        *(str(stage.folder), agent.id, kind, str(moment)),
        cwd=Path(__file__).parents[3],
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(VICTIM_S):
        _, errors = await victim.communicate()
    assert victim.returncode in (0, -signal.SIGKILL), errors.decode()
    await stage.start()
    return victim.returncode != 0


@pytest.mark.parametrize("moment", (1, 3, 5, 7, 8, 9, 11, 13, 15))
async def test_a_restart_arrives_whenever_the_node_is_killed(stage: Stage, moment: int) -> None:
    before = await stage.agent(SPOKEN)
    (old,) = stage.living()
    was_killed = await killed_at(stage, before, "restart", moment)
    told = await stage.until_over("op_1")
    assert told.state == "delivered", (was_killed, told)
    after = await stage.until_agent(NAME, "idle")
    assert (after.id, after.chat_id, after.session_id) == (before.id, before.chat_id, before.session_id)
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)], "one window, with its name"
    (new,) = stage.living()
    assert new != old


@pytest.mark.parametrize("moment", (1, 5, 6, 10))
async def test_a_fresh_session_is_the_same_agent_whenever_the_node_is_killed(
    stage: Stage, moment: int
) -> None:
    before = await stage.agent(SPOKEN)
    await killed_at(stage, before, "fresh", moment)
    assert (await stage.until_over("op_1")).state == "delivered"
    after = await stage.until_agent(NAME, "idle")
    assert after.id == before.id and after.session_id != before.session_id
    assert [(name, dead) for _, name, dead in stage.panes()] == [(NAME, False)]
    assert list(await stage.agents()) == [NAME], "no second agent"
    assert len(stage.living()) == 1


@pytest.mark.parametrize("moment", (1, 3, 4, 6, 8))
async def test_a_close_ends_whenever_the_node_is_killed(stage: Stage, moment: int) -> None:
    before = await stage.agent(SPOKEN)
    await stage.agent(Scene(name="cellar"))
    await killed_at(stage, before, "close", moment)
    assert (await stage.until_over("op_1")).state == "delivered"

    async def has_left() -> bool:
        return list(await stage.agents()) == ["cellar"]

    await until(has_left, "it has left the list")
    assert [name for _, name, _ in stage.panes()] == ["cellar"]
