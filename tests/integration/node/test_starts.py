"""New agents in worktrees of their own, with names and flags that may be had."""

from __future__ import annotations

import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.testing.scripted.steps import Scene
from controlroom.wire.node import OperateAct
from tests.integration.node.operations_stage import Stage, put_in_path

WHO = ("-c", "user.name=Kim", "-c", "user.email=kim@host.example")


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    stage = Stage()
    try:
        await stage.start()
        yield stage
    finally:
        await stage.close()


@pytest.fixture
def repository(stage: Stage) -> Path:
    folder = stage.folder / "pears"
    folder.mkdir()
    for words in (
        ("init", "--quiet"),
        (*WHO, "commit", "--quiet", "--allow-empty", "-m", "Plant pears."),
    ):
        environment = {"PATH": os.environ["PATH"], "HOME": str(stage.folder)}
        subprocess.run(["git", *words], cwd=folder, check=True, env=environment)
    return folder


def start(folder: Path, id: str = "op_1", *, name: str = "", worktree: str = "") -> OperateAct:
    return OperateAct(
        id=id, kind="start", agent_kind="claude", folder=str(folder), name=name, worktree=worktree
    )


async def test_a_worktree_comes_with_its_agent_goes_with_it_and_comes_back(
    stage: Stage, repository: Path
) -> None:
    await stage.agent(Scene(name="orchard"))
    worktree = Path(f"{repository}-kim-plums")
    failed = await stage.done(start(repository, "op_0", worktree="kim/plums"))
    assert failed.error is not None and "claude is not in the PATH" in failed.error.text
    assert not worktree.exists(), "a start that fails leaves nothing"

    put_in_path(stage, Scene(name="scripted"))
    told = await stage.done(start(repository, worktree="kim/plums"))
    assert told.state == "delivered", told
    details = {step.name: step.detail for step in told.steps}
    assert details["open"] == f"It works in the new worktree {worktree}, on the branch kim/plums."
    agent = await stage.until_agent(worktree.name, "idle")
    assert (agent.folder, agent.branch) == (str(worktree), "kim/plums")

    told = await stage.done(OperateAct(id="op_2", kind="close", agent_id=agent.id))
    assert told.state == "delivered", told
    assert told.steps[-1].detail == ("Its worktree was clean and is removed; the branch kim/plums stays.")
    assert not worktree.exists()

    told = await stage.done(OperateAct(id="op_3", kind="restart", agent_id=agent.id))
    assert told.state == "delivered", told
    assert (await stage.until_agent(worktree.name, "idle")).id == agent.id
    (worktree / "new.txt").write_text("not committed")
    told = await stage.done(OperateAct(id="op_4", kind="close", agent_id=agent.id))
    assert "not committed" in (told.steps[-1].detail or "")
    assert (worktree / "new.txt").exists()


async def test_a_folder_without_a_repository_starts_nothing(stage: Stage) -> None:
    await stage.agent(Scene(name="orchard"))
    told = await stage.done(start(stage.folder, worktree="plums"))
    assert told.state == "failed"
    assert told.error is not None
    assert "not in a git repository" in told.error.text
    assert len(stage.panes()) == 1


async def test_a_name_is_one_agents(stage: Stage) -> None:
    one = await stage.agent(Scene(name="orchard"))
    await stage.agent(Scene(name="cellar"))
    put_in_path(stage, Scene(name="scripted"))
    taken = await stage.operate(OperateAct(id="op_1", kind="rename", agent_id=one.id, name="cellar"))
    assert (taken.code, "cellar 2 is free" in taken.text) == ("conflict", True)
    assert (await stage.operate(start(stage.folder, "op_2", name="orchard"))).code == "conflict"
    same = await stage.done(OperateAct(id="op_3", kind="rename", agent_id=one.id, name="orchard"))
    assert same.state == "delivered"
    work = stage.folder / "more" / "orchard"
    work.mkdir(parents=True)
    assert (await stage.operate(start(work, "op_4"))).code == "ok"  # two at once
    assert (await stage.done(start(work, "op_5"))).state == "delivered"
    for name in ("orchard 2", "orchard 3"):
        assert (await stage.until_agent(name, "idle")).folder == str(work)


async def test_flags_that_nobody_allowed_are_refused(stage: Stage) -> None:
    refused = await stage.operate(
        OperateAct(
            id="op_1",
            kind="start",
            agent_kind="claude",
            folder=str(stage.folder),
            flags=("--dangerously-skip-permissions",),
        )
    )
    assert (refused.code, "agents.flags" in refused.text) == ("bad_request", True)
