"""The costs that design promises: one function for each, each gives rows of the table."""

from __future__ import annotations

import asyncio
import json
import resource
import tempfile
import time
import zlib
from collections.abc import AsyncIterator
from pathlib import Path

from bench.measure import Row, cpu_share, percentile, usage
from bench.room import Room, desk_of, own, server_pid
from controlroom.client import HubClient
from controlroom.kit.clock import new_id
from controlroom.wire.client import ScreenFrame

AGENTS = 60
WATCHED = 3
MEASURE_S = 20.0
ECHOES = 60
BIG_BYTES = 600_000_000


def start() -> list[Row]:
    """From the command to the line that says it is ready; the second start, with a database that exists."""
    with desk_of(1) as desk:
        Room(desk).close()
        room = Room(desk)
        room.close()
    return [Row("start to ready", f"{room.ready_s * 1000:.0f} ms", "1,000 ms", room.ready_s)]


def fleet() -> list[Row]:
    """Sixty agents: nobody looks; three are watched."""
    with desk_of(AGENTS) as desk:
        room = Room(desk)
        try:
            room.wait_for_agents(AGENTS)
            time.sleep(5)  # the first looks read every file once
            ours, tmux = own(room), [server_pid(desk)]
            idle, idle_tmux = cpu_share(ours, MEASURE_S), cpu_share(tmux, 5)
            rss = usage(ours).rss_bytes / 1e6
            watched, watched_tmux = asyncio.run(_watched(room, ours, tmux))
        finally:
            room.close()
    return [
        Row(f"idle, {AGENTS} agents: memory", f"{rss:.0f} MB", "80 MB", rss / 80),
        Row(f"idle, {AGENTS} agents: processor", f"{idle:.2f} % of a core", "1 %", idle / 1),
        Row("the same, tmux server", f"{idle_tmux:.2f} % of a core", "–"),
        Row(
            f"{AGENTS} panes, {WATCHED} watched, tmux included",
            f"{watched + watched_tmux:.2f} % of a core",
            "5 %",
            (watched + watched_tmux) / 5,
        ),
    ]


async def _watched(room: Room, ours: list[int], tmux: list[int]) -> tuple[float, float]:
    async with HubClient(room.socket) as hub, hub.live() as live:
        agents = (await hub.fleet()).agents[:WATCHED]
        for agent in agents:
            await live.watch(agent.id)
        return await asyncio.to_thread(cpu_share, ours, MEASURE_S), await asyncio.to_thread(
            cpu_share, tmux, 5
        )


def echo() -> list[Row]:
    """From a key sent on the live socket to the frame that shows it."""
    with desk_of(1) as desk:
        room = Room(desk)
        try:
            room.wait_for_agents(1)
            times, sizes = asyncio.run(_echoes(room))
        finally:
            room.close()
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    size = percentile(sizes, 0.5)
    return [
        Row("key echo, p50", f"{p50:.0f} ms", "30 ms", p50 / 30),
        Row("key echo, p95", f"{p95:.0f} ms", "60 ms", p95 / 60),
        Row("mirror, compressed bytes a frame (median)", f"{size:.0f} B", "400 B", size / 400),
    ]


async def _echoes(room: Room) -> tuple[list[float], list[float]]:
    times: list[float] = []
    sizes: list[float] = []
    squeeze = zlib.compressobj(6, wbits=-15)
    async with HubClient(room.socket) as hub, hub.live() as live:
        (agent,) = (await hub.fleet()).agents
        await live.watch(agent.id)
        received = aiter(live)
        await _next_frame(received)
        for number in range(ECHOES):
            began = time.monotonic()
            await live.keys(new_id("req"), agent.id, (chr(ord("a") + number % 26),))
            frame = await _next_frame(received)
            times.append((time.monotonic() - began) * 1000)
            packed = squeeze.compress(frame.data.encode()) + squeeze.flush(zlib.Z_SYNC_FLUSH)
            sizes.append(len(packed))
            await asyncio.sleep(0.25)
    return times, sizes


async def _next_frame(received: AsyncIterator[object]) -> ScreenFrame:
    async for frame in received:
        if isinstance(frame, ScreenFrame):
            return frame
    raise SystemExit("the live socket ended")


def transcript() -> list[Row]:
    """The first page of a very long transcript, and what memory it takes."""
    with tempfile.TemporaryDirectory(prefix="crb-") as folder:
        session = "0f0e0d0c-0b0a-4908-8706-050403020100"
        path = Path(folder) / "projects" / "-work-orchard" / f"{session}.jsonl"
        path.parent.mkdir(parents=True)
        _write_big(path, session)
        took, grown = asyncio.run(_first_page(session, folder))
    return [
        Row("first page of a 600 MB transcript", f"{took * 1000:.0f} ms", "100 ms", took / 0.1),
        Row("memory that it took", f"{grown / 1e6:.1f} MB", "flat"),
    ]


def _write_big(path: Path, session: str) -> None:
    filler = "The crates are counted row by row. " * 60
    with path.open("w") as file:
        size, number = 0, 0
        while size < BIG_BYTES:
            author = "assistant" if number % 2 else "user"
            content: object = [{"type": "text", "text": filler}] if number % 2 else filler
            row = json.dumps(
                {
                    "type": author,
                    "uuid": f"row-{number}",
                    "sessionId": session,
                    "timestamp": "2026-11-30T12:00:00.000Z",
                    "promptSource": "typed",
                    "message": {"role": author, "content": content, "id": f"m{number}"},
                }
            )
            size += file.write(row + "\n")
            number += 1


async def _first_page(session: str, profile: str) -> tuple[float, int]:
    from controlroom.kit.clock import SystemClock
    from controlroom.kit.process import ProcProcesses
    from controlroom.node.agents.claude import driver
    from controlroom.node.world import PaneWorld

    claude = driver(PaneWorld((), ProcProcesses(), SystemClock()))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    page = await claude.items(session, profile, limit=50)
    took = time.monotonic() - began
    assert len(page.items) == 50
    return took, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024


ALL = {"start": start, "fleet": fleet, "echo": echo, "transcript": transcript}
