"""One lane for each channel of a socket: its messages in order, one at a time, apart from other channels.

A message waits until the one before it was handled; when too many wait, the socket's reader waits too. The
right is checked again right before a message is handled, because it may have waited. What was received before
the socket ended is still handled (a ``terminal.kill`` right before the close counts), within a deadline.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

import structlog

from controlroom.gateway.channels import Channel, Handler, Link
from controlroom.wire.relay import Envelope

_log = structlog.get_logger("relay")
MOST_MESSAGES: Final = 64
DRAIN_S: Final = 5.0  # what was received before the end: a kill takes milliseconds, a hung handler must go
CLOSE_S: Final = 5.0  # a handler that lets go of its things


class Lane:
    """The messages of one channel on one socket."""

    def __init__(self, channel: Channel, link: Link, may: Callable[[], bool]) -> None:
        self._channel = channel
        self._link = link
        self._may = may
        self._messages: deque[Envelope] = deque()
        self._handler: Handler | None = None
        self._is_ending = False
        self._changed = asyncio.Event()
        self._room = asyncio.Event()

    async def put(self, message: Envelope) -> None:
        """Add a message, waiting while too many wait."""
        while len(self._messages) >= MOST_MESSAGES and not self._is_ending:
            self._room.clear()
            await self._room.wait()
        if not self._is_ending:
            self._messages.append(message)
            self._changed.set()

    async def run(self) -> None:
        """Handle messages until the lane ends."""
        while True:
            while self._messages:
                message = self._messages.popleft()
                self._room.set()
                await self._handle(message)
            if self._is_ending:
                return
            self._changed.clear()
            await self._changed.wait()

    async def _handle(self, message: Envelope) -> None:
        try:
            if not self._may():
                name = (self._channel.right or self._channel.name).capitalize()
                await self._link.system_error(f"{name} grant expired for this device", id=message.id or None)
                return
            if self._handler is None:
                self._handler = await self._channel.open(self._link)
            await self._handler.receive(message)
        except Exception as error:  # noqa: BLE001 - the edge: one channel's fault must not end the others
            _log.error("channel failed", channel=self._channel.name, exc_info=error)
            await self._link.system_error("Internal error", id=message.id or None)

    async def aclose(self, running: asyncio.Task[None], reason: str, *, drain_s: float = DRAIN_S) -> None:
        """Handle what waits, for at most ``drain_s``, then close the handler. ``running``: run's task."""
        self._is_ending = True
        self._changed.set()
        self._room.set()
        _, still = await asyncio.wait({running}, timeout=drain_s)
        if still:
            running.cancel()
            await asyncio.wait({running}, timeout=CLOSE_S)
        if self._handler is None:
            return
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._handler.aclose(reason)
        except Exception as error:  # noqa: BLE001 - the edge: the other lanes must be closed too
            _log.error("channel did not close", channel=self._channel.name, exc_info=error)
