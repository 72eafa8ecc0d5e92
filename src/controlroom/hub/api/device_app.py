"""The hub's API as devices reach it: the routes below ``/api/v1/`` for the doors, host routes left out.

The door that serves them has set the ``Peer`` of each request and has checked its ``Host``. Everybody who is
not a paired device gets ``not_paired``, except at the two open routes: health and pairing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from aiohttp import web

from controlroom.core.access import rule_of
from controlroom.hub.api import served
from controlroom.hub.api.device_callers import DeviceCallers, foreign, is_foreign
from controlroom.hub.api.errors import errors_as_json
from controlroom.hub.api.file_routes import FILE_ROUTES, served_file
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import PREFIX
from controlroom.hub.api.routes import ROUTES
from controlroom.hub.api.terminals import TerminalSockets
from controlroom.hub.errors import HubError
from controlroom.kit.http import json_answer, peer_of, read_body
from controlroom.wire.device import DeviceHello, Paired, PairWithCode

COOKIE_PATH = f"{PREFIX}/"
LONGEST_COOKIE_S = 400 * 24 * 3600  # browsers keep none longer; the book decides anyway

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def door_routes(parts: Parts, terminals: TerminalSockets, hub_id: str) -> list[web.RouteDef]:
    """What a door serves of the hub's API. A body may have ``served.body_limit`` bytes: the application that
    mounts the routes must allow as much."""
    callers = DeviceCallers(parts.devices, parts.unlocks, parts.clock, hub_id, parts.glances)
    routes = [
        web.get(f"{PREFIX}/health", served.health),
        web.post(f"{PREFIX}/pair", _pairing(parts, callers, hub_id)),
        web.get(f"{PREFIX}/openapi.json", served.openapi_page(parts, callers)),
        web.get(f"{PREFIX}/live", served.live(parts, callers)),
        web.get(f"{PREFIX}/terminals", served.terminals(terminals, callers)),
    ]
    routes += [
        web.route(route.method, PREFIX + route.path, served.served(route, parts, callers))
        for route in ROUTES
        if route.rule.right != "host"
    ]
    routes += [
        web.route(files.method, PREFIX + files.path, served_file(files, parts, callers))
        for files in FILE_ROUTES
    ]
    return [web.route(route.method, route.path, _as_json(route.handler), **route.kwargs) for route in routes]


def _as_json(handler: _Handler) -> _Handler:
    """Errors in the API's own words, whatever application the route is mounted in."""

    async def serve(request: web.Request) -> web.StreamResponse:
        return await errors_as_json(request, handler)

    return serve


def _pairing(parts: Parts, callers: DeviceCallers, hub_id: str) -> _Handler:
    async def serve(request: web.Request) -> web.StreamResponse:
        body = await read_body(request, PairWithCode)
        if is_foreign(request) or (body.kind == "cli" and _is_browser(request)):
            raise foreign()
        peer, now_s = peer_of(request), parts.clock.monotonic()
        blocked_s = parts.limiter.blocked_for(peer.address, now_s)
        if blocked_s:
            raise HubError(
                "too_many", "Too many codes did not work; wait a while.", int(blocked_s * 1000) + 1
            )
        # A browser that is paired again is the same one: its earlier pairing ends.
        before = callers.browser_of(request)
        client_id = body.device_id if body.kind == "cli" else parts.devices.client_id(before)
        issued = await parts.devices.claim(
            body.code,
            DeviceHello(
                kind=body.kind,
                name=body.device_name or ("Browser" if body.kind == "web" else "Command line"),
                device_id=client_id,
                platform=body.platform,
                surface=body.kind,
                form_factor="desktop" if body.kind == "cli" else "unknown",
                transport="wss" if peer.is_secure else "ws",
                address=peer.address,
                door=peer.door,
                tailscale_user=peer.tailscale_user,
                tailscale_name=peer.tailscale_name,
            ),
        )
        if issued is None:
            parts.limiter.failed(peer.address, "pairing", now_s)
            raise HubError("not_paired", "This code does not work: it is wrong, used or too old.")
        parts.limiter.succeeded(peer.address)
        if body.kind == "cli":
            return json_answer(Paired(device=issued.device, hub=hub_id, token=issued.token))
        answer = json_answer(Paired(device=issued.device, hub=hub_id, key=issued.key))
        answer.set_cookie(
            callers.cookie,
            issued.token,
            path=COOKIE_PATH,
            max_age=LONGEST_COOKIE_S,  # the book decides when the device ends, also after an extension
            secure=peer.is_secure,
            httponly=True,
            samesite="Strict",
        )
        return answer

    assert rule_of(f"POST {PREFIX}/pair").right == "open"
    return serve


def _is_browser(request: web.Request) -> bool:
    """A page gets no token into its hands, not even our own."""
    return "Origin" in request.headers or "Sec-Fetch-Site" in request.headers
