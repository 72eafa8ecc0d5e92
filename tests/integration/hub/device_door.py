"""A door for devices on a real port: the hub's routes, and a Peer that the test chooses."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
from aiohttp import web
from aiohttp.typedefs import Handler

from controlroom.core.access import API
from controlroom.hub.api.device_callers import KEY_HEADER
from controlroom.kit.http import Peer, set_peer
from controlroom.wire.device import PairingPolicy
from tests.integration.hub.conftest import House

HERE = Peer(door="device", address="127.0.0.1", is_loopback=True)


class Answer:
    def __init__(self, status: int, body: Any, headers: Any) -> None:
        self.status = status
        self.body = body
        self.headers = headers

    @property
    def code(self) -> str:
        return str(self.body["code"])


class Door:
    """One open door; every request comes from ``peer``."""

    def __init__(self, house: House, origin: str) -> None:
        self.house = house
        self.origin = origin
        self.peer = HERE
        self._session = aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar())

    async def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> Answer:
        async with self._session.request(
            method, self.origin + API + path, json=body, headers=headers
        ) as answer:
            is_json = answer.content_type == "application/json"
            return Answer(answer.status, await answer.json() if is_json else None, answer.headers)

    def raw(self, method: str, path: str, data: bytes) -> Any:
        return self._session.request(method, self.origin + API + path, data=data)

    async def code(self, policy: PairingPolicy | None = None) -> str:
        return (await self.house.hub.devices.mint(policy or PairingPolicy())).code

    async def laptop(self, policy: PairingPolicy | None = None, name: str = "laptop") -> dict[str, str]:
        """Headers of a paired program."""
        body = {"code": await self.code(policy), "device_name": name, "kind": "cli"}
        answer = await self.ask("POST", "/pair", body)
        assert answer.status == 200, answer.body
        return {"Authorization": f"Bearer {answer.body['token']}"}

    async def browser(self, policy: PairingPolicy | None = None) -> dict[str, str]:
        """Headers of a paired browser, as its own page sends them."""
        answer = await self.ask(
            "POST",
            "/pair",
            {"code": await self.code(policy), "device_name": "Firefox"},
            {"Sec-Fetch-Site": "same-origin", "Origin": self.origin},
        )
        assert answer.status == 200, answer.body
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
        return {"Cookie": cookie, KEY_HEADER: answer.body["key"], "Sec-Fetch-Site": "same-origin"}

    def live(self, headers: dict[str, str]) -> Any:
        return self._session.ws_connect(self.origin + API + "/live", headers=headers)

    async def aclose(self) -> None:
        await self._session.close()


@contextlib.asynccontextmanager
async def open_door(house: House) -> AsyncIterator[Door]:
    doors: list[Door] = []

    @web.middleware
    async def peer(request: web.Request, handler: Handler) -> web.StreamResponse:
        set_peer(request, doors[0].peer)
        return await handler(request)

    app = web.Application(middlewares=[peer])
    app.router.add_routes(house.hub.door_routes())
    runner = web.AppRunner(app, shutdown_timeout=0.5)
    await runner.setup()
    listener = socket.create_server(("127.0.0.1", 0))
    await web.SockSite(runner, listener).start()
    port = listener.getsockname()[1]
    doors.append(Door(house, f"http://127.0.0.1:{port}"))
    try:
        yield doors[0]
    finally:
        await doors[0].aclose()
        await runner.cleanup()
