"""How adapters look for servers and stay with them: once a second, and in trouble after growing pauses."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Literal

from controlroom.kit.clock import wait_at_most
from controlroom.kit.supervise import Tasks

Sockets = Literal["auto"] | Sequence[str]
"""Which servers the setting wants: all of this user, or these paths and names."""

NOBODY = frozenset({errno.ECONNREFUSED, errno.ENOENT, errno.ENOTDIR, errno.ENOTSOCK})
"""No server behind a socket: it does not exist, or its server ended."""

LOOK_EVERY_S = 1.0  # a new server is seen within this time; one look costs some 50 µs
FIRST_PAUSE_S, LAST_PAUSE_S = 0.5, 10.0  # between tries at a server in trouble


def pause_after(failures: int) -> float:
    """Seconds to wait after so many failures in a row."""
    return min(FIRST_PAUSE_S * 2.0 ** max(failures - 1, 0), LAST_PAUSE_S) if failures else 0.0


def socket_identity(path: str) -> tuple[int, int] | None:
    """A restarted server makes another one. None: there is no such file."""
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns


class Watch:
    """Looks for servers from ``start`` until ``aclose``, and wakes who waits for a change."""

    def __init__(self, owner: str, look: Callable[[], Awaitable[None]]) -> None:
        self._look = look
        self._changed = asyncio.Event()
        self._tasks = Tasks(owner)

    def start(self) -> None:
        self._tasks.start("scan", self._look_for_ever())

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def tell(self) -> None:
        """Something changed."""
        self._changed.set()

    async def wait(self, timeout_s: float) -> None:
        """See ``Multiplexer.wait_change``."""
        await wait_at_most(self._changed, timeout_s)
        self._changed.clear()

    async def _look_for_ever(self) -> None:
        while True:
            await self._look()
            await asyncio.sleep(LOOK_EVERY_S)
