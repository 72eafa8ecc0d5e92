"""A scripted agent in a real tmux, steered over the terminal channel: node, hub and mirror as they run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from controlroom.app.link import InProcessLink
from controlroom.app.panes import HubPanes
from controlroom.app.parts import drivers, multiplexers
from controlroom.hub.hub import Hub
from controlroom.hub.store.store import Store
from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.process import ProcProcesses
from controlroom.kit.settings import Agents, Settings, Tmux
from controlroom.node.node import Node
from controlroom.testing.scripted.desk import Desk
from controlroom.testing.scripted.steps import Say, Scene, Turn
from tests.integration.gateway.terminal_stage import RecordingLink, Stage, say
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until

PATIENCE_S = 60.0
SIZE = "#{pane_width}x#{pane_height}"
SCENE = Scene(name="orchard", turns=(Turn(prompt="Please begin.", steps=(Say(text="All done."),)),))


@pytest.fixture
async def hub(tmux_folder: TmuxFolder, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hub]:
    """A hub over a node that sees the desk and nothing else."""
    folder = tmux_folder.path / "desk"
    folder.mkdir()
    desk = Desk(folder)
    for name, value in desk.environ.items():
        monkeypatch.setenv(name, value)
    desk.add(SCENE)
    clock = SystemClock()
    health = HealthBoard(clock)
    settings = Settings(tmux=Tmux(sockets=(str(desk.socket),)), agents=Agents(kinds=("claude",)))
    home = Home(tmux_folder.path / "room")
    home.prepare()
    node = Node(
        database=home.database("node"),
        name="desk",
        multiplexers=multiplexers(settings, clock, health),
        drivers=drivers(settings, health),
        processes=ProcProcesses(),
        clock=clock,
        health=health,
    )
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(desk.close)
        stack.push_async_callback(node.aclose)
        await node.start()
        hub = Hub(
            settings,
            home,
            Store.at(home.database("hub"), clock, health),
            [InProcessLink(node.api)],
            node.api,
            clock,
            health,
        )
        stack.push_async_callback(hub.aclose)
        await hub.start()
        yield hub


@pytest.fixture
async def stage(hub: Hub, tmux_folder: TmuxFolder) -> AsyncIterator[Stage]:
    stage = Stage(tmux_folder, panes=HubPanes(hub.fleet, hub.mirror, hub.acts))
    await stage.start()
    yield stage
    await stage.aclose()


def pane(tmux_folder: TmuxFolder) -> str:
    desk = Desk(tmux_folder.path / "desk")
    return desk.tmux("display-message", "-p", "-t", "desk:orchard", SIZE).strip()


async def shows(link: RecordingLink, text: str) -> None:
    frames = link.of("terminal.output")
    await until(
        lambda: any(text in one["data"] for one in frames[-3:] + link.of("terminal.output")[-3:]),
        f"{text!r} is shown",
        PATIENCE_S,
    )


async def test_an_agent_is_watched_and_typed_to_and_never_resized(
    hub: Hub, stage: Stage, tmux_folder: TmuxFolder
) -> None:
    def is_idle() -> bool:
        return [agent.activity for agent in hub.fleet().agents if agent.name == "orchard"] == ["idle"]

    await until(is_idle, "the agent is found", PATIENCE_S)
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="agent:orchard", cols=60, rows=15)
    (attached,) = link.of("terminal.attached")
    assert (attached["cols"], attached["rows"]) == (100, 30)
    await shows(link, "All done.")
    await say(handler, "resize", cols=60, rows=15)

    await say(handler, "input", data="water the")
    await shows(link, "water the")
    await say(handler, "input", data="\x1b[200~ young\ntrees\x1b[201~")
    await shows(link, "trees")
    assert link.of("terminal.error") == []
    assert pane(tmux_folder) == "100x30"
    assert stage.clients() == []

    await handler.aclose("socket closed")
    async with asyncio.timeout(PATIENCE_S):
        await until(lambda: not hub.mirror._loops, "nobody watches any more")
