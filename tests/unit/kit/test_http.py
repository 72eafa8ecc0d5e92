"""Sockets and bodies as the hub serves them."""

from __future__ import annotations

import os
import socket
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from controlroom.kit.http import (
    BadBody,
    PortTaken,
    _called,
    json_answer,
    listening,
    peer_pid,
    read_body,
    serve_unix,
)
from controlroom.wire.client import Interrupt


@pytest.fixture
def short() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="acr") as folder:
        yield Path(folder)


async def peer(request: web.Request) -> web.Response:
    return web.Response(text=str(peer_pid(request)))


async def body(request: web.Request) -> web.Response:
    try:
        return json_answer(await read_body(request, Interrupt))
    except BadBody as error:
        return web.Response(text=str(error), status=400)


@pytest.fixture
async def runner() -> AsyncIterator[web.AppRunner]:
    app = web.Application()
    app.router.add_get("/peer", peer)
    app.router.add_post("/body", body)
    runner = web.AppRunner(app)
    await runner.setup()
    yield runner
    await runner.cleanup()


async def test_a_unix_socket_is_private_and_names_its_peer(runner: web.AppRunner, short: Path) -> None:
    path = short / "s"
    path.write_text("something stale")
    await serve_unix(runner, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    async with (
        aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as session,
        session.get("http://localhost/peer") as answer,
    ):
        assert await answer.text() == str(os.getpid())


async def serve(runner: web.AppRunner) -> int:
    sockets = listening(("127.0.0.1", "::1"), 0)
    for one in sockets:
        await web.SockSite(runner, one).start()
    assert len({one.getsockname()[1] for one in sockets}) == 1
    return int(sockets[0].getsockname()[1])


async def test_loopback_is_served_on_one_port_and_has_no_peer(runner: web.AppRunner) -> None:
    port = await serve(runner)
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/peer") as answer:
        assert await answer.text() == "None"


def test_a_taken_port_says_by_whom() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match=rf"Port {port} is taken by .* \(process {os.getpid()}\)"):
            listening(("127.0.0.1",), port)


@pytest.mark.parametrize(
    ("arguments", "called"),
    [
        (
            ["/usr/bin/python3", "/home/kim/.hermes/plugins/relay/server.py"],
            "an installed Hermes-Relay",
        ),
        (["/opt/venv/bin/python", "-m", "controlroom.cli.main", "up"], "another Control Room"),
        (["/usr/sbin/nginx"], "name"),
        ([], "name"),
    ],
)
def test_programs_that_like_this_port_have_names(arguments: list[str], called: str) -> None:
    assert _called("name", arguments) == called


def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(PortTaken, match="is not an address of this machine"):
        listening(("192.0.2.77",), 0)


def test_nothing_stays_open_when_one_of_several_is_taken() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.2", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortTaken):
            listening(("127.0.0.1", "127.0.0.2"), port)
        for one in listening(("127.0.0.1",), port):
            one.close()


@pytest.mark.parametrize(
    ("raw", "status", "said"),
    [
        (b'{"request_id":"r1","more":1}', 200, '{"request_id":"r1"}'),
        (b'{"request_id":7}', 400, "$.request_id"),
        (b"{}", 400, "request_id"),
        (b"", 400, "truncated"),
        (b'{"request_id":"\xff"}', 400, ""),
    ],
)
async def test_a_body_fits_or_says_why_not(runner: web.AppRunner, raw: bytes, status: int, said: str) -> None:
    port = await serve(runner)
    url = f"http://127.0.0.1:{port}/body"
    async with aiohttp.ClientSession() as session, session.post(url, data=raw) as answer:
        assert answer.status == status
        assert said in await answer.text()
