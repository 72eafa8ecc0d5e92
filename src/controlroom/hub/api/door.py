"""What the TCP door serves until devices can be paired: health, and a page that says so. Nothing else.

The ``Host`` header must be a loopback name (or one that the settings allow): a page of the web that points
its own name at this address gets nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from aiohttp import web
from aiohttp.typedefs import Handler

from controlroom.hub.api.errors import errors_as_json
from controlroom.hub.api.route import PREFIX
from controlroom.hub.api.served import health

NAMES = ("localhost", "127.0.0.1", "[::1]")
NOT_OURS = 421  # Misdirected Request, RFC 9110

_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'"
)


def make_door(names: Iterable[str] = ()) -> web.Application:
    allowed = frozenset((*NAMES, *(name.lower() for name in names)))

    @web.middleware
    async def only_our_names(request: web.Request, handler: Handler) -> web.StreamResponse:
        if host_name(request.headers.get("Host", "")) not in allowed:
            return web.Response(status=NOT_OURS, text="This address is not served under that name.\n")
        return await handler(request)

    app = web.Application(middlewares=[only_our_names, errors_as_json], client_max_size=1024)
    app.router.add_get(f"{PREFIX}/health", health)
    app.router.add_get("/", _to_the_app)
    app.router.add_get("/app/", _page)
    return app


def host_name(header: str) -> str:
    """The name of a ``Host`` header without its port, in small letters."""
    header = header.strip().lower()
    if header.startswith("["):
        return header.partition("]")[0] + "]"
    return header.partition(":")[0].rstrip(".")


async def _to_the_app(_request: web.Request) -> web.StreamResponse:
    raise web.HTTPFound("/app/")


async def _page(_request: web.Request) -> web.StreamResponse:
    page = files("controlroom.hub.api").joinpath("soon.html").read_bytes()
    return web.Response(
        body=page,
        content_type="text/html",
        charset="utf-8",
        headers={
            "Content-Security-Policy": _POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        },
    )
