"""Servers that answer badly: nothing is followed, nothing grows, nothing leaks."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import web

from controlroom.core.check_prompt import Request
from controlroom.hub.models import http
from controlroom.hub.models.base import ModelError, NotPossible, RetryLater
from controlroom.hub.models.openai import OpenAIModel
from controlroom.testing.model_script import Loopback
from tests.support.certificates import Certificate

KEY = "sk-invented-secret"
REQUEST = Request("Judge.", "data")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Server:
    """One handler, which a test sets; ``paths`` that were asked for."""

    def __init__(self) -> None:
        self.handler: Handler | None = None
        self.paths: list[str] = []
        self.loopback = Loopback(self._handle)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path)
        assert self.handler is not None
        return await self.handler(request)

    def says(self, body: bytes, status: int = 200, **headers: str) -> None:
        async def handler(_request: web.Request) -> web.StreamResponse:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            return web.Response(body=body, status=status, headers=named)

        self.handler = handler

    @property
    def model(self) -> OpenAIModel:
        return OpenAIModel("m", self.loopback.url, lambda: KEY)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    await server.loopback.start()
    yield server
    await server.loopback.aclose()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(server: Server, status: int) -> None:
    server.says(b"", status, Location=f"{server.loopback.url}/elsewhere")
    with pytest.raises(NotPossible):
        await server.model.ask(REQUEST)
    assert server.paths == ["/chat/completions"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>It works!</html>",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": null}}]}',
        b'{"choices": [{"message": {"content": 5}}]}',
        b'{"choices": [{}]}',
        b'{"choices": "x"}',
        b'{"choices": [{"message": {"content": "\xff"}}]}',
        b"[" * 200_000,
        gzip.compress(b'{"choices": [{"message": {"content": "x"}}]}', mtime=0),
    ],
)
async def test_garbage_is_asked_again_later(server: Server, body: bytes) -> None:
    server.says(body)
    with pytest.raises(RetryLater):
        await server.model.ask(REQUEST)


async def test_an_endless_answer_is_cut_off(server: Server) -> None:
    sent = 0

    async def endless(request: web.Request) -> web.StreamResponse:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" " * 65_536)
            sent += 65_536

    server.handler = endless
    with pytest.raises(RetryLater, match="too long"):
        await server.model.ask(REQUEST)
    assert sent < 64 * 1024 * 1024


async def test_a_silent_server_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    forever = asyncio.Event()

    async def silent(_request: web.Request) -> web.StreamResponse:
        await forever.wait()
        raise AssertionError

    server.handler = silent
    monkeypatch.setattr(http, "ANSWER_S", 0.2)
    with pytest.raises(RetryLater, match="in time"):
        await server.model.ask(REQUEST)


async def test_a_connection_that_breaks_off(server: Server) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        assert request.transport is not None
        request.transport.close()
        return response

    server.handler = broken
    with pytest.raises(RetryLater):
        await server.model.ask(REQUEST)


@pytest.mark.parametrize("status", [400, 404, 418, 429, 500])
async def test_what_a_server_says_is_one_short_line_without_the_key(server: Server, status: int) -> None:
    said = f"Bad {KEY}\\u001b[31m\\n\\u202e" + "y" * 5_000
    server.says(f'{{"error": {{"message": "{said}"}}}}'.encode(), status)
    with pytest.raises(ModelError) as caught:
        await server.model.ask(REQUEST)
    text = caught.value.text
    assert KEY not in text and text.isprintable() and len(text) < 320 and "Bad" in text


@pytest.mark.parametrize(
    "body", [b"", b'{"error": "plain"}', b'{"error": {"message": 5}}', b"<html>", b"null"]
)
async def test_refusals_of_any_form(server: Server, body: bytes) -> None:
    server.says(body, 500)
    with pytest.raises(RetryLater):
        await server.model.ask(REQUEST)


@pytest.mark.parametrize(
    ("header", "pause"),
    [
        ("12", 12.0),
        ("999999", 6 * 3600.0),
        ("Wed, 21 Oct 2026 07:28:00 GMT", None),
        ("-5", None),
        ("1e9", None),
    ],
)
async def test_pauses_are_bounded(server: Server, header: str, pause: float | None) -> None:
    server.says(b"", 429, Retry_After=header)
    with pytest.raises(RetryLater) as caught:
        await server.model.ask(REQUEST)
    assert caught.value.after_s == pause


async def test_a_key_that_is_no_header_is_never_sent(server: Server) -> None:
    server.says(b"{}")
    model = OpenAIModel("m", server.loopback.url, lambda: "sk\r\nX-Evil: 1")
    with pytest.raises(RetryLater) as caught:
        await model.ask(REQUEST)
    assert server.paths == [] and "Evil" not in str(caught.value)


async def test_cookies_and_proxies_of_the_environment_are_not_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    cookies: list[str | None] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        cookies.append(request.headers.get("Cookie"))
        body = b'{"choices": [{"message": {"content": "ok"}}]}'
        return web.Response(body=body, headers={"Set-Cookie": "track=1"})

    server.handler = handler
    for _ in range(2):
        assert (await server.model.ask(REQUEST)).text == "ok"
    assert cookies == [None, None]


async def test_a_certificate_that_nobody_vouches_for_is_not_trusted(tmp_path: Path) -> None:
    heard: list[str] = []

    async def handler(request: web.Request) -> web.StreamResponse:
        heard.append(request.headers.get("Authorization", ""))
        return web.Response(body=b'{"choices": [{"message": {"content": "ok"}}]}')

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handler)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=Certificate(tmp_path).server())
    await site.start()
    try:
        port = runner.addresses[0][1]
        with pytest.raises(NotPossible, match="certificate"):
            await OpenAIModel("m", f"https://127.0.0.1:{port}/v1", lambda: KEY).ask(REQUEST)
    finally:
        await runner.cleanup()
    assert heard == []
