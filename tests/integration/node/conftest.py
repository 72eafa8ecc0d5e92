"""A node with agents in memory, a real journal on disk, and no multiplexer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.process import ProcProcesses
from controlroom.node.node import Node
from controlroom.testing.fake_driver import FakeDriver
from controlroom.wire.node import ActProgress, AgentState
from tests.integration.node.usage_stage import Desk, Service


class Room:
    """A node whose looks are made by hand; ``crash`` leaves everything as a kill would."""

    def __init__(self, folder: Path) -> None:
        self.clock = FakeClock()
        self.driver = FakeDriver(self.clock)
        self._folder = folder
        self.node: Node

    async def start(self) -> None:
        self.node = Node(
            database=self._folder / "node.sqlite",
            name="attic",
            multiplexers=(),
            drivers=[lambda world: self.driver],
            processes=ProcProcesses(),
            clock=self.clock,
            health=HealthBoard(self.clock),
        )
        await self.node.open()

    async def look(self, times: int = 1) -> None:
        """A look at all agents, then at the queues, until nothing more is under way."""
        for _ in range(times):
            self.clock.advance(1)
            await self.node.look()

    async def restart(self) -> None:
        await self.node.aclose()
        await self.start()

    async def agents(self) -> dict[str, AgentState]:
        snapshot = await self.node.api.snapshot(-1, 1)
        assert snapshot is not None
        return {agent.name: agent for agent in snapshot.agents}

    async def progress(self, message_id: str) -> list[ActProgress]:
        answer = await self.node.api.acts(0, 0.1)
        return [row for row in answer.acts if row.id == message_id]


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    room = Room(tmp_path)
    await room.start()
    yield room
    await room.node.aclose()


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    """What usage readers could ask."""
    service = Service()
    await service.start()
    yield service
    await service.aclose()


@pytest.fixture
async def desk(tmp_path: Path, service: Service) -> AsyncIterator[Desk]:
    """A machine with one folder that is signed in to a Claude account."""
    desk = Desk(tmp_path, service)
    desk.claude("work")
    await desk.start()
    yield desk
    await desk.aclose()
