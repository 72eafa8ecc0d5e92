"""What waits to be written to one socket: in order, bounded; here senders feel a slow device."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

WAIT_ABOVE: Final = 256 * 1024  # bytes; senders wait from here on
DROP_ABOVE: Final = 1024 * 1024  # bytes; pushes that wait for nobody are dropped from here on


class Outbox:
    """A queue of encoded frames with one writer. After ``end`` it takes nothing more."""

    def __init__(self) -> None:
        self._frames: deque[bytes] = deque()
        self._size = 0
        self._has_ended = False
        self._filled = asyncio.Event()
        self._room = asyncio.Event()
        self._empty = asyncio.Event()
        self._room.set()
        self._empty.set()

    @property
    def is_open(self) -> bool:
        return not self._has_ended

    @property
    def size(self) -> int:
        """Bytes that wait."""
        return self._size

    async def put(self, frame: bytes) -> bool:
        """Add a frame, waiting while the socket is full. False when the box has ended."""
        while not self._has_ended and self._size >= WAIT_ABOVE:
            self._room.clear()
            await self._room.wait()
        return self._add(frame)

    def offer(self, frame: bytes) -> bool:
        """Add a frame without waiting; False when it was dropped."""
        return self._size < DROP_ABOVE and self._add(frame)

    def _add(self, frame: bytes) -> bool:
        if self._has_ended:
            return False
        self._frames.append(frame)
        self._size += len(frame)
        self._empty.clear()
        self._filled.set()
        return True

    async def write_all(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        """Write frames as they come, until ``end`` and the last one is out. Errors of ``write`` leave it."""
        while True:
            while self._frames:
                frame = self._frames[0]
                await write(frame)
                if self._frames and self._frames[0] is frame:  # not discarded meanwhile
                    self._frames.popleft()
                    self._size -= len(frame)
                if self._size < WAIT_ABOVE:
                    self._room.set()
            self._empty.set()
            if self._has_ended:
                return
            self._filled.clear()
            await self._filled.wait()

    async def flushed(self) -> None:
        """Wait until nothing waits."""
        await self._empty.wait()

    def end(self, *, discard: bool = False) -> None:
        """Take nothing more, and wake everybody who waits; ``discard`` what was not written yet."""
        self._has_ended = True
        if discard:
            self._frames.clear()
            self._size = 0
            self._empty.set()
        self._room.set()
        self._filled.set()
