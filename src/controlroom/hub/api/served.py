"""How one row of the table is served, whoever the caller is: who asks, may they, is the body right, do it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from controlroom import __version__
from controlroom.core.access import rule_of
from controlroom.core.unlock import Site, site_of
from controlroom.hub.api import openapi
from controlroom.hub.api.callers import Caller, KnowsCallers
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import PREFIX, Call, Route
from controlroom.hub.api.terminals import TerminalSockets
from controlroom.hub.errors import HubError
from controlroom.kit.http import json_answer, peer_at, read_body
from controlroom.wire.client import OpenHealth

BODY_FACTOR = 6  # JSON may write each byte of a text as \uXXXX
BODY_REST = 64 * 1024

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def body_limit(message_bytes: int) -> int:
    """The largest body that a route takes."""
    return message_bytes * BODY_FACTOR + BODY_REST


async def health(_request: web.Request) -> web.StreamResponse:
    """Open: that it lives, and its version."""
    return json_answer(OpenHealth(status="ok", version=__version__))


def openapi_page(parts: Parts, callers: KnowsCallers) -> Handler:
    rule = rule_of(f"GET {PREFIX}/openapi.json")

    async def serve(request: web.Request) -> web.StreamResponse:
        caller = await callers.of(request)
        if not caller.may(rule):
            raise caller.refusal("openapi.json", rule)
        return web.Response(body=openapi.document(), content_type="application/json")

    return serve


def live(parts: Parts, callers: KnowsCallers) -> Handler:
    """The live socket; who it is may be known only with its hello."""
    assert rule_of(f"GET {PREFIX}/live").right == "paired"

    async def serve(request: web.Request) -> web.StreamResponse:
        return await parts.live.serve(request, await callers.greeting(request))

    return serve


def terminals(sockets: TerminalSockets, callers: KnowsCallers) -> Handler:
    """The socket of host shells; its right is asked for with the hello, and for each message."""

    async def serve(request: web.Request) -> web.StreamResponse:
        return await sockets.serve(request, await callers.greeting(request))

    return serve


def served(route: Route, parts: Parts, callers: KnowsCallers) -> Handler:
    async def serve(request: web.Request) -> web.StreamResponse:
        by_half = route.rule.right == "cookie"
        caller = await (callers.by_half if by_half else callers.of)(request)
        if not caller.may(route.rule):
            raise await _refused(route, parts, caller, request.match_info.get("agent_id"))
        caller.acts()
        body = None if route.body is None else await read_body(request, route.body)
        answer = await route.handler(
            parts, Call(caller, request.match_info, request.query, body, _site(request))
        )
        return json_answer(answer, route.status)

    return serve


def _site(request: web.Request) -> Site | None:
    """Where the page lies that asks; nowhere on the private socket."""
    peer = peer_at(request)
    return None if peer is None else site_of("https" if peer.is_secure else "http", request.host)


async def _refused(route: Route, parts: Parts, caller: Caller, agent_id: str | None) -> HubError:
    refusal = caller.refusal(route.name, route.rule)
    if refusal.code == "locked":  # the page asks for the passkey: nothing that a receipt is for
        return refusal
    await parts.receipts.refused(caller.by, route.name, agent_id, refusal.text)
    return refusal
