"""A control room's doors without agents: everything composed as ``up`` does, in this process."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

from controlroom.app.doors import Doors, DoorWish
from controlroom.app.room import Room
from controlroom.client import HubClient
from controlroom.kit.clock import SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.process import ProcProcesses
from controlroom.kit.settings import Door, Settings
from controlroom.node.node import Node
from controlroom.wire.device import MintPairing


class Answer:
    """One answer, read to its end."""

    def __init__(self, status: int, headers: dict[str, str], text: str) -> None:
        self.status = status
        self.headers = headers
        self.text = text


class House:
    """``device`` and ``proxy`` are the doors' ports."""

    def __init__(self, home: Home, doors: Doors, room: Room, health: HealthBoard) -> None:
        self.home = home
        self.doors = doors
        self.room = room
        self.health = health
        self.session: aiohttp.ClientSession

    @property
    def ports(self) -> dict[str, int]:
        return {"device": self.doors.port, "proxy": self.doors.proxy_port}

    async def ask(
        self, path: str, method: str = "GET", *, door: str = "device", host: str = "localhost", **kwargs: Any
    ) -> Answer:
        headers = {"Host": host, **kwargs.pop("headers", {})}
        async with self.session.request(
            method,
            f"http://127.0.0.1:{self.ports[door]}{path}",
            headers=headers,
            allow_redirects=False,
            **kwargs,
        ) as answer:
            return Answer(answer.status, dict(answer.headers), await answer.text(errors="replace"))

    async def code(self) -> str:
        async with HubClient(self.home.socket) as hub:
            return (await hub.pair(MintPairing())).code

    async def raw(self, data: bytes, *, door: str = "device", within_s: float = 20.0) -> bytes:
        """What comes back for these bytes first; nothing when the other side closes without a word."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.ports[door])
        try:
            async with asyncio.timeout(within_s):
                writer.write(data)
                await writer.drain()
                return await reader.read(65_536)
        except ConnectionError:
            return b""
        finally:
            writer.close()


@asynccontextmanager
async def open_house(settings: Settings | None = None, **wish: Any) -> AsyncIterator[House]:
    """Everything that ``up`` composes, over a node without agents."""
    settings = settings or Settings(door=Door())
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="cr", dir="/tmp"))
        home, clock = Home(Path(folder) / "home"), SystemClock()
        home.prepare()
        health = HealthBoard(clock)
        doors = Doors.opened(DoorWish(port=0, **wish), settings.door, clock=clock, health=health)
        stack.push_async_callback(doors.aclose)
        node = Node(
            database=home.database("node"),
            name="orchard",
            multiplexers=[],
            drivers=[],
            processes=ProcProcesses(),
            clock=clock,
            health=health,
        )
        stack.push_async_callback(node.aclose)
        await node.start()
        room = Room(node=node, doors=doors, home=home, settings=settings, clock=clock, health=health)
        stack.push_async_callback(room.aclose)
        await room.start()
        house = House(home, doors, room, health)
        connector = aiohttp.TCPConnector(limit=0, force_close=True)
        house.session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        yield house
