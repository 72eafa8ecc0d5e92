"""A hub with open doors in a thread of its own: commands run their own event loop."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from aiohttp import web
from aiohttp.typedefs import Handler

from controlroom.cli.main import run
from controlroom.kit.http import Peer, set_peer
from controlroom.testing.fake_node import agent_state
from tests.integration.cli.conftest import Ran
from tests.integration.hub.conftest import House

T = TypeVar("T")
WAIT_S = 60.0


class Room:
    """``house`` lives in the thread's loop: reach it with ``now``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._runners: list[web.AppRunner] = []
        self.house = self.now(self._open())

    def now(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    async def _open(self) -> House:
        house = House(self.folder)
        await house.start()
        await house.node.put(agent_state())
        await house.node.draw("agt_1", "one")
        await house.until_agent()
        return house

    def door(self, tls: ssl.SSLContext | None = None, port: int = 0) -> int:
        """Open one more door; its port."""
        return self.now(self._door(tls, port))

    async def _door(self, tls: ssl.SSLContext | None, port: int) -> int:
        @web.middleware
        async def peer(request: web.Request, handler: Handler) -> web.StreamResponse:
            set_peer(
                request,
                Peer(door="device", address=str(request.remote), is_loopback=True, is_secure=tls is not None),
            )
            return await handler(request)

        app = web.Application(middlewares=[peer])
        app.router.add_routes(self.house.hub.door_routes())
        runner = web.AppRunner(app, shutdown_timeout=0.2)
        await runner.setup()
        listener = socket.create_server(("127.0.0.1", port))
        await web.SockSite(runner, listener, ssl_context=tls).start()
        self._runners.append(runner)
        return int(listener.getsockname()[1])

    def shut_doors(self) -> None:
        for runner in self._runners:
            self.now(runner.cleanup())
        self._runners.clear()

    def close(self) -> None:
        self.shut_doors()
        self.now(self.house.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@pytest.fixture
def room() -> Iterator[Room]:
    folder = Path(tempfile.mkdtemp(prefix="acr"))
    room = Room(folder)
    yield room
    room.close()
    shutil.rmtree(folder)


Cli = Callable[..., Ran]


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """Commands of another computer: a configuration of its own, and no control room runs there."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("CONTROLROOM_HOME", "CONTROLROOM_HUB"):
        monkeypatch.delenv(name, raising=False)

    def ran(*arguments: str, typed: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", _Stdin(typed))
        status = run(arguments)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    yield ran


class _Stdin:
    def __init__(self, typed: str) -> None:
        self._lines = typed.splitlines(keepends=True)

    def isatty(self) -> bool:
        return False

    def readline(self) -> str:
        return self._lines.pop(0) if self._lines else ""
