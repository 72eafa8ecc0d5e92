"""The costs that design promises: one function for each, each gives rows of the table."""

from __future__ import annotations

import asyncio
import json
import resource
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

from bench.devices import devices
from bench.measure import Row, cpu_shares, percentile, usage
from bench.moving import moving
from bench.notifications import notifications
from bench.questions import questions
from bench.replies import replies
from bench.room import Room, desk_of, own, server_pid
from bench.usage import counting
from bench.web import web
from bench.wire import drawing, metered, reading, watching
from controlroom.client import HubClient
from controlroom.kit.clock import new_id
from controlroom.testing.scripted.desk import Desk
from controlroom.wire.client import ScreenFrame

AGENTS = 60
WATCHED = 3
HEIGHT = 40
SETTLE_S = 10.0  # the first looks read every file once
MEASURE_S = 30.0  # a tick of the kernel's clock is then 0.03 % of a core
STARTS = 5
WINDOW_BITS = 15  # of the compression, as browsers offer it
ECHOES = 60
ECHO_PAUSE_S = 0.25  # a person's pace; a burst would be answered by one look
BIG_BYTES = 600_000_000


def start() -> list[Row]:
    """From the command to the line that says it is ready, with databases that exist; the middle of several.

    Processor time is the figure that holds on a busy machine; on an idle one the wall time is little more.
    """
    with desk_of(1) as desk:
        Room(desk).close()  # makes the databases, and Python's compiled files
        found = []
        for _ in range(STARTS):
            room = Room(desk)
            found.append((room.ready_cpu_s, room.ready_s))
            room.close()
    cpu, wall = (percentile([each[at] for each in found], 0.5) for at in (0, 1))
    return [
        Row("start to ready", f"{wall * 1000:.0f} ms", "1,000 ms", wall),
        Row("start to ready, processor time", f"{cpu * 1000:.0f} ms", "1,000 ms", cpu),
    ]


def fleet() -> list[Row]:
    """Sixty agents: nobody looks; three are watched while a status line is drawn in them; a listing."""
    with desk_of(AGENTS, height=HEIGHT) as desk:
        room = Room(desk)
        try:
            room.wait_for_agents(AGENTS)
            time.sleep(SETTLE_S)
            ours, tmux = own(room), [server_pid(desk)]
            idle, idle_tmux = cpu_shares((ours, tmux), MEASURE_S)
            rss = usage(ours).rss_bytes / 1e6
            listing = percentile([room.fleet_cpu_s() for _ in range(STARTS)], 0.5)
            watched = asyncio.run(_watched(desk, room, ours, tmux))
        finally:
            room.close()
    return [
        Row(f"idle, {AGENTS} agents: memory", f"{rss:.0f} MB", "80 MB", rss / 80),
        Row(f"idle, {AGENTS} agents: processor", f"{idle:.2f} % of a core", "1 %", idle),
        Row("the same, tmux server", f"{idle_tmux:.2f} % of a core", "–"),
        Row(
            f"{AGENTS} panes, {WATCHED} watched, at rest, tmux included",
            f"{watched.still:.2f} % of a core",
            "5 %",
            watched.still / 5,
        ),
        Row(
            f"{AGENTS} panes, {WATCHED} watched, drawing at 10 Hz, tmux included",
            f"{watched.moving:.2f} % of a core",
            "5 %",
            watched.moving / 5,
        ),
        Row("of that, tmux server", f"{watched.tmux:.2f} % of a core", "–"),
        Row("of that, drawing alone", f"{watched.tmux_alone:.2f} % of a core", "–"),
        Row(f"`controlroom fleet`, {AGENTS} agents, processor time", f"{listing * 1000:.0f} ms", "–"),
    ]


class Watched(NamedTuple):
    """Percent of a core."""

    still: float  # nothing moves in the watched panes
    moving: float  # a status line moves in them, ten times a second
    tmux: float  # the server's part of that
    tmux_alone: float  # what moving it costs the server when nobody watches


async def _watched(desk: Desk, room: Room, ours: list[int], tmux: list[int]) -> Watched:
    names = [f"agent-{number}" for number in range(WATCHED)]
    groups = ours, tmux
    async with HubClient(room.socket) as hub, hub.live() as live:
        async with drawing(desk, names, HEIGHT):
            alone = await asyncio.to_thread(cpu_shares, groups, MEASURE_S)
        for agent in (await hub.fleet()).agents:
            if agent.name in names:
                await live.watch(agent.id)
        async with reading(live) as frames:
            still = await asyncio.to_thread(cpu_shares, groups, MEASURE_S)
            async with drawing(desk, names, HEIGHT):
                before = frames.count
                moving = await asyncio.to_thread(cpu_shares, groups, MEASURE_S)
    if frames.count - before < MEASURE_S * WATCHED:
        raise SystemExit("hardly a frame arrived: this measured nothing")
    return Watched(sum(still), sum(moving), moving[1], alone[1])


def echo() -> list[Row]:
    """From a key sent on the live socket to the frame that shows it."""
    with desk_of(1) as desk:
        room = Room(desk)
        try:
            room.wait_for_agents(1)
            times = asyncio.run(_echoes(room))
        finally:
            room.close()
    p50, p95 = percentile(times, 0.5), percentile(times, 0.95)
    return [
        Row("key echo, p50", f"{p50:.0f} ms", "30 ms", p50 / 30),
        Row("key echo, p95", f"{p95:.0f} ms", "60 ms", p95 / 60),
    ]


async def _echoes(room: Room) -> list[float]:
    """Milliseconds, the server's own times included; each key waits for the frame that holds it."""
    times: list[float] = []
    async with HubClient(room.socket) as hub, hub.live() as live:
        (agent,) = (await hub.fleet()).agents
        await live.watch(agent.id)
        received = aiter(live)
        await _frame_with(received, "")
        typed = ""
        for number in range(ECHOES):
            typed += chr(ord("a") + number % 26)
            began = time.monotonic()
            await live.keys(new_id("req"), agent.id, (typed[-1],))
            await _frame_with(received, typed)
            times.append((time.monotonic() - began) * 1000)
            await asyncio.sleep(ECHO_PAUSE_S)
    return times


async def _frame_with(received: AsyncIterator[object], text: str) -> None:
    async for frame in received:
        if isinstance(frame, ScreenFrame) and text in frame.data:
            return
    raise SystemExit("the live socket ended")


def mirror() -> list[Row]:
    """Bytes on the live socket for each frame of a pane in which a status line moves ten times a second.

    Browsers ask for compression. The command line does not: on a socket of the same machine it costs more
    than it saves.
    """
    with desk_of(1, height=HEIGHT) as desk:
        room = Room(desk)
        try:
            room.wait_for_agents(1)
            size, rate = asyncio.run(_frame_size(desk, room, WINDOW_BITS))
            plain, _ = asyncio.run(_frame_size(desk, room, 0))
        finally:
            room.close()
    return [
        Row("mirror, compressed bytes a frame", f"{size:.0f} B", "400 B", size / 400),
        Row("the same, not compressed", f"{plain:.0f} B", "–"),
        Row("mirror, frames a second", f"{rate:.1f}", "–"),
    ]


async def _frame_size(desk: Desk, room: Room, compress: int) -> tuple[float, float]:
    async with metered(room) as meter, HubClient(room.socket) as hub:
        (agent,) = (await hub.fleet()).agents
        async with drawing(desk, [agent.name], HEIGHT), watching(meter.socket, agent.id, compress) as frames:
            await asyncio.sleep(2)
            bytes_before, frames_before = meter.received, frames.count
            await asyncio.sleep(MEASURE_S)
            count = frames.count - frames_before
            return (meter.received - bytes_before) / max(count, 1), count / MEASURE_S


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


ALL = {
    "start": start,
    "fleet": fleet,
    "echo": echo,
    "mirror": mirror,
    "transcript": transcript,
    "replies": replies,
    "questions": questions,
    "notifications": notifications,
    "usage": counting,
    "moving": moving,
    "devices": devices,
    "web": web,
}
