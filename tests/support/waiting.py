"""Waiting for conditions instead of sleeping: a generous deadline, and the reason when it passes."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar, overload

T = TypeVar("T")

DEADLINE_S = 60.0  # generous: the machine may be shared by many; a passing test never waits for it
STEP_S = 0.01


@overload
async def until(
    condition: Callable[[], Awaitable[T | None]], what: str = "", within_s: float = ..., step_s: float = ...
) -> T: ...
@overload
async def until(
    condition: Callable[[], T | None], what: str = "", within_s: float = ..., step_s: float = ...
) -> T: ...
async def until(
    condition: Callable[[], T | Awaitable[T | None] | None],
    what: str = "",
    within_s: float = DEADLINE_S,
    step_s: float = STEP_S,
) -> T:
    """The first true value of ``condition`` (plain or async)."""
    end = time.monotonic() + within_s
    while True:
        result = condition()
        value: T | None = await result if inspect.isawaitable(result) else result
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {within_s:g} s: {what or condition}")
        await asyncio.sleep(step_s)


async def until_equal(read: Callable[[], T], wanted: T, within_s: float = DEADLINE_S) -> None:
    """Until ``read`` gives what is wanted; the reason names what it gave last."""
    try:
        await until(lambda: read() == wanted, within_s=within_s)
    except AssertionError:
        assert read() == wanted


def until_now(
    condition: Callable[[], T], what: str = "", within_s: float = DEADLINE_S, step_s: float = STEP_S
) -> T:
    """``until`` for code without an event loop."""
    end = time.monotonic() + within_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {within_s:g} s: {what or condition}")
        time.sleep(step_s)
