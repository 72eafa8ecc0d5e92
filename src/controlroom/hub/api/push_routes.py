"""Routes of ways to devices: a device subscribes and unsubscribes itself; all see which there are."""

from __future__ import annotations

from controlroom.hub.api.device_callers import DeviceCaller
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Route
from controlroom.hub.errors import HubError
from controlroom.wire.device import Device
from controlroom.wire.push import PushKey, PushTested, Subscribe, Subscription, SubscriptionList


async def get_push_key(parts: Parts, call: Call) -> PushKey:
    return PushKey(key=await parts.ways.key())


async def get_subscriptions(parts: Parts, call: Call) -> SubscriptionList:
    return SubscriptionList(subscriptions=parts.ways.book.shown())


async def post_subscription(parts: Parts, call: Call) -> Subscription:
    assert isinstance(call.body, Subscribe)
    return await parts.ways.subscribe(_device(parts, call), call.body)


async def delete_subscription(parts: Parts, call: Call) -> SubscriptionList:
    """A device takes away its own; the host any."""
    target = parts.ways.book.get(call.path["subscription"])
    if target is None:
        raise HubError("not_found", "There is no such subscription.")
    if isinstance(call.caller, DeviceCaller) and call.caller.device_id != target.device_id:
        raise HubError("not_allowed", "subscriptions: this one belongs to another device.")
    await parts.ways.book.forget(target.id)
    return SubscriptionList(subscriptions=parts.ways.book.shown())


async def post_push_test(parts: Parts, call: Call) -> PushTested:
    """A device tests its own ways; the person at the hub's machine all of them."""
    return await parts.ways.test(None if call.caller.by == "host" else _device(parts, call))


def _device(parts: Parts, call: Call) -> Device:
    device = parts.devices.get(call.caller.device_id) if isinstance(call.caller, DeviceCaller) else None
    if device is None:
        raise HubError("bad_request", "Only a paired device has notifications of its own.")
    return device


PUSH_ROUTES: tuple[Route, ...] = (
    Route("GET", "/push/key", "What a browser subscribes to notifications with.", get_push_key, PushKey),
    Route(
        "GET",
        "/push/subscriptions",
        "Which ways lead to which device, without their addresses.",
        get_subscriptions,
        SubscriptionList,
    ),
    Route(
        "POST",
        "/push/subscriptions",
        "Send notifications to this device, this way.",
        post_subscription,
        Subscription,
        body=Subscribe,
    ),
    Route(
        "DELETE",
        "/push/subscriptions/{subscription}",
        "Send none this way any more.",
        delete_subscription,
        SubscriptionList,
    ),
    Route(
        "POST",
        "/push/test",
        "Send a test to this device now; from the hub's own machine to all.",
        post_push_test,
        PushTested,
    ),
)
