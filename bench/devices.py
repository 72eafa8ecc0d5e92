"""Many devices at the door, and terminals that print without end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

import aiohttp

from bench.measure import Row, cpu_shares, percentile, usage
from bench.room import Room, desk_of
from controlroom.client import HubClient
from controlroom.gateway.terminal.tmux import server_name
from controlroom.testing.scripted.desk import Desk, end_server
from controlroom.wire.device import MintPairing

DEVICES = 200
TERMINALS = 50
STALLED = 10
BYTES_A_SECOND = 1_000_000
SETTLE_S = 5.0
MEASURE_S = 20.0

PRINTER = f"""
import sys, time
most = {BYTES_A_SECOND}
line = "the crates are counted row by row and it goes on like this " * 20
began, printed = time.monotonic(), 0
while True:
    sys.stdout.write("@T%d@%s\\n" % (time.monotonic_ns(), line))
    sys.stdout.flush()
    printed += len(line) + 30
    time.sleep(max(0.0, printed / most - (time.monotonic() - began)))
"""

_STAMP = re.compile(r"@T(\d{8,25})@")


class Reader:
    """One device with a terminal. ``stalled``: it reads nothing any more."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws
        self.received = 0
        self.delays_s: list[float] = []

    async def read(self) -> None:
        async for message in self.ws:
            if message.type is aiohttp.WSMsgType.TEXT:
                self.received += len(message.data)
                now = time.monotonic_ns()
                if (found := _STAMP.search(message.data)) is not None:
                    self.delays_s.append((now - int(found[1])) / 1e9)


def devices() -> list[Row]:
    """200 connected devices; 50 of them have a terminal that prints 1 MB/s, 10 of those read nothing.

    What the control room itself takes; shells, tmux and the clients are other processes.
    """
    with desk_of(1) as desk:
        printer = desk.folder / "printer.py"
        printer.write_text(PRINTER)
        room = Room(desk)
        try:
            return asyncio.run(_measure(room, printer, _terminals(desk, room)))
        finally:
            room.close()
            end_server(_terminals(desk, room), desk.environ)


def _terminals(desk: Desk, room: Room) -> Path:
    """The socket of the tmux server that holds the terminals."""
    return desk.folder / f"tmux-{os.getuid()}" / server_name(room.home)


def _server(socket: Path) -> int:
    asked = ["tmux", "-S", str(socket), "display-message", "-p", "#{pid}"]
    return int(subprocess.run(asked, capture_output=True, check=True, timeout=30).stdout)


async def _measure(room: Room, printer: Path, terminals: Path) -> list[Row]:
    connector = aiohttp.TCPConnector(limit=0)
    async with contextlib.AsyncExitStack() as stack:
        hub = await stack.enter_async_context(HubClient(room.socket))
        session = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))
        url = (await hub.status()).url.replace("http:", "ws:").replace("/app/", "/ws")
        pids = [room.process.pid]
        readers = [Reader(await _paired(hub, session, url, number)) for number in range(DEVICES)]
        connected = usage(pids).rss_bytes
        idle, _ = await asyncio.to_thread(cpu_shares, (pids, pids), SETTLE_S)
        printing = readers[:TERMINALS]
        for reader in printing:
            await _say(reader.ws, "terminal.attach", session_name=f"t{id(reader)}", cols=120, rows=40)
            await _hear(reader.ws, "terminal.attached")
            command = f"exec python3 {printer}\r"
            await _say(reader.ws, "terminal.input", session_name=f"t{id(reader)}", data=command)
        tasks = [asyncio.ensure_future(reader.read()) for reader in printing[STALLED:]]
        await asyncio.sleep(SETTLE_S)
        settled = usage(pids).rss_bytes
        for reader in printing:
            reader.received, reader.delays_s = 0, []
        server = [await asyncio.to_thread(_server, terminals)]
        busy, multiplexing = await asyncio.to_thread(cpu_shares, (pids, server), MEASURE_S)
        grown = usage(pids).rss_bytes - settled
        delays = sorted(delay for reader in printing for delay in reader.delays_s)
        rate = sum(reader.received for reader in printing) / MEASURE_S
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(reader.ws.close() for reader in readers), return_exceptions=True)
    return [
        Row(f"{DEVICES} devices connected: processor", f"{idle:.1f} % of a core", "–"),
        Row("the same: memory", f"{connected / 1e6:.0f} MB", "–"),
        Row(f"{TERMINALS} terminals print, {STALLED} stalled: processor", f"{busy:.0f} % of a core", "–"),
        Row("of that machine, the tmux server of the terminals", f"{multiplexing:.0f} % of a core", "–"),
        Row("the same: carried to those that read", f"{rate / 1e6:.1f} MB/s", "–"),
        Row("the same: delay, p50", f"{percentile(delays, 0.5) * 1000:.0f} ms", "–"),
        Row("the same: delay, p99", f"{percentile(delays, 0.99) * 1000:.0f} ms", "–"),
        Row(f"the same: memory grown in {MEASURE_S:.0f} s", f"{grown / 1e6:.1f} MB", "flat"),
    ]


async def _paired(
    hub: HubClient, session: aiohttp.ClientSession, url: str, number: int
) -> aiohttp.ClientWebSocketResponse:
    code = (await hub.pair(MintPairing())).code
    ws = await session.ws_connect(url, max_msg_size=0)
    payload = {"pairing_code": code, "device_id": f"device-{number}", "device_name": f"Device {number}"}
    await ws.send_json({"channel": "system", "type": "auth", "id": "1", "payload": payload})
    await _hear(ws, "auth.ok")
    return ws


async def _say(ws: aiohttp.ClientWebSocketResponse, type_: str, **payload: object) -> None:
    await ws.send_json({"channel": "terminal", "type": type_, "id": "1", "payload": payload})


async def _hear(ws: aiohttp.ClientWebSocketResponse, type_: str) -> None:
    async with asyncio.timeout(60):
        while (await ws.receive_json())["type"] != type_:
            pass
