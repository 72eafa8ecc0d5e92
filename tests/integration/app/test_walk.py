"""A walk through every route of both running doors: what is not on the open list refuses a stranger."""

from __future__ import annotations

import asyncio
import json

import aiohttp
import pytest

from controlroom.client import HubClient
from controlroom.core.access import RIGHTS
from controlroom.kit.settings import Door, Settings
from tests.integration.app.house import House, open_house

DOORS = ("device", "proxy")
OPEN = {
    ("GET", "/"),
    ("GET", "/ws"),
    ("GET", "/health"),
    ("GET", "/app"),
    ("GET", "/app/{path}"),
    ("GET", "/api/v1/health"),
    ("POST", "/api/v1/pair"),
}
REFUSED = {401, 403}
TOKEN = "0f0e0d0c-0b0a-4908-8706-050403020100"


def routes_of(house: House, door: str) -> set[tuple[str, str]]:
    """Method and path of everything that is served there."""
    app = house.doors.applications[DOORS.index(door)]
    return {
        (route.method, route.resource.canonical)
        for route in app.router.routes()
        if route.resource is not None
    }


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("credential", ["none", "unknown", "malformed", "cookie", "forwarded"])
async def test_every_other_route_refuses_a_stranger(house: House, door: str, credential: str) -> None:
    headers = {
        "none": {},
        "unknown": {"Authorization": f"Bearer {TOKEN}", "X-Control-Room-Key": "x" * 43},
        "malformed": {"Authorization": "Bearer"},
        "cookie": {"Cookie": f"controlroom-hub={TOKEN}", "Sec-Fetch-Site": "same-origin"},
        "forwarded": {"Tailscale-User-Login": "kim@example.com", "X-Forwarded-For": "127.0.0.1"},
    }[credential]
    walked = 0
    for method, canonical in sorted(routes_of(house, door)):
        if (method, canonical) in OPEN or (method == "HEAD" and ("GET", canonical) in OPEN):
            continue
        assert RIGHTS[f"{'GET' if method == 'HEAD' else method} {canonical}"].right != "open", canonical
        path = canonical.replace("{", "").replace("}", "")
        body = None if method in {"GET", "HEAD"} else b"{}"
        given = {**headers, "Content-Type": "application/json"} if body else headers
        answer = await house.ask(path, method, door=door, data=body, headers=given)
        assert answer.status in REFUSED, (method, path, answer.status, answer.text)
        walked += 1
    assert walked > 40


@pytest.mark.parametrize("door", DOORS)
async def test_the_open_list_is_complete_and_no_route_is_the_hosts(house: House, door: str) -> None:
    served = routes_of(house, door)
    assert served >= OPEN
    assert not [path for _, path in served if path.startswith("/api/v1/host/")]
    for path in ("/api/v1/host/status", "/api/v1/host/pair", "/nothing", "/app/x.js", "/app/../api/v1/fleet"):
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"):
            answer = await house.ask(path, method, door=door)
            assert answer.status in {401, 403, 404, 405}, (method, path, answer.status)
            assert "agents" not in answer.text


@pytest.mark.parametrize("door", DOORS)
async def test_loopback_routes_need_their_secret_on_the_device_door_alone(door: str) -> None:
    async with open_house(Settings(door=Door(loopback_routes=True))) as house:
        secret = (house.home.path / "door-secret").read_text()
        good = {"X-Control-Room-Secret": secret, "Content-Type": "application/json"}
        bad = [
            {**good, "X-Control-Room-Secret": "x" * 43},
            {**good, "X-Forwarded-For": "127.0.0.1"},
            {**good, "Forwarded": "for=127.0.0.1"},
            {**good, "Via": "1.1 proxy"},
            {**good, "Tailscale-User-Login": "kim@example.com"},
            {**good, "Origin": f"http://localhost:{house.ports[door]}"},
            {**good, "Content-Type": "text/plain"},
        ]
        host = f"localhost:{house.ports[door]}"
        for headers in bad:
            answer = await house.ask(
                "/pairing/mint", "POST", door=door, host=host, headers=headers, data=b"{}"
            )
            assert answer.status == 403, headers
        answer = await house.ask("/pairing/mint", "POST", door=door, host=host, headers=good, data=b"{}")
        assert answer.status == (200 if door == "device" else 403)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8767", "localhost.evil.example", "", "127.0.0.1.nip.example", "[::2]"],
)
async def test_a_foreign_host_is_misdirected(house: House, door: str, host: str) -> None:
    for path in ("/health", "/api/v1/health", "/app/", "/ws", "/", "/nothing"):
        assert (await house.ask(path, door=door, host=host)).status == 421


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("host", ["localhost", "localhost:1", "127.0.0.1:8767", "[::1]:9", "LOCALHOST."])
async def test_loopback_names_are_served(house: House, door: str, host: str) -> None:
    assert (await house.ask("/health", door=door, host=host)).status == 200


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "https://localhost"])
async def test_a_foreign_page_gets_nothing(house: House, door: str, origin: str) -> None:
    code = await house.code()
    for path, method in (("/ws", "GET"), ("/", "GET"), ("/api/v1/pair", "POST"), ("/health", "GET")):
        answer = await house.ask(path, method, door=door, headers={"Origin": origin}, json={"code": code})
        assert answer.status == 403, path
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await house.session.ws_connect(f"ws://localhost:{house.ports[door]}/ws", headers={"Origin": origin})
    assert (await house.ask("/api/v1/pair", "POST", json={"code": code, "kind": "cli"})).status == 200


async def test_our_own_page_may(house: House) -> None:
    origin = f"http://localhost:{house.doors.port}"
    answer = await house.ask(
        "/api/v1/pair",
        "POST",
        host=f"localhost:{house.doors.port}",
        headers={"Origin": origin, "Sec-Fetch-Site": "same-origin"},
        json={"code": await house.code()},
    )
    assert answer.status == 200
    assert "HttpOnly" in answer.headers["Set-Cookie"]
    assert "Secure" not in answer.headers["Set-Cookie"]


async def test_a_proxy_that_speaks_https_gets_a_secure_cookie_and_its_clients_address(house: House) -> None:
    answer = await house.ask(
        "/api/v1/pair",
        "POST",
        door="proxy",
        host="localhost",
        headers={
            "Origin": "https://localhost",
            "Sec-Fetch-Site": "same-origin",
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": "203.0.113.9, 100.64.0.7",
        },
        json={"code": await house.code()},
    )
    assert answer.status == 200
    assert "Secure" in answer.headers["Set-Cookie"]
    device = json.loads(answer.text)["device"]
    assert (device["address"], device["door"]) == ("100.64.0.7", "proxy")


async def test_forwarding_headers_say_nothing_on_the_device_door(house: House) -> None:
    answer = await house.ask(
        "/api/v1/pair",
        "POST",
        headers={"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", **KIM},
        json={"code": await house.code(), "kind": "cli"},
    )
    device = json.loads(answer.text)["device"]
    assert (device["address"], device["transport"]) == ("127.0.0.1", "ws")
    assert "tailscale_user" not in device and "tailscale_name" not in device


KIM = {"Tailscale-User-Login": "kim@example.com", "Tailscale-User-Name": "=?utf-8?q?Kim_=C3=98=1B?="}


async def test_the_device_list_shows_whom_the_tailnet_named_last(house: House) -> None:
    def named(text: str) -> tuple[str | None, str | None]:
        [device] = json.loads(text)["devices"]
        return device.get("tailscale_user"), device.get("tailscale_name")

    body = {"code": await house.code(), "kind": "cli"}
    paired = await house.ask("/api/v1/pair", "POST", door="proxy", headers=KIM, json=body)
    bearer = {"Authorization": f"Bearer {json.loads(paired.text)['token']}"}
    listed = await house.ask("/api/v1/devices", door="proxy", headers={**bearer, **KIM})
    assert named(listed.text) == ("kim@example.com", "Kim Ø")
    assert (await house.ask("/api/v1/devices", door="proxy", headers=KIM)).status == 401  # never a login
    robin = {**bearer, "Tailscale-User-Login": "robin@example.com"}
    assert (await house.ask("/sessions", door="proxy", headers=robin)).status == 200
    async with HubClient(house.home.socket) as hub:
        [device] = (await hub.devices()).devices
    assert (device.tailscale_user, device.tailscale_name) == ("robin@example.com", "")
    listed = await house.ask("/api/v1/devices", headers={**bearer, **KIM})
    assert named(listed.text) == (None, None)


async def test_a_block_of_one_client_is_not_one_of_another(house: House) -> None:
    async def wrong(address: str) -> int:
        headers = {"X-Forwarded-For": address}
        body = {"code": "WRONG1", "kind": "cli"}
        return (await house.ask("/api/v1/pair", "POST", door="proxy", headers=headers, json=body)).status

    statuses = [await wrong("100.64.0.7") for _ in range(11)]
    assert statuses[-1] == 429
    assert await wrong("100.64.0.8") == 401


async def test_of_two_devices_that_race_for_a_code_one_wins(house: House) -> None:
    code = await house.code()

    async def relay() -> bool:
        async with house.session.ws_connect(f"ws://localhost:{house.doors.port}/ws") as ws:
            await ws.send_json(
                {"channel": "system", "type": "auth", "id": "1", "payload": {"pairing_code": code}}
            )
            return bool((await ws.receive_json(timeout=60))["type"] == "auth.ok")

    async def web() -> bool:
        return (await house.ask("/api/v1/pair", "POST", json={"code": code, "kind": "cli"})).status == 200

    won = await asyncio.gather(relay(), web(), relay(), web())
    assert won.count(True) == 1
    assert (await house.ask("/api/v1/pair", "POST", json={"code": code, "kind": "cli"})).status == 401
