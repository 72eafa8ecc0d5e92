"""The application on the Unix socket: every route of the table, the live socket, health, OpenAPI."""

from __future__ import annotations

from aiohttp import web

from controlroom.hub.api import served
from controlroom.hub.api.callers import SocketCallers
from controlroom.hub.api.errors import errors_as_json
from controlroom.hub.api.file_routes import FILE_ROUTES, served_file
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import PREFIX
from controlroom.hub.api.routes import ROUTES


def make_app(parts: Parts, callers: SocketCallers, message_bytes: int) -> web.Application:
    """Every request passes: who asks, may they, is the body right; then its handler."""
    app = web.Application(middlewares=[errors_as_json], client_max_size=served.body_limit(message_bytes))
    app.router.add_get(f"{PREFIX}/health", served.health)
    app.router.add_get(f"{PREFIX}/openapi.json", served.openapi_page(parts, callers))
    app.router.add_get(f"{PREFIX}/live", served.live(parts, callers))
    for route in ROUTES:
        app.router.add_route(route.method, PREFIX + route.path, served.served(route, parts, callers))
    for files in FILE_ROUTES:
        app.router.add_route(files.method, PREFIX + files.path, served_file(files, parts, callers))
    return app
