"""A cable between browser and control room that can be cut, silently or not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

CHUNK = 65536


class Cable:
    """Forwards ``localhost:port`` to another port of this machine, in a thread of its own."""

    def __init__(self, to_port: int) -> None:
        self._to_port = to_port
        self.carried = 0  # bytes, both ways
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="cable", daemon=True)
        self._thread.start()
        self._silent: set[asyncio.StreamWriter] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._refuses = False
        self.port = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}/app/"

    def cut_silently(self) -> None:
        """Connections of now stay open and carry nothing for ever; new ones work."""

        def cut() -> None:
            self._silent |= self._writers

        self._call(cut)

    def cut(self) -> None:
        """Connections end at once, and no new one is taken until ``mend``."""

        def cut() -> None:
            self._refuses = True
            for writer in tuple(self._writers):
                writer.transport.abort()

        self._call(cut)

    def mend(self) -> None:
        def mend() -> None:
            self._refuses = False

        self._call(mend)

    def close(self) -> None:
        self.cut()
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        while others := asyncio.all_tasks() - {asyncio.current_task()}:  # one that is accepted begins another
            await asyncio.gather(*others, return_exceptions=True)

    def _call(self, act: Callable[[], None]) -> None:
        done = threading.Event()

        def run() -> None:
            act()
            done.set()

        self._loop.call_soon_threadsafe(run)
        assert done.wait(10)

    async def _listen(self) -> int:
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._refuses:
            await _abort(writer)
            return
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._to_port)
        except OSError:
            await _abort(writer)
            return
        ends = {writer, far_writer}
        self._writers |= ends
        try:
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        finally:
            self._writers -= ends
            self._silent -= ends
            await _abort(*ends)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(CHUNK):
                if writer not in self._silent:
                    self.carried += len(data)
                    writer.write(data)
                    await writer.drain()
            if writer not in self._silent:
                writer.write_eof()
        except OSError:
            writer.transport.abort()


async def _abort(*ends: asyncio.StreamWriter) -> None:
    for end in ends:
        end.transport.abort()
    await asyncio.gather(*(end.wait_closed() for end in ends), return_exceptions=True)
