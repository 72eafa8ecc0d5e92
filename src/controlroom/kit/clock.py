"""The only place that knows the time, waits for it, and makes random ids."""

from __future__ import annotations

import asyncio
import secrets
import time
import uuid
from typing import Protocol

import msgspec


class Clock(Protocol):
    """What parts ask for the time."""

    def now_ms(self) -> int:
        """Milliseconds since 1970, UTC. May go backwards when the machine's clock is set."""

    def monotonic(self) -> float:
        """Seconds that never go backwards, for time-outs and ages."""


class SystemClock:
    """The machine's clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()


class FakeClock(msgspec.Struct):
    """A clock that tests move by hand."""

    at_ms: int = 1_796_000_000_000
    elapsed: float = 0.0

    def now_ms(self) -> int:
        return self.at_ms

    def monotonic(self) -> float:
        return self.elapsed

    def advance(self, seconds: float) -> None:
        self.at_ms += int(seconds * 1000)
        self.elapsed += seconds


def new_id(prefix: str) -> str:
    """A fresh opaque id such as ``msg_3f0c…`` (96 random bits)."""
    return f"{prefix}_{secrets.token_hex(12)}"


def new_uuid() -> str:
    """A random UUID as text, where a protocol of others asks for one."""
    return str(uuid.uuid4())


async def wait_at_most(event: asyncio.Event, seconds: float | None) -> bool:
    """Wait for an event, at most so long (None: for ever); whether it came. It never raises when it did not.

    Not ``asyncio.wait_for``: before Python 3.12 it loses a cancellation that comes together with the event.
    """
    if event.is_set():  # nothing to wait for, and no timer to begin and end
        return True
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False
