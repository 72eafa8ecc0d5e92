"""Ways to a device that is not looking: what clients say and see of them. Addresses are never told again."""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.wire.model import Struct


class PushKey(Struct, frozen=True, kw_only=True):
    """What a browser subscribes with (``applicationServerKey``)."""

    key: str


class SubscriptionKeys(msgspec.Struct, frozen=True, kw_only=True):
    """As a browser's ``PushSubscription.toJSON()`` says them."""

    p256dh: str
    auth: str


class Subscribe(msgspec.Struct, frozen=True, kw_only=True):
    """A browser gives ``endpoint`` and ``keys``, and ``key``: what it subscribed with. A native client gives
    its ``token`` of APNs or FCM. The same one again changes nothing; a browser has one at a time."""

    channel: Literal["webpush", "apns", "fcm"] = "webpush"
    endpoint: str = ""
    keys: SubscriptionKeys | None = None
    key: str = ""
    token: str = ""


class Subscription(Struct, frozen=True, kw_only=True):
    """One way to one device, or, without ``device_id``, one that the person set up in the settings.
    ``channel``: ``webpush``, ``apns``, ``fcm``, ``proactive`` or ``apprise``."""

    id: str
    channel: str
    device_id: str | None = None
    name: str = ""
    made_ms: int | None = None


class SubscriptionList(Struct, frozen=True, kw_only=True):
    subscriptions: tuple[Subscription, ...]


class PushTested(Struct, frozen=True, kw_only=True):
    """What came of a test: ``sent`` to so many ways of this device; ``troubles``: why others did not go."""

    sent: int
    troubles: tuple[str, ...] = ()


class PhoneMessage(msgspec.Struct, frozen=True, kw_only=True):
    """The relay's ``phone.message`` (relay contract section 11.2). ``sent_at``: milliseconds."""

    message_id: str
    chat_id: str | None
    text: str
    title: str
    sent_at: int
    surfacing: str = "notification"
    reply_to: str | None = None
    metadata: dict[str, str | int | bool] = {}
