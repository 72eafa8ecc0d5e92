"""What a door does with each request before anything else: who comes, for whom, from which page, how much.

One application for each door; both carry the same routes. Everything that does not run here says so in its
headers: only the files of the app may run as a page.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Literal

import msgspec
import structlog
from aiohttp import web
from aiohttp.typedefs import Handler

from controlroom.app.app_files import AppFile, find
from controlroom.core.access import RIGHTS
from controlroom.core.origin import (
    TAILNET_HEADERS,
    Names,
    forwarded,
    is_forwarded,
    is_loopback_number,
    is_same_origin,
    tailnet_user,
)
from controlroom.kit.http import Peer, peer_of, set_peer
from controlroom.kit.listener import Listener

_log = structlog.get_logger("door")

MISDIRECTED: Final = 421  # RFC 9110
OPEN_BODY: Final = 4096  # bytes of a body that a stranger may send
OPEN_BODY_S: Final = 10.0  # from the first byte to the last

NOTHING_RUNS: Final = "sandbox; default-src 'none'; frame-ancestors 'none'"

_EVERYWHERE: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class DoorPlan(msgspec.Struct, frozen=True, kw_only=True):
    """One door. ``app_port``: where a browser finds ``localhost``, None when it must not be sent there."""

    door: Literal["device", "proxy"]
    routes: Sequence[web.RouteDef]
    body_limit: int
    app_port: int | None = None


def make_door(
    plan: DoorPlan,
    *,
    names: Callable[[], Names],
    listener: Callable[[], Listener | None],
) -> web.Application:
    """The application of one door. ``names`` may change while it runs (a new certificate, the tailnet)."""
    app = web.Application(
        middlewares=[_counted(listener), _for_us(plan, names), _small_when_open],
        client_max_size=plan.body_limit,
    )
    app.on_response_prepare.append(_harmless)
    app.add_routes(plan.routes)
    app.add_routes([web.get("/app", _to_the_app), web.get("/app/{path:.*}", _app(plan))])
    return app


def _counted(listener: Callable[[], Listener | None]) -> Callable[..., Awaitable[web.StreamResponse]]:
    @web.middleware
    async def counted(request: web.Request, handler: Handler) -> web.StreamResponse:
        counts = listener()
        if counts is None:
            return await handler(request)
        counts.works(request)
        try:
            return await handler(request)
        finally:
            counts.waits(request)

    return counted


def _for_us(plan: DoorPlan, names: Callable[[], Names]) -> Callable[..., Awaitable[web.StreamResponse]]:
    find = _device_peer if plan.door == "device" else _proxy_peer

    @web.middleware
    async def for_us(request: web.Request, handler: Handler) -> web.StreamResponse:
        peer = find(request)
        set_peer(request, peer)
        host = request.headers.get("Host", "")
        if len(request.headers.getall("Host", ())) > 1 or not names().allow(host, _own_address(request)):
            return web.Response(status=MISDIRECTED, text="This address is not served under that name.\n")
        origin = request.headers.get("Origin")
        if origin is not None and not is_same_origin(origin, scheme_of(peer), host):
            return web.Response(status=403, text="This request comes from the page of another site.\n")
        return await handler(request)

    return for_us


def scheme_of(peer: Peer) -> str:
    return "https" if peer.is_secure else "http"


def _device_peer(request: web.Request) -> Peer:
    """The peer is whoever is connected. Headers of a proxy say nothing, but that it is not the person."""
    address = _address(request, "peername")
    is_loopback = bool(address) and ipaddress.ip_address(address).is_loopback
    return Peer(
        door="device",
        address=address,
        is_loopback=is_loopback and not is_forwarded(request.headers),
        is_secure=_extra(request, "sslcontext") is not None,
    )


def _proxy_peer(request: web.Request) -> Peer:
    """The peer is whom the proxy names; nobody here is local."""
    headers = {name: ",".join(request.headers.getall(name, ())) for name in _READ_FROM_PROXIES}
    said = forwarded(headers)
    user = tailnet_user({name: request.headers.getall(name, ()) for name in TAILNET_HEADERS})
    return Peer(
        door="proxy",
        address=said.address or _address(request, "peername"),
        is_secure=said.is_secure,
        tailscale_user=user.login,
        tailscale_name=user.name,
    )


_READ_FROM_PROXIES: Final = ("X-Forwarded-For", "X-Forwarded-Proto")


def _extra(request: web.Request, name: str) -> object:
    return None if request.transport is None else request.transport.get_extra_info(name)


def _address(request: web.Request, which: Literal["peername", "sockname"]) -> str:
    """The number of one end of the connection, without an interface; "" when it is gone already."""
    name = _extra(request, which)
    return str(name[0]).partition("%")[0] if isinstance(name, tuple) and name else ""


def _own_address(request: web.Request) -> str | None:
    return _address(request, "sockname") or None


@web.middleware
async def _small_when_open(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Nobody who has not said who he is can make us keep much, or for long."""
    resource = request.match_info.route.resource
    rule = None if resource is None else RIGHTS.get(f"{request.method} {resource.canonical}")
    if (rule is not None and rule.right != "open") or not request.body_exists:
        return await handler(request)
    if request.content_length is None or request.content_length > OPEN_BODY:
        raise web.HTTPRequestEntityTooLarge(max_size=OPEN_BODY, actual_size=request.content_length or 0)
    try:
        async with asyncio.timeout(OPEN_BODY_S):
            await request.read()
    except TimeoutError:
        raise web.HTTPRequestTimeout(text="The body did not come in time.\n") from None
    return await handler(request)


async def _harmless(_request: web.Request, response: web.StreamResponse) -> None:
    for name, value in _EVERYWHERE.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Content-Security-Policy", NOTHING_RUNS)
    response.headers.popall("Server", None)  # versions are nobody's business


async def _to_the_app(_request: web.Request) -> web.StreamResponse:
    raise web.HTTPFound("/app/")


def _app(plan: DoorPlan) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
    """The app's files and places; under a loopback number its page is sent to ``localhost``."""

    async def serve(request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        file = find(path)
        if file is None:
            raise web.HTTPNotFound(text="The app has no such file.\n")
        if file is find("") and plan.app_port is not None and is_loopback_number(request.headers["Host"]):
            place = request.rel_url.raw_path_qs
            raise web.HTTPFound(f"{scheme_of(peer_of(request))}://localhost:{plan.app_port}{place}")
        return _answer(request, file)

    return serve


def _answer(request: web.Request, file: AppFile) -> web.Response:
    if any(tag.value in (file.etag, "*") for tag in request.if_none_match or ()):
        answer = web.Response(status=304, headers=file.headers)
    elif file.squeezed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
        answer = web.Response(body=file.squeezed, headers={**file.headers, "Content-Encoding": "gzip"})
    else:
        answer = web.Response(body=file.body, headers=file.headers)
    answer.etag = file.etag
    return answer
