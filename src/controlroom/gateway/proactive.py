"""The channel ``proactive``: messages from here to the relay's app (relay contract section 11.2).

Each device has its own queue on disk, which any of its sockets that subscribed empties, in order. A message
is taken from the disk when the socket took it; what broke off is sent again with the next subscription.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
import structlog
from aiohttp import web

from controlroom.gateway.access import Access
from controlroom.gateway.channels import Channel, Handler, Link
from controlroom.gateway.ports import PhoneMail
from controlroom.kit.clock import Clock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.relay import Envelope

_log = structlog.get_logger("proactive")

NO_REPLIES: Final = "Messages to agents are not taken over the relay; use the Control Room's own app."


class ProactivePart:
    """``mail``: the queues (``hub.channels.proactive``)."""

    capabilities: Final[Sequence[str]] = ("proactive",)

    def __init__(self, mail: PhoneMail, clock: Clock) -> None:
        self._mail = mail
        self._clock = clock
        self._tasks = Tasks("proactive")
        self._links: dict[str, dict[str, Link]] = {}  # by device, those that subscribed, the newest last
        self._locks: dict[str, asyncio.Lock] = {}
        mail.on_mail(self._came)

    def channels(self) -> Sequence[Channel]:
        return (_Proactive(self),)

    def routes(self, access: Access) -> Sequence[web.RouteDef]:
        return ()

    def numbers(self) -> Mapping[str, int]:
        return {}

    async def start(self) -> None:
        """Nothing to start: queues are emptied by who subscribes."""

    async def aclose(self) -> None:
        await self._tasks.aclose()

    # ---- what sockets say ------------------------------------------------------------------------------

    async def receive(self, link: Link, message: Envelope) -> None:
        match message.type:
            case "proactive.subscribe":
                await self._mail.subscribed(link.device)
                self._links.setdefault(link.device.id, {})[link.id] = link
                await link.send("proactive.subscribed", {"ts": self._clock.now_ms()})
                await self._empty(link.device.id, is_backlog=True)
            case "proactive.unsubscribe":
                self.left(link)
            case "proactive.cancel":
                named = message.payload.get("message_id")
                await self._mail.cancel(link.device.id, named if isinstance(named, str) and named else None)
            case "proactive.reply":
                # No proactive.reply.ack: nobody has the text, and the phone must not think so.
                await link.system_error(NO_REPLIES, id=message.id or None)

    def left(self, link: Link) -> None:
        links = self._links.get(link.device.id, {})
        links.pop(link.id, None)
        if not links:
            self._links.pop(link.device.id, None)

    # ---- what goes out ---------------------------------------------------------------------------------

    def _came(self, device_id: str) -> None:
        if device_id in self._links:
            self._tasks.start(f"mail:{device_id}", self._quietly(device_id))

    async def _quietly(self, device_id: str) -> None:
        try:
            await self._empty(device_id, is_backlog=False)
        except DatabaseTrouble as error:  # it stays in the queue
            _log.warning("a queue cannot be read", device=device_id, error=str(error))

    async def _empty(self, device_id: str, *, is_backlog: bool) -> None:
        """``is_backlog``: these came while nobody had subscribed; the phone is told when they are through."""
        async with self._locks.setdefault(device_id, asyncio.Lock()):
            count, link = 0, None
            for row in await self._mail.waiting(device_id):
                link = self._newest(device_id)
                if link is None:
                    return
                payload = msgspec.to_builtins(row.message)
                if is_backlog:
                    payload["queued_delivery"] = True
                if not await link.send("phone.message", payload, id=row.message.message_id):
                    return
                await self._mail.took(row.number)
                count += 1
            if is_backlog and count and link is not None:
                await link.send("proactive.backlog.complete", {"count": count, "ts": self._clock.now_ms()})

    def _newest(self, device_id: str) -> Link | None:
        """The device's socket that subscribed last, is open, and may still have it."""
        for link in reversed(list(self._links.get(device_id, {}).values())):
            if link.is_open and link.may("chat"):
                return link
        return None


class _Proactive:
    name: Final = "proactive"
    right: Final = "chat"

    def __init__(self, part: ProactivePart) -> None:
        self._part = part

    async def open(self, link: Link) -> Handler:
        return _Handler(self._part, link)


class _Handler:
    def __init__(self, part: ProactivePart, link: Link) -> None:
        self._part = part
        self._link = link

    async def receive(self, message: Envelope) -> None:
        await self._part.receive(self._link, message)

    async def aclose(self, reason: str) -> None:
        self._part.left(self._link)
