"""All relay sockets: the upgrade, who is connected, and what is told to many at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec
from aiohttp import web

from controlroom.core.limiter import Limiter
from controlroom.core.relay import AUTH_TIMEOUT_S, Send
from controlroom.gateway.channels import Channel
from controlroom.gateway.login import Login
from controlroom.gateway.ports import Devices
from controlroom.gateway.socket import GOOD_BYE_S, RelaySocket
from controlroom.kit.clock import Clock
from controlroom.kit.http import peer_of
from controlroom.kit.supervise import Tasks
from controlroom.wire.device import Device, DeviceEnd

LARGEST_FRAME: Final = 4 * 1024 * 1024
KEEPALIVE_S: Final = 30.0  # aiohttp drops the peer when no pong comes within half of it
MOST_WAITING: Final = 128  # sockets that have not said who they are; each may hold one frame
MOST_WAITING_OF_PEER: Final = 16


class SocketTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Time limits of a socket, in seconds; the defaults are the contract's."""

    auth_s: float = AUTH_TIMEOUT_S
    keepalive_s: float = KEEPALIVE_S


class Sockets:
    """The open relay sockets of this service."""

    def __init__(
        self,
        *,
        devices: Devices,
        channels: Mapping[str, Channel],
        login: Login,
        limiter: Limiter,
        clock: Clock,
        times: SocketTimes,
    ) -> None:
        self._channels = channels
        self._login = login
        self._limiter = limiter
        self._clock = clock
        self._times = times
        self._all: set[RelaySocket] = set()
        self._tasks = Tasks("relay")
        self._is_closing = False
        devices.on_end(self._ended)
        devices.on_change(self._changed)
        devices.connected(self._device_ids)

    @property
    def clients(self) -> int:
        """Sockets of devices that have said who they are."""
        return sum(one.is_open for one in self._all)

    async def upgrade(self, request: web.Request) -> web.StreamResponse:
        """``GET /ws``: from the upgrade to the end of the socket."""
        peer = peer_of(request)
        if self._limiter.blocked_for(peer.address, self._clock.monotonic()):
            raise web.HTTPTooManyRequests(text="Too many failed logins (rate limited); try again later")
        if self._is_closing or self._is_crowded(peer.address):
            raise web.HTTPServiceUnavailable(text="Too many connections wait for their login")
        ws = web.WebSocketResponse(
            # Frames are small and many; compressing costs more than it saves, and clients do without.
            compress=False,
            max_msg_size=LARGEST_FRAME,
            heartbeat=self._times.keepalive_s,
            timeout=GOOD_BYE_S,
        )
        socket = RelaySocket(
            ws=ws,
            request=request,
            peer=peer,
            channels=self._channels,
            login=self._login,
            limiter=self._limiter,
            clock=self._clock,
            auth_timeout_s=self._times.auth_s,
        )
        self._all.add(socket)  # before anything is awaited: many upgrades at once must all be counted
        try:
            await ws.prepare(request)
            await socket.run()
        finally:
            self._all.discard(socket)
        return ws

    def push(self, channel: str, type_: str, payload: Mapping[str, object], right: str | None = None) -> None:
        """Tell every authenticated socket that holds ``right`` now, with the fields at the top level too; a
        full one misses it."""
        for socket in self._all:
            if socket.may(right):
                socket.offer(Send(channel, type_, payload), **payload)

    async def aclose(self) -> None:
        """Say good-bye on every socket and close it."""
        self._is_closing = True
        await asyncio.gather(*(socket.shut_down() for socket in tuple(self._all)))
        await self._tasks.aclose()

    def _is_crowded(self, address: str) -> bool:
        waiting = Counter(socket.peer.address for socket in self._all if socket.is_waiting)
        return waiting.total() >= MOST_WAITING or waiting[address] >= MOST_WAITING_OF_PEER

    def _device_ids(self) -> list[str]:
        return [one.device.id for one in self._all if one.is_open and one.device is not None]

    def _ended(self, device_id: str, why: DeviceEnd) -> None:
        for socket in self._of(device_id):
            self._tasks.start("ended", socket.ended(why))

    def _changed(self, device: Device) -> None:
        for socket in self._of(device.id):
            self._tasks.start("changed", socket.changed(device))

    def _of(self, device_id: str) -> list[RelaySocket]:
        return [one for one in self._all if one.device is not None and one.device.id == device_id]
