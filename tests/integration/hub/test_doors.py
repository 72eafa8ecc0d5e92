"""What the private socket serves, and to whom."""

from __future__ import annotations

import asyncio
import socket
import stat

import pytest

from controlroom.client import CannotReach, HubClient
from controlroom.hub.api.app import make_app
from controlroom.hub.api.file_routes import FILE_ROUTES
from controlroom.hub.api.route import PREFIX
from controlroom.hub.api.routes import ROUTES
from controlroom.wire.client import HTTP_STATUS
from tests.integration.hub.conftest import House


async def test_every_route_of_the_private_socket_asks_who_it_is(house: House) -> None:
    """Only health is open; with an unknown caller nothing else answers."""

    async def lost(pid: int) -> str | None:
        await asyncio.sleep(0)
        raise RuntimeError("nobody knows")

    house.callers.agent_of = lost  # type: ignore[method-assign] # a fake
    async with house.raw() as session:
        for route in ROUTES:
            path = PREFIX + route.path.replace("{", "").replace("}", "")
            async with session.request(route.method, path, data=b"{}") as answer:
                assert answer.status == 500, route.path
        for path in (f"{PREFIX}/live", f"{PREFIX}/openapi.json"):
            async with session.get(path) as answer:
                assert answer.status == 500, path
        async with session.get(f"{PREFIX}/health") as answer:
            assert answer.status == 200


async def test_the_private_socket_is_private_and_goes_with_the_hub(house: House) -> None:
    assert stat.S_IMODE(house.home.socket.stat().st_mode) == 0o600
    await house.stop()
    assert not house.home.socket.exists()
    async with HubClient(house.home.socket) as client:
        with pytest.raises(CannotReach, match="Start it with: controlroom up"):
            await client.fleet()
        with pytest.raises(CannotReach):
            await client.live().__aenter__()
    await house.start()


async def test_a_stale_socket_is_replaced(house: House) -> None:
    await house.stop()
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(house.home.socket))
    async with HubClient(house.home.socket) as client:
        with pytest.raises(CannotReach):
            await client.fleet()
    await house.start()
    await house.client.fleet()


async def test_errors_are_json_with_a_code_and_a_sentence(house: House) -> None:
    async with house.raw() as session:
        for method, path, body, code in (
            ("GET", "/api/v1/nothing", None, "not_found"),
            ("PUT", "/api/v1/fleet", None, "bad_request"),
            ("POST", "/api/v1/agents/a/messages", b"{", "bad_request"),
            ("POST", "/api/v1/agents/a/messages", b'{"id":"m","text":7}', "bad_request"),
            ("POST", "/api/v1/agents/a/messages", b'{"id":"m","text":"x","when":"later"}', "bad_request"),
            ("GET", "/api/v1/messages/none", None, "not_found"),
        ):
            async with session.request(method, path, data=body) as answer:
                said = await answer.json()
                assert said["code"] == code, path
                assert answer.status == HTTP_STATUS[code]
                assert said["text"]
                assert "Traceback" not in said["text"]


async def test_an_unforeseen_failure_is_a_sentence_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(agent_id: str) -> str:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(house.hub._chats, "chat_of", broken)
    async with house.raw() as session, session.get("/api/v1/agents/a/chat") as answer:
        assert answer.status == 500
        assert (await answer.json())["code"] == "failed"
        assert "secret detail" not in await answer.text()


async def test_openapi_names_every_route_and_answers_fit(house: House) -> None:
    async with house.raw() as session, session.get(f"{PREFIX}/openapi.json") as answer:
        page = await answer.json()
    assert page["openapi"].startswith("3.1")
    for route in (*ROUTES, *FILE_ROUTES):
        assert route.method.lower() in page["paths"][PREFIX + route.path]
    assert {f"{PREFIX}/{name}" for name in ("health", "openapi.json", "live")} <= set(page["paths"])
    assert {"Agent", "Machine", "Item", "Message", "Error", "FromServer", "ChatItems"} <= set(
        page["components"]["schemas"]
    )


def test_no_route_is_served_that_the_table_does_not_name() -> None:
    app = make_app(_Anything(), _Anything(), 1024)  # type: ignore[arg-type] # only its routes are looked at
    served = {
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.resource and route.method != "HEAD"
    }
    named = {(route.method, PREFIX + route.path) for route in (*ROUTES, *FILE_ROUTES)}
    beside = {("GET", f"{PREFIX}/{name}") for name in ("health", "openapi.json", "live")}
    assert served == named | beside


class _Anything:
    def __getattr__(self, name: str) -> _Anything:
        return self
