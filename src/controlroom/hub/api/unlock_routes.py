"""Routes of passkeys and of locking: for browsers alone, and for nobody but the device itself."""

from __future__ import annotations

import msgspec

from controlroom.core.unlock import Site
from controlroom.hub.api.device_callers import DeviceCaller
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Route
from controlroom.hub.errors import HubError
from controlroom.wire.device import (
    Device,
    Locked,
    Passkey,
    PasskeyOptions,
    RegisterPasskey,
    Unlocked,
    UnlockWithPasskey,
)
from controlroom.wire.model import Fleet


async def post_register_options(parts: Parts, call: Call) -> PasskeyOptions:
    device, site = browser_of(parts, call), _site(call)
    options = await parts.passkeys.register_options(device, site)
    return PasskeyOptions(options=msgspec.Raw(options), idle_s=device.lock.idle_s)


async def post_register(parts: Parts, call: Call) -> Passkey:
    body = call.body
    assert isinstance(body, RegisterPasskey)
    device = browser_of(parts, call)
    return await parts.passkeys.register(device, _site(call), bytes(body.credential), body.name)


async def post_unlock_options(parts: Parts, call: Call) -> PasskeyOptions:
    device, site, has_key = browser_of(parts, call), _site(call), _has_key(call)
    options = await parts.passkeys.unlock_options(device, site, has_key=has_key)
    waiting = waiting_now(parts.fleet()) if has_key else None
    return PasskeyOptions(options=msgspec.Raw(options), waiting=waiting, idle_s=device.lock.idle_s)


async def post_unlock(parts: Parts, call: Call) -> Unlocked:
    body = call.body
    assert isinstance(body, UnlockWithPasskey)
    device = browser_of(parts, call)
    return await parts.passkeys.unlock(device, _site(call), bytes(body.credential), has_key=_has_key(call))


async def delete_passkey(parts: Parts, call: Call) -> Device:
    return await parts.passkeys.remove(browser_of(parts, call), call.path["passkey"])


async def post_lock(parts: Parts, call: Call) -> Locked:
    device = browser_of(parts, call)
    parts.unlocks.shut(device)
    return Locked(device=device.id)


def browser_of(parts: Parts, call: Call) -> Device:
    """The browser that asks. Raises HubError for everybody else."""
    caller = call.caller
    device = parts.devices.get(caller.device_id) if isinstance(caller, DeviceCaller) else None
    if device is None or device.kind != "web":
        raise HubError("bad_request", "Only a browser has passkeys and a lock.")
    return device


def _has_key(call: Call) -> bool:
    return isinstance(call.caller, DeviceCaller) and call.caller.has_key


def _site(call: Call) -> Site:
    if call.site is None:
        raise HubError(
            "bad_request",
            "Browsers allow passkeys over HTTPS with a name, or at http://localhost, never at a number.",
        )
    return call.site


def waiting_now(fleet: Fleet) -> int:
    """How many agents wait for the person, counted as the app counts them: listed, and within reach."""
    reachable = {machine.id for machine in fleet.machines if machine.online}
    return sum(
        agent.machine_id in reachable
        and not agent.archived
        and (agent.activity in ("blocked", "question") or agent.fault is not None)
        for agent in fleet.agents
    )


UNLOCK_ROUTES: tuple[Route, ...] = (
    Route(
        "POST",
        "/unlock/register/options",
        "What the browser needs to make a passkey for this device.",
        post_register_options,
        PasskeyOptions,
    ),
    Route(
        "POST",
        "/unlock/register",
        "Keep the passkey that the browser made.",
        post_register,
        Passkey,
        body=RegisterPasskey,
    ),
    Route(
        "POST",
        "/unlock/options",
        "What the browser needs to show its passkey, and how many things wait.",
        post_unlock_options,
        PasskeyOptions,
    ),
    Route(
        "POST",
        "/unlock",
        "Unlock this device with its passkey; one that lost its key gets a new one.",
        post_unlock,
        Unlocked,
        body=UnlockWithPasskey,
    ),
    Route(
        "DELETE",
        "/unlock/passkeys/{passkey}",
        "Remove a passkey of this device; with the last one its lock is off.",
        delete_passkey,
        Device,
    ),
    Route("POST", "/lock", "End this device's unlock, on all its sockets.", post_lock, Locked),
)
