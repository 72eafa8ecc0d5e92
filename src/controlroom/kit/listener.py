"""TCP connections for an aiohttp server: counted, with TLS whose certificate can be changed meanwhile.

Between asyncio and aiohttp stands one small protocol for each connection. It tells the crowd
(``core.crowd``) when a connection comes, works, waits and goes, and ends those that are too many; with TLS it
does the handshake first, so that half-open handshakes are counted too.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Final

import structlog
from aiohttp import web

from controlroom.core.crowd import Crowd, Limits
from controlroom.kit.http import BACKLOG
from controlroom.kit.supervise import Tasks

_log = structlog.get_logger("door")
HANDSHAKE_S: Final = 10.0
TLS_GOOD_BYE_S: Final = 5.0
DEAD_AFTER: Final = (  # of a peer whose network is gone: about two minutes
    ("TCP_KEEPIDLE", 60),
    ("TCP_KEEPINTVL", 15),
    ("TCP_KEEPCNT", 4),
)

Tls = Callable[[], ssl.SSLContext]


class Listener:
    """Serves one aiohttp server on some listening sockets. ``tls``: the context for the next connection,
    None for plain TCP. ``by_address`` False: all connections come from one proxy."""

    def __init__(
        self, server: web.Server, limits: Limits, *, tls: Tls | None = None, by_address: bool = True
    ) -> None:
        self._server = server
        self._tls = tls
        self._by_address = by_address
        self._crowd: Crowd[_Connection] = Crowd(limits)
        self._by_handler: dict[object, _Connection] = {}
        self._listening: list[asyncio.Server] = []
        self._tasks = Tasks("door")

    async def start(self, sockets: Sequence[socket.socket]) -> None:
        """Serve connections to these sockets from now on, which are ours then."""
        loop = asyncio.get_running_loop()
        for one in sockets:
            self._listening.append(
                await loop.create_server(lambda: _Connection(self), sock=one, backlog=BACKLOG)
            )

    async def aclose(self) -> None:
        """Take no more connections; those that are there go on until the server ends them."""
        for server in self._listening:
            server.close()
        await self._tasks.aclose()

    def works(self, request: web.BaseRequest) -> None:
        """This request's connection must not be ended for others until ``waits``."""
        if (connection := self._by_handler.get(request.protocol)) is not None:
            self._crowd.works(connection)

    def waits(self, request: web.BaseRequest) -> None:
        if (connection := self._by_handler.get(request.protocol)) is not None:
            self._crowd.waits(connection)

    def __len__(self) -> int:
        return len(self._crowd)

    # ---- what its connections tell it --------------------------------------------------------------------

    def came(self, connection: _Connection, transport: asyncio.Transport) -> None:
        peer = transport.get_extra_info("peername")
        keep_alive(transport.get_extra_info("socket"))
        too_many = self._crowd.came(connection, str(peer[0]) if self._by_address and peer else None)
        if too_many:
            _log.debug("too many connections", ended=len(too_many))
        for one in too_many:
            one.abort()
        if connection.is_over:
            return
        if self._tls is None:
            connection.open(self._server(), transport)
            return
        transport.pause_reading()  # the first bytes are TLS's
        self._tasks.start("tls", self._with_tls(connection, transport, self._tls()))

    async def _with_tls(
        self, connection: _Connection, transport: asyncio.Transport, context: ssl.SSLContext
    ) -> None:
        try:
            secure = await asyncio.get_running_loop().start_tls(
                transport,
                connection,
                context,
                server_side=True,
                ssl_handshake_timeout=HANDSHAKE_S,
                ssl_shutdown_timeout=TLS_GOOD_BYE_S,
            )
        except (OSError, ssl.SSLError, TimeoutError):  # plain HTTP, an old client, somebody who went away
            secure = None
        except BaseException:
            transport.abort()
            self.gone(connection)
            raise
        if secure is None or connection.is_over:
            transport.abort()
            self.gone(connection)
        else:
            connection.open(self._server(), secure)

    def opened(self, connection: _Connection, handler: object) -> None:
        self._by_handler[handler] = connection

    def gone(self, connection: _Connection) -> None:
        self._crowd.gone(connection)
        self._by_handler.pop(connection.handler, None)


class _Connection(asyncio.Protocol):
    """One connection: everything is handed on to aiohttp's handler, once there is one."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._transport: asyncio.Transport | None = None
        self.handler: asyncio.Protocol | None = None
        self.is_over = False
        self._early = b""  # came with the end of the handshake

    def open(self, handler: asyncio.Protocol, transport: asyncio.Transport) -> None:
        self.handler = handler
        self._transport = transport
        self._listener.opened(self, handler)
        handler.connection_made(transport)
        if self._early:
            handler.data_received(self._early)
            self._early = b""

    def abort(self) -> None:
        self.is_over = True
        if self._transport is not None:
            self._transport.abort()

    # ---- called by asyncio -------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._listener.came(self, transport)

    def data_received(self, data: bytes) -> None:
        if self.handler is None:
            self._early += data
        else:
            self.handler.data_received(data)

    def eof_received(self) -> bool | None:
        return None if self.handler is None else self.handler.eof_received()

    def pause_writing(self) -> None:
        if self.handler is not None:
            self.handler.pause_writing()

    def resume_writing(self) -> None:
        if self.handler is not None:
            self.handler.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_over = True
        self._listener.gone(self)
        if self.handler is not None:
            self.handler.connection_lost(exc)


def keep_alive(connection: socket.socket | None) -> None:
    """Let the kernel find out when the other end is gone, as far as it can be told how."""
    if connection is None:
        return
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in DEAD_AFTER:
            if (option := getattr(socket, name, None)) is not None:
                connection.setsockopt(socket.IPPROTO_TCP, option, value)
