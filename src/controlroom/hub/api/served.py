"""How one row of the table is served, whoever the caller is: who asks, may they, is the body right, do it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from controlroom import __version__
from controlroom.core.access import rule_of
from controlroom.hub.api import openapi
from controlroom.hub.api.callers import Caller, KnowsCallers
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import PREFIX, Call, Route
from controlroom.hub.errors import HubError
from controlroom.kit.http import json_answer, read_body
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


def served(route: Route, parts: Parts, callers: KnowsCallers) -> Handler:
    async def serve(request: web.Request) -> web.StreamResponse:
        caller = await callers.of(request)
        if not caller.may(route.rule):
            raise await _refused(route, parts, caller, request.match_info.get("agent_id"))
        body = None if route.body is None else await read_body(request, route.body)
        answer = await route.handler(parts, Call(caller, request.match_info, request.query, body))
        return json_answer(answer, route.status)

    return serve


async def _refused(route: Route, parts: Parts, caller: Caller, agent_id: str | None) -> HubError:
    refusal = caller.refusal(route.name, route.rule)
    await parts.receipts.refused(caller.by, route.name, agent_id, refusal.text)
    return refusal
