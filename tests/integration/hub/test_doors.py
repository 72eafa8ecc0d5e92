"""What the doors serve: everything on the private socket, next to nothing on TCP."""

from __future__ import annotations

import asyncio
import json
import socket
import stat

import aiohttp
import pytest

from controlroom.client import CannotReach, HubClient
from controlroom.hub.api.app import make_app
from controlroom.hub.api.door import make_door
from controlroom.hub.api.route import PREFIX
from controlroom.hub.api.routes import ROUTES
from controlroom.hub.hub import Hub
from controlroom.hub.store.store import Store
from controlroom.kit.http import PortTaken
from controlroom.kit.settings import Door, Settings
from controlroom.wire.client import HTTP_STATUS
from tests.integration.hub.conftest import House

OPEN = {"/", "/app/", f"{PREFIX}/health"}


def port_of(house: House) -> int:
    return int(house.hub.url.split(":")[2].split("/")[0])


async def ask(
    house: House, path: str, method: str = "GET", host: str = "localhost"
) -> tuple[int, dict[str, str], str]:
    url = f"http://127.0.0.1:{port_of(house)}{path}"
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, url, headers={"Host": host}, allow_redirects=False) as answer,
    ):
        return answer.status, dict(answer.headers), await answer.text()


async def test_tcp_serves_health_and_a_page_that_says_what_is_missing(house: House) -> None:
    status, _, text = await ask(house, f"{PREFIX}/health")
    assert (status, json.loads(text)["status"]) == (200, "ok")
    status, headers, text = await ask(house, "/app/")
    assert status == 200
    assert "comes later" in text
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    status, headers, _ = await ask(house, "/")
    assert (status, headers["Location"]) == (302, "/app/")


async def test_ipv6_is_served_on_the_same_port(house: House) -> None:
    try:
        with socket.create_connection(("::1", port_of(house)), timeout=5):
            pass
    except OSError:
        with pytest.raises(OSError, match=r"."), socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))  # this machine has no IPv6 loopback


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
async def test_no_route_of_the_hub_is_reachable_over_tcp(house: House, method: str) -> None:
    paths = {PREFIX + route.path for route in ROUTES} | {
        f"{PREFIX}/live",
        f"{PREFIX}/openapi.json",
        "/ws",
        "/health",
        "/pairing/mint",
        "/app/x",
        "/app/../api/v1/fleet",
    }
    for path in sorted(paths):
        status, _, text = await ask(house, path.replace("{", "").replace("}", ""), method)
        assert status in (400, 404), (method, path)
        assert "agents" not in text


def test_the_door_has_the_open_routes_and_no_other() -> None:
    """Walks the routes of the running application: a new one must be thought about here."""
    door = make_door()
    served = {(route.method, route.resource.canonical) for route in door.router.routes() if route.resource}
    assert {path for _, path in served} == OPEN
    assert {method for method, _ in served} == {"GET", "HEAD"}


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


@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1:8767", "[::1]:9", "LOCALHOST."])
async def test_loopback_names_are_served(house: House, host: str) -> None:
    assert (await ask(house, f"{PREFIX}/health", host=host))[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8767", "localhost.evil.example", "", "127.0.0.1.nip.example"]
)
async def test_other_names_are_not(house: House, host: str) -> None:
    for path in (f"{PREFIX}/health", "/app/", "/nothing"):
        assert (await ask(house, path, host=host))[0] == 421


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
    for route in ROUTES:
        assert route.method.lower() in page["paths"][PREFIX + route.path]
    assert {f"{PREFIX}/{name}" for name in ("health", "openapi.json", "live")} <= set(page["paths"])
    assert {"Agent", "Machine", "Item", "Message", "Error", "FromServer", "ChatItems"} <= set(
        page["components"]["schemas"]
    )


async def test_a_taken_port_stops_the_start_and_leaves_nothing_behind(house: House) -> None:
    await house.stop()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        hub = Hub(
            Settings(door=Door(port=other.getsockname()[1])),
            house.home,
            Store.at(house.home.database("hub"), house.clock, house.board),
            house.nodes,
            house.callers,
            house.clock,
            house.board,
        )
        with pytest.raises(PortTaken, match="is taken"):
            await hub.start()
    assert not house.home.socket.exists()
    await house.start()


def test_no_route_is_served_that_the_table_does_not_name() -> None:
    app = make_app(_Anything(), _Anything(), 1024)  # type: ignore[arg-type] # only its routes are looked at
    served = {
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.resource and route.method != "HEAD"
    }
    named = {(route.method, PREFIX + route.path) for route in ROUTES}
    beside = {("GET", f"{PREFIX}/{name}") for name in ("health", "openapi.json", "live")}
    assert served == named | beside


class _Anything:
    def __getattr__(self, name: str) -> _Anything:
        return self
