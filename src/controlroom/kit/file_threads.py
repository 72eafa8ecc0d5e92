"""File work of one part, in threads of its own: a disk that hangs holds up nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, Protocol, TypeVar

T = TypeVar("T")

THREADS: Final = 4  # a file system that hangs holds these threads, never those of the rest of the service
LOOK_S: Final = 15.0  # a disk that wakes up takes ten seconds; a network file system may never answer


class RunsFileWork(Protocol):
    """What receiving and sending files ask of whoever owns the threads."""

    async def run(self, job: Callable[[], T]) -> T:
        """Run ``job`` in a thread. Raises TimeoutError, and what the job raises."""


class FileThreads:
    """A few threads for work that may block."""

    def __init__(self, name: str) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix=name)

    async def run(self, job: Callable[[], T], left_over: Callable[[T], None] | None = None) -> T:
        """Run ``job`` in a thread. ``left_over`` gets the result when the caller does not wait any more.

        Raises TimeoutError, and what the job raises.
        """
        future = self._threads.submit(job)
        try:
            async with asyncio.timeout(LOOK_S):
                return await asyncio.wrap_future(future)
        except (TimeoutError, asyncio.CancelledError):
            if left_over is not None:
                future.add_done_callback(lambda done: _hand_over(done, left_over))
            raise

    def close(self) -> None:
        """End the threads without waiting for what hangs."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _hand_over(done: Future[T], left_over: Callable[[T], None]) -> None:
    if not done.cancelled() and done.exception() is None:
        left_over(done.result())
