"""A relay door on loopback for tests: a real Gateway over a real device book, real sockets, real SQLite.

A client that comes from 127.0.0.1 is the loopback peer; 127.0.0.2 and up stand for remote ones.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from controlroom.core.invite import Reach
from controlroom.core.limiter import Limiter
from controlroom.core.qr import ApiAddress
from controlroom.gateway.access import SECRET_HEADER
from controlroom.gateway.channels import Part, Profiles
from controlroom.gateway.gateway import Gateway
from controlroom.gateway.sockets import SocketTimes
from controlroom.hub.channels.proactive import PhoneMail
from controlroom.hub.channels.subscriptions import Subscriptions
from controlroom.hub.devices import DeviceBook
from controlroom.hub.store.store import Store
from controlroom.kit.clock import Clock, SystemClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.http import Peer, set_peer
from controlroom.kit.settings import Door
from controlroom.kit.supervise import Tasks
from controlroom.wire.device import PairingPolicy

LAN = ApiAddress(host="192.0.2.2", port=18767)
WAIT_S = 60.0  # for an answer that must come


class Client:
    """One WebSocket to the door."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws

    async def send(self, channel: str, type_: str, payload: Any = None, id_: str = "i-1") -> None:
        await self.ws.send_json({"channel": channel, "type": type_, "id": id_, "payload": payload or {}})

    async def receive(self) -> dict[str, Any]:
        """The next envelope. Fails when the socket was closed instead."""
        message = await self.ws.receive(timeout=WAIT_S)
        assert message.type is aiohttp.WSMsgType.TEXT, (message.type, self.ws.close_code)
        read: dict[str, Any] = json.loads(message.data)
        return read

    async def auth(self, **payload: Any) -> dict[str, Any]:
        await self.send("system", "auth", payload)
        return await self.receive()

    async def closed(self) -> tuple[int | None, str | None]:
        """The close code and reason that the server gives next."""
        message = await self.ws.receive(timeout=WAIT_S)
        assert message.type in {aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED}, message
        return self.ws.close_code, message.extra if isinstance(message.extra, str) else None


class RelayDoor:
    """A gateway with its store, and clients of it. ``restart`` keeps the data folder."""

    def __init__(
        self,
        path: Path,
        *,
        parts: Callable[[], Sequence[Part]] = tuple,
        profiles: Profiles | None = None,
        settings: Door | None = None,
        clock: Clock | None = None,
        times: SocketTimes | None = None,
        reach: Reach | None = None,
        body_limit: int = 2 * 1024 * 1024,
    ) -> None:
        self.home = Home(path / "home")
        self.home.prepare()
        self.clock = clock or SystemClock()
        self._parts = parts
        self._profiles = profiles
        self._settings = settings or Door(loopback_routes=True)
        self._times = times
        self._reach = reach or Reach(relay=LAN)
        self._body_limit = body_limit
        self._sessions: dict[str, aiohttp.ClientSession] = {}
        self._clients: list[Client] = []
        self.port = 0
        self.limiter = Limiter()
        self.book: DeviceBook
        self.gateway: Gateway

    def phones(self) -> PhoneMail:
        """The queues of phones, made anew with each start."""
        self.subscriptions = Subscriptions(self._store, self.book, self.clock)
        return PhoneMail(self._store, self.subscriptions, self.clock)

    async def start(self) -> None:
        self.health = HealthBoard(self.clock)
        self._store = Store.at(self.home.database("hub"), self.clock)
        await self._store.start()
        self.book = DeviceBook(self._store, self.clock)
        await self.book.start()
        self._tasks = Tasks("relay door")
        self._tasks.start("ends", self.book.tell_ends())
        self.gateway = Gateway(
            devices=self.book,
            parts=self._parts(),
            profiles=self._profiles,
            reach=lambda: self._reach,
            settings=self._settings,
            home=self.home,
            clock=self.clock,
            health=self.health,
            times=self._times,
            limiter=self.limiter,
        )
        await self.gateway.start()
        app = web.Application(middlewares=[_with_peer], client_max_size=self._body_limit)
        app.add_routes(self.gateway.routes())
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        server = site._server
        assert server is not None
        self.port = server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]  # asyncio's own server has it

    @property
    def store(self) -> Store:
        """For parts that keep something; it is there before they are made."""
        return self._store

    async def stop(self) -> None:
        await self._tasks.aclose()
        await self.gateway.aclose()
        await self._runner.cleanup()
        await self.book.aclose()
        await self._store.aclose()

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def aclose(self) -> None:
        for client in self._clients:
            with contextlib.suppress(aiohttp.ClientError, ConnectionError):
                await client.ws.close()
        for session in self._sessions.values():
            await session.close()
        await self.stop()

    def session(self, source: str = "127.0.0.1") -> aiohttp.ClientSession:
        """A client that comes from ``source``."""
        if source not in self._sessions:
            connector = aiohttp.TCPConnector(local_addr=(source, 0), limit=0, force_close=True)
            self._sessions[source] = aiohttp.ClientSession(
                connector=connector, base_url=f"http://127.0.0.1:{self.port}"
            )
        return self._sessions[source]

    async def connect(self, path: str = "/ws", *, source: str = "127.0.0.1", **headers: str) -> Client:
        ws = await self.session(source).ws_connect(path, headers=headers, max_msg_size=0, autoping=True)
        self._clients.append(Client(ws))
        return self._clients[-1]

    @property
    def secret(self) -> dict[str, str]:
        """The header that programs of this machine show."""
        return {SECRET_HEADER: (self.home.path / "door-secret").read_text()}

    async def code(self, **policy: Any) -> str:
        return (await self.book.mint(PairingPolicy(**policy))).code

    async def paired(self, device_id: str = "dev-1", **policy: Any) -> tuple[Client, dict[str, Any]]:
        """A fresh device with its socket and the payload of its ``auth.ok``."""
        client = await self.connect()
        answer = await client.auth(pairing_code=await self.code(**policy), device_id=device_id)
        assert answer["type"] == "auth.ok", answer
        return client, answer["payload"]


@web.middleware
async def _with_peer(request: web.Request, handler: Any) -> web.StreamResponse:
    address = request.remote or ""
    set_peer(request, Peer(door="device", address=address, is_loopback=address == "127.0.0.1"))
    answer: web.StreamResponse = await handler(request)
    return answer
