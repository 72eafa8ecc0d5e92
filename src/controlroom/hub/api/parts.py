"""What the API speaks to, and who speaks to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlroom.hub.acts import Acts
from controlroom.hub.api.live import LiveClients
from controlroom.hub.chats import Chats
from controlroom.hub.messages import Messages
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.store.store import Store
from controlroom.wire.client import Status
from controlroom.wire.model import Fleet


@dataclass(frozen=True)
class Parts:
    """The features behind the routes."""

    fleet: Callable[[], Fleet]
    status: Callable[[], Status]
    store: Store
    chats: Chats
    messages: Messages
    acts: Acts
    receipts: ReceiptBook
    live: LiveClients
