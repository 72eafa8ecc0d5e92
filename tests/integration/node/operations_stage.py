"""Scripted agents in a real tmux server, and a node over them that can be killed and started again."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import msgspec

from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.process import ProcProcesses
from controlroom.node.agents.claude import driver
from controlroom.node.mux.tmux import multiplexer
from controlroom.node.node import Node
from controlroom.testing.scripted.desk import Desk
from controlroom.testing.scripted.steps import Scene
from controlroom.wire.node import ActProgress, ActResult, AgentState, OperateAct
from tests.support.waiting import until

WITHIN_S = 60


async def run_node(folder: Path) -> Node:
    """A node over the agents and the journal of this folder."""
    clock, desk = SystemClock(), Desk(folder)
    node = Node(
        database=folder / "node.sqlite",
        name="attic",
        multiplexers=[multiplexer(environment=desk.environ, sockets=(str(desk.socket),), clock=clock)],
        drivers=[driver],
        processes=ProcProcesses(),
        clock=clock,
        health=HealthBoard(clock),
    )
    await node.start()
    return node


class Stage:
    """``start`` and ``stop`` make a node over the same journal and the same agents."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="cr", dir="/tmp"))
        self.desk = Desk(self.folder)
        self.node: Node | None = None

    @classmethod
    def around(cls, folder: Path, node: Node) -> Stage:
        """The stage of another process, with a node of this one."""
        stage = cls.__new__(cls)
        stage.folder, stage.desk, stage.node = folder, Desk(folder), node
        return stage

    @property
    def running(self) -> Node:
        assert self.node is not None
        return self.node

    async def start(self) -> None:
        self.node = await run_node(self.folder)

    async def stop(self) -> None:
        if self.node is not None:
            await self.node.aclose()
            self.node = None

    async def close(self) -> None:
        await self.stop()
        self.desk.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    # ---- what is there -----------------------------------------------------------------------------------

    async def agents(self) -> dict[str, AgentState]:
        snapshot = await self.running.api.snapshot(-1, 5)
        assert snapshot is not None
        return {agent.name: agent for agent in snapshot.agents}

    async def agent(self, scene: Scene, activity: str = "idle", *, in_shell: bool = False) -> AgentState:
        """A new agent, once it is seen to do this."""
        self.desk.add(scene, in_shell=in_shell)
        return await self.until_agent(scene.name, activity)

    async def until_agent(self, name: str, activity: str) -> AgentState:
        async def is_so() -> bool:
            found = (await self.agents()).get(name)
            return found is not None and found.activity == activity

        await until(is_so, f"{name} is {activity}", within_s=WITHIN_S)
        return (await self.agents())[name]

    def panes(self) -> list[tuple[str, str, bool]]:
        """(pane id, window name, whether its program has ended) of the desk's server."""
        rows = self.desk.tmux("list-panes", "-a", "-F", "#{pane_id}|#{pane_dead}|#{window_name}").splitlines()
        split = [row.split("|", 2) for row in rows]
        return [(id, name, dead == "1") for id, dead, name in split]

    def living(self) -> list[int]:
        """Processes of scripted agents of this desk."""
        mark = str(self.folder).encode()
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == os.fsencode(self.folder / "bin" / "claude") and mark in words[0]:
                found.append(int(entry.name))
        return found

    # ---- operations --------------------------------------------------------------------------------------

    async def operate(self, act: OperateAct) -> ActResult:
        return await self.running.api.act(act)

    async def told(self, id: str) -> list[ActProgress]:
        return [row for row in (await self.running.api.acts(0, 2.0)).acts if row.id == id]

    async def until_over(self, id: str) -> ActProgress:
        async def is_over() -> bool:
            rows = await self.told(id)
            return bool(rows) and rows[-1].state in ("delivered", "failed")

        await until(is_over, f"{id} is over", within_s=WITHIN_S)
        return (await self.told(id))[-1]

    async def done(self, act: OperateAct) -> ActProgress:
        """Do it to the end."""
        result = await self.operate(act)
        assert result.code == "ok", result
        return await self.until_over(act.id)


def put_in_path(stage: Stage, scene: Scene) -> None:
    """A ``claude`` in the PATH of the server, which plays this scene."""
    script = stage.folder / "scene.json"
    script.write_bytes(msgspec.json.encode(scene))
    folder = stage.folder / "path"
    folder.mkdir()
    program = folder / "claude"
    words = f"{stage.desk.folder}/bin/claude -m controlroom.testing.scripted.claude --scene {script}"
    program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
    program.chmod(0o755)
    stage.desk.tmux("set-environment", "-g", "PATH", f"{folder}:{os.environ['PATH']}")
