"""One client of the live socket, as a queue: what it gets, in which order, and when that is too much."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from controlroom.wire.client import FromServer
from controlroom.wire.codec import encode

QUEUE_EVENTS = 2_000
QUEUE_ITEMS = 100  # throw-away: the chat.items event says that there is more

Send = Callable[[bytes], Awaitable[None]]


class Full(Exception):
    """The client's queue is full: it must come again and resume."""


class Outbox:
    """Everything that waits for one client. Putting something in never waits."""

    def __init__(self) -> None:
        self._events: deque[tuple[int, bytes]] = deque()
        self._other: deque[bytes] = deque()
        self._frames: dict[str, bytes] = {}
        self._something = asyncio.Event()
        self.is_full = False

    def event(self, seq: int, data: bytes) -> None:
        if len(self._events) >= QUEUE_EVENTS:
            self.is_full = True
        else:
            self._events.append((seq, data))
        self._something.set()

    def items(self, data: bytes) -> None:
        if len(self._other) < QUEUE_ITEMS:
            self._other.append(data)
            self._something.set()

    def frame(self, agent_id: str, data: bytes) -> None:
        """The newest screen of a pane, in place of one that was not sent yet."""
        self._frames[agent_id] = data
        self._something.set()

    def say(self, frame: FromServer) -> None:
        """Answers to what the client said."""
        if len(self._other) >= QUEUE_ITEMS * 2:
            self.is_full = True
        else:
            self._other.append(encode(frame))
        self._something.set()

    def forget_frame(self, agent_id: str) -> None:
        """The client does not want to see this pane any more."""
        self._frames.pop(agent_id, None)

    async def drain(self, send: Send, after: int) -> None:
        """Send what comes, for ever: events behind ``after`` first, in their order; screens last.

        Raises Full, and what ``send`` raises.
        """
        while True:
            await self._something.wait()
            self._something.clear()
            while self._events or self._other or self._frames:
                self._check()
                if self._events:
                    seq, data = self._events.popleft()
                    if seq > after:
                        await send(data)
                elif self._other:
                    await send(self._other.popleft())
                else:
                    agent_id = next(iter(self._frames))
                    await send(self._frames.pop(agent_id))
            self._check()

    def _check(self) -> None:
        if self.is_full:
            raise Full
