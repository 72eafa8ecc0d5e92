"""A wire that counts: a socket before the hub's, and a status line that is drawn into panes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from bench.room import Room
from controlroom.client.hub import API
from controlroom.client.live import Live
from controlroom.testing.scripted.desk import Desk
from controlroom.wire.client import HelloFrame, ScreenFrame, Watch, decode_from_server
from controlroom.wire.codec import encode

BLOCK = 65_536
HERTZ = 10


class Meter:
    """Bytes from the hub to the client, as they went over the socket: compressed, headers and all."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.received = 0


@asynccontextmanager
async def metered(room: Room) -> AsyncIterator[Meter]:
    """A socket that leads to the room's own."""
    meter = Meter(room.home / "meter.sock")
    copying: set[asyncio.Task[None]] = set()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, counts: bool) -> None:
        while data := await reader.read(BLOCK):
            meter.received += len(data) if counts else 0
            writer.write(data)
            await writer.drain()
        writer.close()

    async def lead_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hub_reader, hub_writer = await asyncio.open_unix_connection(room.socket)
        for task in (
            asyncio.ensure_future(copy(reader, hub_writer, counts=False)),
            asyncio.ensure_future(copy(hub_reader, writer, counts=True)),
        ):
            copying.add(task)

    server = await asyncio.start_unix_server(lead_on, meter.socket)
    try:
        yield meter
    finally:
        server.close()
        for task in copying:
            task.cancel()
        await asyncio.gather(*copying, return_exceptions=True)


class Frames:
    """How many screens have arrived."""

    def __init__(self) -> None:
        self.count = 0


@asynccontextmanager
async def reading(live: Live) -> AsyncIterator[Frames]:
    """Take whatever comes, as a client does."""
    frames = Frames()

    async def read() -> None:
        async for frame in live:
            frames.count += isinstance(frame, ScreenFrame)

    async with _running(read()):
        yield frames


@asynccontextmanager
async def watching(socket: Path, agent_id: str, compress: int) -> AsyncIterator[Frames]:
    """Watch one agent as a browser does; ``compress`` are the window bits of the compression, 0 for none."""
    frames = Frames()
    async with (
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(socket))) as session,
        session.ws_connect(f"{API}/live", compress=compress) as link,
    ):
        if bool(link.compress) != bool(compress):
            raise SystemExit("the hub did not agree to the compression that was asked for")

        async def read() -> None:
            async for message in link:
                frames.count += isinstance(decode_from_server(message.data), ScreenFrame)

        await link.send_str(encode(HelloFrame()).decode())
        await link.send_str(encode(Watch(agent_id=agent_id)).decode())
        async with _running(read()):
            yield frames


@asynccontextmanager
async def drawing(desk: Desk, names: list[str], height: int) -> AsyncIterator[None]:
    """Meanwhile a status line moves in these agents' panes ten times a second, as in working agents."""
    async with _running(_draw(desk, names, height)):
        yield


@asynccontextmanager
async def _running(work: Coroutine[None, None, None]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work)
    try:
        yield
        if task.done():
            task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _draw(desk: Desk, names: list[str], height: int) -> None:
    ttys = [
        os.open(desk.tmux("display-message", "-p", "-t", f"desk:{name}", "#{pane_tty}").strip(), os.O_WRONLY)
        for name in names
    ]
    began = time.monotonic()
    glyphs = "·✢✳✶✻✽"
    try:
        for number in range(1_000_000):
            seconds = int(time.monotonic() - began)
            glyph = glyphs[number % len(glyphs)]
            words = f"{glyph} Sorting… ({seconds}s · ↓ {number * 7} tokens)"
            for tty in ttys:
                os.write(tty, f"\x1b7\x1b[{height - 6};1H\x1b[38;5;174m{words}\x1b[0m\x1b[K\x1b8".encode())
            await asyncio.sleep(1 / HERTZ)
    finally:
        for tty in ttys:
            os.close(tty)
