"""A whole hub over fake nodes: real SQLite, real sockets, a real client."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest

from controlroom.client import HubClient
from controlroom.hub.hub import Hub
from controlroom.hub.store.store import Store
from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.settings import Door, Settings
from controlroom.testing.fake_node import FakeNode
from controlroom.wire.model import Agent
from tests.support.waiting import until


class FakeCallers:
    """Says of every caller what the test says."""

    agent: str | None = None

    async def agent_of(self, pid: int) -> str | None:
        return self.agent


class House:
    """The hub under test, its nodes and its client. ``restart`` keeps the data folder and the nodes."""

    def __init__(self, path: Path) -> None:
        self.clock = SystemClock()
        self.home = Home(path / "home")
        self.home.prepare()
        self.callers = FakeCallers()
        self.node = FakeNode(self.clock)
        self.nodes = [self.node]
        self.board = HealthBoard(self.clock)
        self.settings = Settings(door=Door(port=0))
        self.hub: Hub
        self.store: Store
        self.client: HubClient

    async def start(self) -> None:
        self.store = Store.at(self.home.database("hub"), self.clock, self.board)
        self.hub = Hub(
            self.settings,
            self.home,
            self.store,
            self.nodes,
            self.callers,
            self.clock,
            self.board,
            url="http://localhost:8767/app/",
        )
        await self.hub.start()
        self.client = await HubClient(self.home.socket).__aenter__()

    async def stop(self) -> None:
        await self.client.__aexit__(None, None, None)
        await self.hub.aclose()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def agent(self, agent_id: str = "agt_1") -> Agent | None:
        fleet = await self.client.fleet()
        return next((agent for agent in fleet.agents if agent.id == agent_id), None)

    async def until_agent(self, agent_id: str = "agt_1", **wanted: object) -> Agent:
        """The agent, once these fields of it have these values."""

        async def fits() -> Agent | None:
            agent = await self.agent(agent_id)
            if agent is None or any(getattr(agent, name) != value for name, value in wanted.items()):
                return None
            return agent

        return await until(fits, f"{agent_id} with {wanted}")

    def raw(self) -> aiohttp.ClientSession:
        """A session on the Unix socket, for requests that the client would not make."""
        return aiohttp.ClientSession(
            base_url="http://localhost", connector=aiohttp.UnixConnector(str(self.home.socket))
        )


@pytest.fixture
def folder() -> Iterator[Path]:
    """Short: socket paths end at 100 bytes."""
    with tempfile.TemporaryDirectory(prefix="acr") as path:
        yield Path(path)


@pytest.fixture
async def house(folder: Path) -> AsyncIterator[House]:
    house = House(folder)
    await house.start()
    yield house
    await house.stop()
