"""The relay door as one piece: its sockets, its HTTP routes, and the parts that channels come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from aiohttp import web

from controlroom.gateway.access import Access, DoorSecret
from controlroom.gateway.channels import Part, Profiles
from controlroom.gateway.ports import Devices
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.home import Home
from controlroom.kit.settings import Door


class Gateway:
    """The Hermes-Relay protocol over our devices. ``routes`` go onto the device door and the proxy door;
    every request must carry the ``Peer`` that the door found."""

    def __init__(
        self,
        *,
        devices: Devices,
        parts: Sequence[Part],
        profiles: Profiles | None,
        settings: Door,
        home: Home,
        clock: Clock,
        health: HealthBoard,
    ) -> None:
        self._parts = tuple(parts)
        secret = DoorSecret(home.path / "door-secret") if settings.loopback_routes else None
        self.access = Access(devices, clock, secret)

    def routes(self) -> list[web.RouteDef]:
        """All HTTP routes of the relay protocol, and the upgrades of ``/ws`` and ``/``."""
        return [route for part in self._parts for route in part.routes(self.access)]

    async def start(self) -> None:
        for part in self._parts:
            await part.start()

    async def push(self, channel: str, type_: str, payload: Mapping[str, object]) -> None:
        """Tell every authenticated socket; one that is full misses it. The fields of ``payload`` stand at the
        top level of the envelope too, where the Android app reads them (contract section 17.2)."""

    async def aclose(self) -> None:
        """Say good-bye on every socket and end it; then end the parts."""
        for part in reversed(self._parts):
            await part.aclose()
