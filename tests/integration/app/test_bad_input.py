"""Garbage, floods and half-open sockets at both doors: clear refusals, nothing leaks, the service goes on."""

from __future__ import annotations

import asyncio
import json
import socket

import aiohttp
import pytest

from controlroom.core.crowd import Limits
from controlroom.kit.listener import Listener
from tests.integration.app.house import House
from tests.support.waiting import until

DOORS = ("device", "proxy")
HOST = b"Host: localhost\r\n"


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 64,
        b"\x00" * 5000,
        b"SSH-2.0-OpenSSH_9.2\r\n\r\n",
        b"GET / HTTP/9.9\r\n" + HOST + b"\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET /health HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
        b"GET /health HTTP/1.1\r\n" + HOST + b"X-Long: " + b"a" * 20_000 + b"\r\n\r\n",
        b"GET /health HTTP/1.1\r\n" + HOST + b"X: 1\r\n" * 5000 + b"\r\n",
        b"POST /api/v1/pair HTTP/1.1\r\n" + HOST + b"Content-Length: 5000000\r\n\r\n",
        b"POST /api/v1/pair HTTP/1.1\r\n" + HOST + b"Content-Length: -1\r\n\r\n",
        b"POST /api/v1/pair HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\nfffffff\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    ],
)
async def test_garbage_is_refused_and_the_door_goes_on(house: House, door: str, data: bytes) -> None:
    answer = await house.raw(data, door=door)
    status = answer.partition(b" ")[2][:3]
    assert not answer or status in {b"400", b"404", b"405", b"411", b"413", b"421", b"431"}, answer[:300]
    assert b"Traceback" not in answer
    assert (await house.ask("/health", door=door)).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"code":7}',
        b'{"code":"ABC123","kind":"root"}',
        b'{"code":"' + b"A" * 3000 + b'"}',
        b"[" * 4000,
        b'{"code":"\xff\xfe"}',
    ],
)
async def test_bodies_of_strangers_are_refused_in_a_sentence(house: House, body: bytes) -> None:
    answer = await house.ask("/api/v1/pair", "POST", data=body)
    assert answer.status in {400, 401}
    assert json.loads(answer.text)["text"]
    assert "Traceback" not in answer.text


async def test_a_strangers_body_is_small_and_has_a_length(house: House) -> None:
    assert (await house.ask("/api/v1/pair", "POST", data=b"x" * 4097)).status == 413

    async def pieces() -> object:
        yield b"{}"

    assert (await house.ask("/api/v1/pair", "POST", data=pieces())).status == 413


async def test_what_is_not_the_app_never_runs(house: House) -> None:
    for path in ("/health", "/api/v1/health", "/api/v1/fleet", "/relay/info", "/nothing"):
        headers = (await house.ask(path)).headers
        assert headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'"), path
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Server" not in headers
    page = await house.ask("/app/")
    policy = page.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert page.headers["Referrer-Policy"] == "no-referrer"


async def test_numbers_of_this_machine_lead_to_its_name(house: House) -> None:
    port = house.doors.port
    for host in (f"127.0.0.1:{port}", "127.0.0.1", f"[::1]:{port}"):
        answer = await house.ask("/app/?x=1", host=host)
        assert (answer.status, answer.headers["Location"]) == (302, f"http://localhost:{port}/app/?x=1")
    assert (await house.ask("/app/", host=f"localhost:{port}")).status == 200
    assert (await house.ask("/app/", door="proxy", host="127.0.0.1")).status == 200
    answer = await house.ask("/")
    assert (answer.status, answer.headers["Location"]) == (302, "/app/")


@pytest.mark.parametrize("door", DOORS)
async def test_a_flood_of_silent_connections_does_not_keep_a_client_out(house: House, door: str) -> None:
    """More than the door keeps, all half-open: the oldest go, and whoever speaks gets an answer."""
    listener = listener_of(house, door)
    listener._crowd._limits = Limits(all=64, of_one=48, waiting=32)
    flood = await asyncio.to_thread(connections, house.ports[door])
    try:
        await until(lambda: len(listener) <= 32)
        for number in range(5):
            assert (await house.ask("/health", door=door)).status == 200, number
    finally:
        for one in flood:
            one.close()
    await until(lambda: len(listener) == 0)


async def test_a_socket_that_works_is_not_ended_for_a_flood(house: House) -> None:
    listener = listener_of(house, "device")
    listener._crowd._limits = Limits(all=64, of_one=48, waiting=32)
    async with house.session.ws_connect(f"ws://localhost:{house.doors.port}/ws") as ws:
        await ws.send_json(
            {"channel": "system", "type": "auth", "id": "1", "payload": {"pairing_code": await house.code()}}
        )
        assert (await ws.receive_json(timeout=60))["type"] == "auth.ok"
        flood = await asyncio.to_thread(connections, house.doors.port)
        try:
            await until(lambda: len(listener) <= 34)
            await ws.send_json({"channel": "system", "type": "ping", "id": "2", "payload": {}})
            assert (await ws.receive_json(timeout=60))["type"] == "pong"
        finally:
            for one in flood:
                one.close()


async def test_sockets_that_never_say_who_they_are_are_limited(house: House) -> None:
    url = f"ws://localhost:{house.doors.port}/ws"
    silent: list[aiohttp.ClientWebSocketResponse] = []
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        for _ in range(200):
            silent.append(await house.session.ws_connect(url))
    assert refused.value.status == 503
    assert (await house.ask("/health")).status == 200
    await asyncio.gather(*(ws.close() for ws in silent))


def connections(port: int) -> list[socket.socket]:
    """Two hundred that say nothing."""
    return [socket.create_connection(("127.0.0.1", port)) for _ in range(200)]


def listener_of(house: House, door: str) -> Listener:
    return house.doors.listeners[DOORS.index(door)]
