"""Looks at the machine's memory and disks, and at what the system killed, and keeps health items of it."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from controlroom.core.text import clean_line
from controlroom.core.vitals import AT_ONCE_MS, KILLED_MS, Killed, Room, items_of
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.wire.node import AgentState

LOOK_S = 5.0  # a few reads of the kernel's own files
PREFIX = "vitals:"
VMSTAT = Path("/proc/vmstat")
NAME_LIMIT = 60


class Vitals:
    """``run`` it for ever. ``agents``: as they were seen last."""

    def __init__(
        self,
        *,
        folders: Sequence[Path],
        agents: Callable[[], Iterable[AgentState]],
        clock: Clock,
        health: HealthBoard,
        read: Callable[[Sequence[Path]], tuple[list[Room], int | None]] | None = None,
    ) -> None:
        self._folders = folders
        self._agents = agents
        self._clock = clock
        self._health = health
        self._read = read or read_vitals
        self._kills: int | None = None  # the kernel's count at the last look; None: not known
        self._killed: Killed | None = None

    async def run(self) -> None:
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)

    async def look(self) -> None:
        rooms, kills = await asyncio.to_thread(self._read, self._folders)
        now = self._clock.now_ms()
        if kills is not None:
            if self._kills is not None and kills > self._kills:
                self._killed = self._with(kills - self._kills, now)
            elif self._killed is not None and now - self._killed.at_ms < AT_ONCE_MS:
                self._killed = self._with(0, now)  # the agents' ends are seen a moment later
            self._kills = kills
        low = {item.code for item in self._health.items if item.code.startswith(PREFIX)}
        found = items_of(rooms, low, self._killed, now)
        self._health.replace(PREFIX, [(item.code, item.title, item.do) for item in found])

    def _with(self, more: int, now: int) -> Killed:
        before = self._killed
        is_same = before is not None and now - before.at_ms < KILLED_MS
        ended = tuple(
            clean_line(agent.name, NAME_LIMIT)
            for agent in self._agents()
            if agent.activity == "gone" and 0 <= now - agent.since_ms < AT_ONCE_MS
        )
        known = before.agents if before is not None and is_same else ()
        count = before.count if before is not None and is_same else 0
        at_ms = now if more or before is None else before.at_ms
        return Killed(count + more, at_ms, tuple(dict.fromkeys((*known, *ended))))


def read_vitals(folders: Sequence[Path]) -> tuple[list[Room], int | None]:
    """What is free, and how many programs the kernel has killed for memory since it started (Linux)."""
    import psutil

    memory = psutil.virtual_memory()
    rooms = [Room("memory", memory.available, memory.total)]
    seen: set[int] = set()
    for folder in folders:
        try:
            device = folder.stat().st_dev
            usage = shutil.disk_usage(folder)
        except OSError:  # a folder that is not there has no disk
            continue
        if device not in seen:
            seen.add(device)
            rooms.append(Room("disk", usage.free, usage.total, str(folder)))
    return rooms, _oom_kills()


def _oom_kills() -> int | None:
    try:
        lines = VMSTAT.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return None
    found = next((line.partition(" ")[2] for line in lines if line.startswith("oom_kill ")), "")
    return int(found) if found.isdigit() else None
