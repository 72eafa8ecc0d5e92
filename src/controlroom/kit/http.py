"""aiohttp as we use it: JSON from structs, private Unix sockets, TCP ports."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeVar

import msgspec
from aiohttp import web

from controlroom.core.text import clean_line
from controlroom.wire.codec import decode, encode

T = TypeVar("T")

BACKLOG = 128
BODY_S = 60.0  # for a body to come; a phone's network may be slow
FREE_PORT_TRIES = 10  # a port that is free on 127.0.0.1 may be taken on ::1


class PortTaken(Exception):
    """The port cannot be used; the text says why, for people."""


class BadBody(Exception):
    """The request's body is not what this route takes; the text says what is wrong with it."""


def json_answer(body: object, status: int = 200) -> web.Response:
    """A struct as JSON, never cached and never guessed to be something else."""
    return web.Response(
        body=encode(body),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
    )


async def read_body(request: web.Request, kind: type[T]) -> T:
    """The body as a struct. Raises BadBody, and aiohttp's own error when it is larger than the app allows."""
    try:
        async with asyncio.timeout(BODY_S):
            raw = await request.read()
    except TimeoutError:
        raise BadBody("The body did not come in time.") from None
    try:
        return decode(raw, kind)
    except (msgspec.ValidationError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadBody(str(error)) from None


def peer_pid(request: web.BaseRequest) -> int | None:
    """The process that made this connection over a Unix socket (``SO_PEERCRED``); None when unknown."""
    transport = request.transport
    peer: socket.socket | None = None if transport is None else transport.get_extra_info("socket")
    if peer is None or peer.family is not socket.AF_UNIX:
        return None
    pid, _uid, _gid = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid or None  # 0: a process of another pid namespace


async def serve_unix(runner: web.AppRunner, path: Path) -> None:
    """Listen on a socket that only its owner may use.

    Whatever socket lies there is removed first: the caller holds the folder's lock, so nobody serves it.
    """
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)  # there is no moment in which others could connect
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    await web.SockSite(runner, listener, backlog=BACKLOG).start()


def listening(hosts: Sequence[str], port: int) -> list[socket.socket]:
    """Sockets that listen at these addresses with the same port (0: one that is free at all of them).

    A machine without IPv6 has no ``::1``: that one is left out. Connections wait in the kernel until somebody
    serves them. Raises PortTaken.
    """
    tries = 1 if port else FREE_PORT_TRIES
    while True:
        tries -= 1
        wanted, listeners = port, list[socket.socket]()
        try:
            for host in hosts:
                listener = _bound(host, wanted)
                if listener is not None:
                    listeners.append(listener)
                    wanted = listener.getsockname()[1]
        except PortTaken:
            for listener in listeners:
                listener.close()
            if not tries:
                raise
        else:
            return listeners


def _bound(host: str, port: int) -> socket.socket | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    is_optional = family == socket.AF_INET6 and host in {"::1", "::"}
    try:
        listener = socket.socket(family, socket.SOCK_STREAM)
    except OSError as error:
        if is_optional:
            return None
        raise PortTaken(f"No socket can be opened for {host}: {error.strerror}.") from None
    listener.setblocking(False)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno in {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}:
            if is_optional:
                return None
            raise PortTaken(f"{host} is not an address of this machine now.") from None
        if error.errno == errno.EADDRINUSE:
            raise PortTaken(
                f"Port {port} is taken{_by_whom(port)}. Stop that program, or choose another with --port."
            ) from None
        raise PortTaken(f"Port {port} on {host} cannot be used: {error.strerror}.") from None
    return listener


def _by_whom(port: int) -> str:
    """Which program listens there, as far as this user may know."""
    import psutil

    try:
        for connection in psutil.net_connections("tcp"):
            where = getattr(connection.laddr, "port", None)
            if connection.status == psutil.CONN_LISTEN and where == port and connection.pid:
                process = psutil.Process(connection.pid)
                return f" by {_called(process.name(), process.cmdline())} (process {connection.pid})"
    except (psutil.Error, OSError):
        pass
    return ""


def _called(name: str, arguments: Sequence[str]) -> str:
    """A program as people know it; the two that like this port run inside Python."""
    line = " ".join(arguments[:8]).lower()
    if "hermes" in line:
        return "an installed Hermes-Relay"
    if "controlroom" in line:
        return "another Control Room"
    return clean_line(name, 40)


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """Who is at the other end, as the door found out (house.md section 3).

    ``address`` is the limiter's key: the peer on the device door, the forwarded client on the proxy door.
    Nobody on the proxy door is local. ``is_loopback``: a loopback peer on the device door. The person whom
    the proxy names is for people to read, and proves nothing.
    """

    door: Literal["socket", "device", "proxy"]
    address: str
    is_loopback: bool = False
    is_secure: bool = False  # TLS, ours or the proxy's
    tailscale_user: str = ""  # a login, such as kim@example.com; proxy door only
    tailscale_name: str = ""


_PEER = web.RequestKey("controlroom.peer", Peer)


def set_peer(request: web.BaseRequest, peer: Peer) -> None:
    """Remembered on the request by the door's outermost middleware."""
    request[_PEER] = peer


def peer_at(request: web.BaseRequest) -> Peer | None:
    """The peer that the door found; None on the private socket."""
    return request.get(_PEER)


def peer_of(request: web.BaseRequest) -> Peer:
    """The peer that the door found; a request that came past no door is a bug."""
    return request[_PEER]
