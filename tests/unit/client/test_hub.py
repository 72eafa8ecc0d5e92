"""The client's calls against a server that answers as it likes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from controlroom.client import CannotReach, ClientError, HubClient, Refused
from controlroom.client import hub as hub_module
from controlroom.kit.http import serve_unix
from controlroom.wire.client import SendMessage


class Server:
    """Answers everything with ``status`` and ``body``, and remembers what was asked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.status = 200
        self.body = b"{}"
        self.asked: list[tuple[str, str, bytes]] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append((request.method, request.raw_path, await request.read()))
        return web.Response(status=self.status, body=self.body, content_type="application/json")


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    with tempfile.TemporaryDirectory(prefix="acr") as folder:
        server = Server(Path(folder) / "s")
        app = web.Application(client_max_size=2**30)
        app.router.add_route("*", "/{tail:.*}", server.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await serve_unix(runner, server.path)
        yield server
        await runner.cleanup()


async def test_a_refusal_keeps_its_code_even_an_unknown_one(server: Server) -> None:
    server.status, server.body = 418, b'{"code":"teapot","text":"Short and stout.","retry_after_ms":5}'
    async with HubClient(server.path) as hub:
        with pytest.raises(Refused) as caught:
            await hub.fleet()
    refused = caught.value
    assert (refused.code, refused.text, refused.retry_after_ms) == ("teapot", "Short and stout.", 5)


async def test_unknown_fields_are_ignored_and_rubbish_is_an_error_in_words(server: Server) -> None:
    async with HubClient(server.path) as hub:
        server.body = b'{"status":"ok","version":"9","later":[1]}'
        assert (await hub.health()).version == "9"
        for rubbish in (b"<html>", b'{"status":7}', b""):
            server.body = rubbish
            with pytest.raises(ClientError, match="cannot be read"):
                await hub.health()


async def test_names_in_paths_are_quoted_and_absent_parameters_left_out(server: Server) -> None:
    async with HubClient(server.path) as hub:
        server.body = b'{"items":[],"before":null,"after":"","skipped":0}'
        await hub.items("a/../b?c", before="x y&z")
    assert server.asked == [("GET", "/api/v1/chats/a%2F..%2Fb%3Fc/items?before=x+y%26z", b"")]


async def test_a_large_message_is_sent_whole(server: Server) -> None:
    server.body = b'{"id":"m","state":"accepted"}'
    async with HubClient(server.path) as hub:
        await hub.send("a", SendMessage(id="m", text="x" * 3_000_000))
    assert len(server.asked[0][2]) > 3_000_000


async def test_no_hub_is_a_sentence_that_says_how_to_start_one(tmp_path: Path) -> None:
    async with HubClient(tmp_path / "none") as hub:
        with pytest.raises(CannotReach, match="Start it with: controlroom up"):
            await hub.fleet()


async def test_a_hub_that_does_not_answer_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "ANSWER_S", 0.2)
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", _never)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    path = server.path.with_name("slow")
    await serve_unix(runner, path)
    async with HubClient(path) as hub:
        with pytest.raises(CannotReach, match="does not answer"):
            await hub.fleet()
    await runner.cleanup()


async def _never(_request: web.Request) -> web.Response:
    await asyncio.Event().wait()
    raise AssertionError
