"""The relay door as one piece: its sockets, its HTTP routes, and the parts that channels come from."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import structlog
from aiohttp import web

from controlroom import __version__
from controlroom.core.invite import Reach
from controlroom.core.limiter import Limiter
from controlroom.core.qr import SECRET_BYTES, SHORTEST_SECRET
from controlroom.gateway.access import Access, DoorSecret
from controlroom.gateway.channels import Channel, Part, Profiles
from controlroom.gateway.info import Info
from controlroom.gateway.login import Login
from controlroom.gateway.pairing import Pairing
from controlroom.gateway.ports import Devices
from controlroom.gateway.sessions import Sessions
from controlroom.gateway.sockets import Sockets, SocketTimes
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.secrets_file import read_or_make
from controlroom.kit.settings import Door

_log = structlog.get_logger("relay")
TROUBLE: Final = "door_secrets"


class Gateway:
    """The Hermes-Relay protocol over our devices. ``routes`` go onto the device door and the proxy door;
    every request must carry the ``Peer`` that the door found.

    ``reach`` tells how devices reach this machine now. ``parts`` bring channels and routes; no two may have
    the same channel. ``limiter``: one that other doors of this machine count in too.
    """

    def __init__(
        self,
        *,
        devices: Devices,
        parts: Sequence[Part],
        profiles: Profiles | None,
        reach: Callable[[], Reach],
        settings: Door,
        home: Home,
        clock: Clock,
        health: HealthBoard,
        times: SocketTimes | None = None,
        limiter: Limiter | None = None,
    ) -> None:
        self._parts = tuple(parts)
        self._home = home
        self._health = health
        self._with_loopback_routes = settings.loopback_routes
        self._limiter = limiter or Limiter()
        self._qr_secret: bytes | None = None
        login = Login(devices, profiles, __version__, clock)
        secret = DoorSecret(self._door_secret) if self._with_loopback_routes else None
        self.access = Access(devices, clock, secret)
        self._sockets = Sockets(
            devices=devices,
            channels=_by_name(self._parts),
            login=login,
            limiter=self._limiter,
            clock=clock,
            times=times or SocketTimes(),
        )
        self._sessions = Sessions(devices, self.access, clock)
        self._pairing = Pairing(
            devices=devices,
            access=self.access,
            limiter=self._limiter,
            reach=reach,
            secret=lambda: self._qr_secret,
        )
        self._info = Info(
            devices=devices,
            access=self.access,
            login=login,
            parts=self._parts,
            clients=lambda: self._sockets.clients,
            clock=clock,
            version=__version__,
        )

    def routes(self) -> list[web.RouteDef]:
        """All HTTP routes of the relay protocol, and the upgrades of ``/ws`` and ``/``.

        The loopback routes are always there, so that a stranger cannot tell whether they are on: without the
        setting they refuse everybody.
        """
        return [
            web.get("/ws", self._sockets.upgrade),
            web.get("/", self._root),
            *self._info.routes(),
            *self._sessions.routes(),
            *self._pairing.routes(),
            *(route for part in self._parts for route in part.routes(self.access)),
        ]

    async def start(self) -> None:
        """Read or make our secrets, and start the parts."""
        try:
            self._qr_secret = qr_secret(self._home)
            if self._with_loopback_routes:
                read_or_make(self._door_secret, _door_secret_text, shortest=SECRET_BYTES)
        except OSError as error:
            _log.error("secrets of the door cannot be kept", error=str(error))
            self._health.raise_(
                TROUBLE,
                "The door's secrets cannot be kept: QR codes are not signed, loopback routes are closed",
                "Make the data folder writable and start again.",
            )
        for part in self._parts:
            await part.start()

    def push(self, channel: str, type_: str, payload: Mapping[str, object], right: str | None = None) -> None:
        """Tell every authenticated socket that holds ``right`` now; one that is full misses it. The fields of
        ``payload`` stand at the top level of the envelope too, where the Android app reads them (contract
        section 17.2)."""
        self._sockets.push(channel, type_, payload, right)

    async def aclose(self) -> None:
        """Say good-bye on every socket and end it; then end the parts, last first."""
        await self._sockets.aclose()
        for part in reversed(self._parts):
            await part.aclose()

    @property
    def _door_secret(self) -> Path:
        return self._home.path / "door-secret"

    async def _root(self, request: web.Request) -> web.StreamResponse:
        """The bare address: the desktop client's socket, or a person's browser."""
        if request.headers.get("Upgrade", "").lower() == "websocket":
            return await self._sockets.upgrade(request)
        raise web.HTTPFound("/app/")


def qr_secret(home: Home) -> bytes:
    """The secret that signs QR codes, in our own data folder. Raises OSError."""
    return read_or_make(
        home.path / "qr-secret", lambda: secrets.token_bytes(SECRET_BYTES), shortest=SHORTEST_SECRET
    )


def _door_secret_text() -> bytes:
    return secrets.token_urlsafe(SECRET_BYTES).encode()


def _by_name(parts: Sequence[Part]) -> dict[str, Channel]:
    channels: dict[str, Channel] = {}
    for part in parts:
        for channel in part.channels():
            assert channel.name not in channels, f"two channels are called {channel.name}"
            channels[channel.name] = channel
    return channels
