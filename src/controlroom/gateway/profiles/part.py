"""Profiles as a part of the relay door, and the rows that its logins carry."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import structlog
from aiohttp import web

from controlroom.gateway.access import Access
from controlroom.gateway.channels import Channel
from controlroom.gateway.profiles.host import Host
from controlroom.gateway.profiles.routes import ProfileRoutes
from controlroom.gateway.profiles.rows import Row, profile_rows, reached_as
from controlroom.kit.clock import Clock
from controlroom.kit.file_threads import FileThreads
from controlroom.kit.health import HealthBoard
from controlroom.kit.process import ProcProcesses
from controlroom.kit.supervise import Tasks

_log = structlog.get_logger("profiles")
RESCAN_S: Final = 30.0  # the contract's
FRESH_S: Final = 5.0  # many phones that come back at once read the files once

Push = Callable[[str, str, Mapping[str, object], str], None]


class ProfilesPart:
    """The profiles of the Hermes host of this user; none when there is no host.

    ``push``: tells the sockets of the door that hold a right when rows have changed (``Gateway.push``).
    """

    capabilities: Final[Sequence[str]] = ("profiles",)

    def __init__(
        self,
        *,
        environ: Mapping[str, str],
        user_home: Path,
        clock: Clock,
        health: HealthBoard,
        push: Push = lambda channel, type_, payload, right: None,
    ) -> None:
        self._host = Host(environ, user_home)
        self._reached_as = reached_as(environ)
        self._processes = ProcProcesses()
        self._threads = FileThreads("profiles")
        self._tasks = Tasks("profiles")
        self._clock = clock
        self._health = health
        self._push = push
        self._lock = asyncio.Lock()
        self._rows: list[Row] | None = None
        self._read_at = 0.0

    def channels(self) -> Sequence[Channel]:
        return ()

    def routes(self, access: Access) -> Sequence[web.RouteDef]:
        return ProfileRoutes(access, self._host, self._threads).routes()

    def numbers(self) -> Mapping[str, int]:
        return {}

    async def start(self) -> None:
        self._tasks.supervise("rescan", self._run, self._health)

    async def aclose(self) -> None:
        await self._tasks.aclose()
        self._threads.close()

    async def rows(self) -> Sequence[Mapping[str, object]]:
        """All rows, at most some seconds old; the last ones when the disk does not answer."""
        async with self._lock:
            if self._rows is None or self._clock.monotonic() - self._read_at >= FRESH_S:
                await self._read()
            return self._rows or ()

    async def _run(self) -> None:
        while True:
            await self.rows()
            await asyncio.sleep(RESCAN_S)

    async def _read(self) -> None:
        try:
            rows = await self._threads.run(
                lambda: profile_rows(self._host, self._reached_as, self._processes)
            )
        except (TimeoutError, OSError) as error:
            _log.warning("profiles cannot be read", error=str(error))
            return
        self._read_at = self._clock.monotonic()
        before, self._rows = self._rows, rows
        if before is not None and before != rows:
            self._push("pairing", "profiles.updated", {"profiles": rows}, "chat")
