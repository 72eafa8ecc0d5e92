"""The live socket: durable events that resume by ``seq``, and throw-away frames of what is looked at.

Each client has a bounded queue of events, one slot for the newest frame of each pane it watches, and a
writer of its own: nobody waits for anybody else. A client whose queue is full is closed; it comes back with
the last ``seq`` it has and gets what it missed, or a ``resync`` when that is too much or too long ago.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from aiohttp import web

from controlroom.hub.acts import Acts
from controlroom.hub.api.callers import Caller
from controlroom.hub.api.conversation import Conversation
from controlroom.hub.api.device_callers import ended
from controlroom.hub.chats import Chats
from controlroom.hub.errors import HubError
from controlroom.hub.mirror import Mirror
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.store.store import Event, Store
from controlroom.kit.clock import Clock
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import ItemsFrame
from controlroom.wire.codec import encode
from controlroom.wire.device import Device, DeviceEnd
from controlroom.wire.model import Fleet, Item

FRAME_LIMIT = 1024 * 1024  # of what clients say
CLOSE_S = 2.0  # for the answer to our good-bye


class LiveClients:
    """All connections of the live socket, and what they share."""

    def __init__(
        self,
        *,
        store: Store,
        fleet: Callable[[], Fleet],
        chats: Chats,
        acts: Acts,
        mirror: Mirror,
        receipts: ReceiptBook,
        clock: Clock,
    ) -> None:
        self.store = store
        self.fleet = fleet
        self.chats = chats
        self.acts = acts
        self.mirror = mirror
        self.receipts = receipts
        self.clock = clock
        self._open: set[Conversation] = set()
        self._tasks = Tasks("live sockets")

    def join(self, conversation: Conversation) -> Fleet:
        """From this very moment on it gets events; the fleet is what there was before them."""
        self._open.add(conversation)
        return self.fleet()

    def event(self, event: Event) -> None:
        """Give an event to everybody; encoded once, and nobody is waited for."""
        if self._open:
            data = event.frame
            for conversation in self._open:
                conversation.outbox.event(event.seq, data)

    def items(self, chat_id: str, items: tuple[Item, ...]) -> None:
        """Give new items to those who have the chat open."""
        looking = [one for one in self._open if chat_id in one.chats]
        if looking:
            data = encode(ItemsFrame(chat_id=chat_id, items=items))
            for conversation in looking:
                conversation.outbox.items(data)

    def end_device(self, device_id: str, why: DeviceEnd) -> None:
        """A device is out: its sockets hear why, nothing more from this moment on, and are closed."""
        for conversation in self._of(device_id):
            self._dismiss(conversation, ended(why))

    def device_changed(self, device: Device) -> None:
        """A device that may not read any more hears so and nothing more."""
        for conversation in self._of(device.id):
            if (refusal := conversation.refusal) is not None:
                self._dismiss(conversation, refusal)

    def device_ids(self) -> list[str]:
        """The devices that are here now."""
        found = [one.by.partition(":") for one in self._open]
        return [id_ for kind, _, id_ in found if kind == "device"]

    def is_open(self, chat_id: str) -> bool:
        """Whether a device shows this chat now."""
        return any(chat_id in one.chats and one.by.startswith("device:") for one in self._open)

    def _of(self, device_id: str) -> list[Conversation]:
        return [one for one in self._open if one.by == f"device:{device_id}"]

    def _dismiss(self, conversation: Conversation, why: HubError) -> None:
        self._open.discard(conversation)
        self._tasks.start("end", conversation.dismiss(why))

    async def serve(
        self, request: web.Request, greeted: Callable[[str | None], Caller]
    ) -> web.WebSocketResponse:
        """One socket from its opening to its end. ``greeted`` tells who it is by what its hello says."""
        socket = web.WebSocketResponse(compress=True, max_msg_size=FRAME_LIMIT, timeout=CLOSE_S)
        await socket.prepare(request)
        conversation = Conversation(self, socket, request.transport, greeted)
        try:
            await conversation.run()
        finally:
            self._open.discard(conversation)
        return socket

    async def aclose(self) -> None:
        """Say good-bye; clients come again by themselves."""
        await asyncio.gather(*(conversation.end() for conversation in tuple(self._open)))
        await self._tasks.finished()
