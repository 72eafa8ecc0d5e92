"""The doors to the network: (b) for devices that connect directly, (c) for what a proxy forwards.

Both are opened before anything else starts, so that a port that is taken is known at once, and serve when the
hub and the relay have told their routes.
"""

from __future__ import annotations

import contextlib
import resource
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
import structlog
from aiohttp import web

from controlroom.app.certificate import Certificate
from controlroom.app.door_app import DoorPlan, make_door
from controlroom.app.tailscale import Tailscale, TailscaleError, look
from controlroom.core.binding import LOOPBACK, Binding, binding
from controlroom.core.crowd import limits_for
from controlroom.core.endpoints import Tailnet
from controlroom.core.invite import Reach
from controlroom.core.origin import Names, in_url
from controlroom.core.qr import ApiAddress
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.http import PortTaken, listening
from controlroom.kit.listener import Listener
from controlroom.kit.settings import Door
from controlroom.kit.supervise import Tasks

_log = structlog.get_logger("door")

HEADERS_S: Final = 30.0  # for a request's headers, and between two requests
STOP_S: Final = 5.0  # for requests that are under way
LARGEST_HEADER: Final = 8190  # bytes of one line


class WrongDoor(Exception):
    """The doors cannot be as they are wished; the text is one sentence that says what to do."""


class DoorWish(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line says of the doors. ``port`` 0: any that is free."""

    port: int
    host: str = "127.0.0.1"
    is_public: bool = False
    plain_http: bool = False
    cert: Path | None = None
    key: Path | None = None
    with_tailscale: bool = False


class Doors:
    """Both doors. ``opened`` makes them, ``serve`` serves them."""

    @classmethod
    def opened(cls, wish: DoorWish, settings: Door, *, clock: Clock, health: HealthBoard) -> Doors:
        """Listening, not yet served. Raises WrongDoor, CertificateError and PortTaken."""
        if (wish.cert is None) != (wish.key is None):
            raise WrongDoor("--cert and --key belong together: give both")
        certificate = None
        try:
            bound = binding(
                wish.host,
                has_tls=wish.cert is not None,
                is_public=wish.is_public,
                plain_http=wish.plain_http,
            )
        except ValueError as error:
            raise WrongDoor(str(error)) from None
        if wish.cert is not None and wish.key is not None:
            certificate = Certificate(wish.cert, wish.key, clock=clock, health=health)
            certificate.load()
        doors = cls(
            settings=settings,
            binding=bound,
            certificate=certificate,
            tailscale=Tailscale(health) if wish.with_tailscale else None,
            health=health,
        )
        doors.open(wish.port)
        return doors

    def __init__(
        self,
        *,
        settings: Door,
        binding: Binding,
        certificate: Certificate | None,
        tailscale: Tailscale | None,
        health: HealthBoard,
    ) -> None:
        self._settings = settings
        self._binding = binding
        self.certificate = certificate
        self._health = health
        self._tailnet: Tailnet | None = None  # of a door that listens there by itself
        self._tasks = Tasks("doors")
        self.tailscale = tailscale
        self._sockets: dict[str, list[socket.socket]] = {}
        self.listeners: list[Listener] = []
        self._runners: list[web.AppRunner] = []
        self.port = 0
        self.proxy_port = 0

    def open(self, port: int) -> None:
        """Listen at both ports (``port`` 0: any that is free). Raises PortTaken."""
        device = listening(self._binding.addresses, port)
        self._sockets["device"] = device
        self.port = int(device[0].getsockname()[1])
        try:
            proxy = self._listening_for_proxies(port)
        except PortTaken:
            self.close_unserved()
            raise
        self._sockets["proxy"] = proxy
        self.proxy_port = int(proxy[0].getsockname()[1])

    def _listening_for_proxies(self, port: int) -> list[socket.socket]:
        wished = self._settings.proxy_port
        if wished:
            return listening(LOOPBACK, wished)
        if port and port < 65535:
            try:
                return listening(LOOPBACK, port + 1)
            except PortTaken as error:
                _log.info("another port for proxies is taken", why=str(error))
        return listening(LOOPBACK, 0)

    def close_unserved(self) -> None:
        """Close what was opened and is not served."""
        for sockets in self._sockets.values():
            for one in sockets:
                one.close()
        self._sockets.clear()

    @property
    def url(self) -> str:
        """The app on this machine."""
        return f"{self._scheme}://{in_url(self._own_name)}:{self.port}/app/"

    @property
    def _scheme(self) -> str:
        return "http" if self.certificate is None else "https"

    @property
    def _own_name(self) -> str:
        return "localhost" if self.certificate is None else self.certificate.name

    @property
    def is_in_the_clear(self) -> bool:
        """Whether others in the network can read what devices send."""
        return self.certificate is None and self._binding.is_readable

    def reach(self) -> Reach:
        """How devices reach us now, best guess first: by the address that is bound beyond this machine."""
        tailnet = None if self.tailscale is None else self.tailscale.tailnet
        beyond = self._binding.beyond
        if self._binding.is_everywhere:
            beyond = lan_address() or ""
        if self.certificate is not None:
            relay = ApiAddress(host=self.certificate.name, port=self.port, tls=True)
        else:
            relay = ApiAddress(host=beyond or "127.0.0.1", port=self.port)
        if tailnet is None and self._binding.is_in_tailnet:
            tailnet = self._tailnet or Tailnet(address=self._binding.beyond)
        return Reach(
            relay=relay,
            tailnet=tailnet,
            public_url=self._settings.public_url or None,
        )

    def names(self) -> Names:
        """Whom requests may be meant for, besides this machine's loopback names."""
        found = [*self._settings.names, *self._binding.addresses]
        if self._settings.public_url:
            found.append(urlsplit(self._settings.public_url).hostname or "")
        if self.certificate is not None:
            found += self.certificate.names
        if self.tailscale is not None and self.tailscale.name is not None:
            found.append(self.tailscale.name)
        if self._tailnet is not None and self._tailnet.name is not None:
            found.append(self._tailnet.name)
        return Names(found)

    async def serve(self, routes: Sequence[web.RouteDef], *, body_limit: int) -> None:
        """Serve these routes on both doors."""
        may_send_home = self.certificate is None
        device = DoorPlan(
            door="device",
            routes=routes,
            body_limit=body_limit,
            app_port=self.port if may_send_home else None,
        )
        for plan in (device, msgspec.structs.replace(device, door="proxy", app_port=None)):
            await self._serve(plan)
        if self.certificate is not None:
            self._tasks.supervise("certificate", self.certificate.watch, self._health)

    async def publish(self) -> str | None:
        """Let the tailnet in, when that is wished; the address there. Raises TailscaleError."""
        if self.tailscale is None:
            if self._binding.is_in_tailnet:
                with contextlib.suppress(TailscaleError):  # only a name that browsers could use
                    self._tailnet = await look()
            return None
        return await self.tailscale.enable(self.port, self.proxy_port)

    async def _serve(self, plan: DoorPlan) -> None:
        made: list[Listener] = []
        app = make_door(plan, names=self.names, listener=lambda: made[0] if made else None)
        runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=STOP_S,
            keepalive_timeout=HEADERS_S,
            max_line_size=LARGEST_HEADER,
            max_field_size=LARGEST_HEADER,
        )
        await runner.setup()
        self._runners.append(runner)
        assert runner.server is not None, "set up a moment ago"
        is_device = plan.door == "device"
        certificate = self.certificate
        listener = Listener(
            runner.server,
            limits_for(resource.getrlimit(resource.RLIMIT_NOFILE)[0]),
            tls=(lambda: certificate.context) if is_device and certificate is not None else None,
            by_address=is_device,
        )
        made.append(listener)
        self.listeners.append(listener)
        await listener.start(self._sockets.pop(plan.door))

    @property
    def applications(self) -> list[web.Application]:
        """What is served, the device door first."""
        return [runner.app for runner in self._runners]

    async def close_for_new(self) -> None:
        """Take no more connections; those that are there go on."""
        if self.tailscale is not None:
            await self.tailscale.disable()
        await self._tasks.aclose()
        self.close_unserved()
        for listener in self.listeners:
            await listener.aclose()

    async def aclose(self) -> None:
        """End the connections too, after a moment for requests that are under way."""
        await self.close_for_new()
        while self._runners:
            await self._runners.pop().cleanup()


def lan_address() -> str | None:
    """This machine's address in the network that leads outside; nothing is sent to find it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            return str(probe.getsockname()[0])
        except OSError:
            return None
