"""A server for a test that blocks: it runs in a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

PATIENCE_S = 60.0


class Server(Protocol):
    async def start(self) -> None: ...

    async def aclose(self) -> None: ...


S = TypeVar("S", bound=Server)


@contextmanager
def in_thread(server: S) -> Iterator[S]:
    """The server, started; ended with the block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="server")
    thread.start()

    def run(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result(PATIENCE_S)

    try:
        run(server.start())
        yield server
        run(server.aclose())
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_S)
        loop.close()
