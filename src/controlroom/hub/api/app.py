"""The application on the Unix socket: every route of the table, the live socket, health, OpenAPI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from controlroom import __version__
from controlroom.hub.api import openapi
from controlroom.hub.api.callers import Caller, SocketCallers, not_allowed
from controlroom.hub.api.errors import errors_as_json
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.routes import PREFIX, ROUTES, Call, Route
from controlroom.kit.http import json_answer, read_body
from controlroom.wire.client import OpenHealth

BODY_FACTOR = 6  # JSON may write each byte of a text as \uXXXX
BODY_REST = 64 * 1024


def make_app(parts: Parts, callers: SocketCallers, message_bytes: int) -> web.Application:
    """Every request passes: who asks, may they, is the body right; then its handler."""
    app = web.Application(
        middlewares=[errors_as_json], client_max_size=message_bytes * BODY_FACTOR + BODY_REST
    )
    app.router.add_get(f"{PREFIX}/health", health)
    app.router.add_get(f"{PREFIX}/openapi.json", _guarded(callers, _openapi))
    app.router.add_get(f"{PREFIX}/live", _guarded(callers, parts.live.serve))
    for route in ROUTES:
        app.router.add_route(route.method, PREFIX + route.path, _served(route, parts, callers))
    return app


async def health(_request: web.Request) -> web.StreamResponse:
    """Open: that it lives, and its version."""
    return json_answer(OpenHealth(status="ok", version=__version__))


async def _openapi(_request: web.Request, _caller: Caller) -> web.StreamResponse:
    return web.Response(body=openapi.document(), content_type="application/json")


def _guarded(
    callers: SocketCallers, handler: Callable[[web.Request, Caller], Awaitable[web.StreamResponse]]
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """For whoever may read: everybody on this socket whose identity is known."""

    async def serve(request: web.Request) -> web.StreamResponse:
        return await handler(request, await callers.of(request))

    return serve


def _served(
    route: Route, parts: Parts, callers: SocketCallers
) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    async def serve(request: web.Request) -> web.StreamResponse:
        caller = await callers.of(request)
        if not caller.may(route.right):
            refusal = not_allowed(route.name)
            agent_id = request.match_info.get("agent_id")
            await parts.receipts.refused(caller.by, route.name, agent_id, refusal.text)
            raise refusal
        body = None if route.body is None else await read_body(request, route.body)
        answer = await route.handler(parts, Call(caller, request.match_info, request.query, body))
        return json_answer(answer, route.status)

    return serve
