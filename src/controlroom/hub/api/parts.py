"""What the API speaks to, and who speaks to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from controlroom.core.limiter import Limiter
from controlroom.hub.accounts import Accounts
from controlroom.hub.acts import Acts
from controlroom.hub.api.live import LiveClients
from controlroom.hub.channels.ways import Ways
from controlroom.hub.chat_finder import ChatFinder
from controlroom.hub.chats import Chats
from controlroom.hub.devices import DeviceBook
from controlroom.hub.glance import GlanceBook
from controlroom.hub.hidden import Hiding
from controlroom.hub.messages import Messages
from controlroom.hub.notifications import NotificationBook
from controlroom.hub.operations import OperationBook
from controlroom.hub.passkeys import Passkeys
from controlroom.hub.ports import Invitations
from controlroom.hub.questions import Questions
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.store.store import Store
from controlroom.hub.unlocks import Unlocks
from controlroom.hub.uploads import Uploads
from controlroom.kit.clock import Clock
from controlroom.wire.client import Status
from controlroom.wire.model import Fleet
from controlroom.wire.policy import PolicyReport


@dataclass(frozen=True)
class Parts:
    """The features behind the routes. ``limiter`` counts wrong codes of each peer, for all doors."""

    fleet: Callable[[], Fleet]
    status: Callable[[], Status]
    store: Store
    chats: Chats
    finder: ChatFinder
    messages: Messages
    uploads: Uploads
    hiding: Hiding
    acts: Acts
    questions: Questions
    operations: OperationBook
    accounts: Accounts
    policy: Callable[[], Awaitable[PolicyReport]]
    notifications: NotificationBook
    receipts: ReceiptBook
    live: LiveClients
    devices: DeviceBook
    ways: Ways
    glances: GlanceBook
    unlocks: Unlocks
    passkeys: Passkeys
    invitations: Invitations
    limiter: Limiter
    clock: Clock
