"""A hub and its relay behind the doors, started in order and closed in reverse."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

import structlog

from controlroom.app.doors import Doors
from controlroom.app.hermes import with_hermes
from controlroom.app.invitations import Invitations
from controlroom.app.link import InProcessLink
from controlroom.app.relay import make_relay, make_terminals
from controlroom.core.limiter import Limiter
from controlroom.gateway.gateway import qr_secret
from controlroom.gateway.terminal.channel import TerminalChannel
from controlroom.hub.hub import Hub
from controlroom.hub.store.store import Store
from controlroom.hub.store.tables import SCHEMA
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.settings import Settings
from controlroom.kit.sql import Database
from controlroom.node.node import Node
from controlroom.wire.device import Invitation, MintPairing, PairingPolicy

_log = structlog.get_logger("room")

LARGEST_RELAY_BODY: Final = 2 * 1024 * 1024  # of JSON; files are taken piece by piece


class Room:
    """The hub over one node, the relay over the hub, both on the doors. The node has started, the doors are
    open, and both are closed by their owner."""

    def __init__(
        self, *, node: Node, doors: Doors, home: Home, settings: Settings, clock: Clock, health: HealthBoard
    ) -> None:
        self._doors = doors
        self._home = home
        self._settings = settings
        self._clock = clock
        self._health = health
        self._limiter = Limiter()
        self._store = Store(Database(home.database("hub"), SCHEMA, clock=clock, health=health), clock)
        self._stack = contextlib.AsyncExitStack()
        self._reach = with_hermes(doors.reach, os.environ, Path.home())
        self._invitations = Invitations(self._reach, self._secret)
        self.hub = Hub(
            settings=settings,
            home=home,
            store=self._store,
            links=[InProcessLink(node.api)],
            callers=node.api,
            clock=clock,
            health=health,
            invitations=self._invitations,
            limiter=self._limiter,
            url=doors.url,
        )

    async def start(self) -> None:
        """Raises SchemaTooNew and DatabaseTrouble; what was started is ended by ``aclose``."""
        hub, doors = self.hub, self._doors
        self._stack.push_async_callback(hub.aclose)
        await hub.start()
        terminals = make_terminals(hub, self._home)
        relay = make_relay(
            hub=hub,
            store=self._store,
            terminals=terminals,
            reach=self._reach,
            settings=self._settings,
            home=self._home,
            limiter=self._limiter,
            clock=self._clock,
            health=self._health,
        )
        self._stack.push_async_callback(doors.aclose)
        self._stack.push_async_callback(relay.aclose)
        await relay.start()
        self._stack.push_async_callback(hub.say_good_bye)
        self._stack.push_async_callback(doors.close_for_new)
        limit = max(hub.body_limit, LARGEST_RELAY_BODY)
        shells = TerminalChannel(terminals)
        await doors.serve([*relay.routes(), *hub.door_routes(shells)], body_limit=limit)

    async def aclose(self) -> None:
        await self._stack.aclose()

    async def has_devices(self) -> bool:
        return bool(await self.hub.devices.all())

    async def first_invitation(self) -> Invitation:
        """An invitation for the first device. Raises ValueError and DatabaseTrouble."""
        code = await self.hub.devices.mint(PairingPolicy())
        return await self._invitations.invite(code, MintPairing())

    def _secret(self) -> bytes | None:
        """The secret for QR codes; None, and then they are not signed, when it cannot be kept."""
        try:
            return qr_secret(self._home)
        except OSError as error:
            _log.warning("QR codes are not signed", error=str(error))
            return None
