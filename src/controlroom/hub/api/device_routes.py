"""Routes about paired devices: the list for every device, what gives rights for the host alone."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from controlroom.core.pairing import normalised
from controlroom.core.rights import Refusal, Term, reduced
from controlroom.core.text import clean_line
from controlroom.hub.api.parts import Parts
from controlroom.hub.api.route import Call, Route
from controlroom.hub.errors import HubError
from controlroom.wire.device import (
    ApprovePairing,
    Device,
    DeviceList,
    ExtendDevice,
    Invitation,
    MintPairing,
    PairingCode,
    PairingPolicy,
    Pairings,
    PatchDevice,
    PlainReason,
)

SHORTEST_PREFIX = 4
MOST_GRANTS, LONGEST_RIGHT = 50, 60
PLAIN_REASONS: Mapping[PlainReason, str] = {
    "home": "it is the home network",
    "vpn": "it runs inside a VPN or tailnet",
    "development": "it is for development",
}


async def get_devices(parts: Parts, call: Call) -> DeviceList:
    by = call.caller.by
    current = by.removeprefix("device:") if by.startswith("device:") else None
    asking = None if current is None else parts.devices.get(current)
    return DeviceList(
        devices=tuple(await parts.devices.all()),
        current=current,
        passkeys=await parts.passkeys.of(asking) if asking is not None and asking.passkeys else (),
        unlocked_until_ms=None if asking is None else parts.unlocks.until_ms(asking),
    )


async def patch_device(parts: Parts, call: Call) -> Device:
    body = call.body
    assert isinstance(body, PatchDevice)
    device = await _named(parts, call.path["device"])
    if body == PatchDevice():
        raise HubError(
            "bad_request", "name, ttl_s, grants, lock or plain_reason: say what shall be different."
        )
    if body.name is not None and not clean_line(body.name):
        raise HubError("bad_request", "name: it cannot be empty.")
    if body.ttl_s is not None or body.grants is not None:
        if call.caller.by != f"device:{device.id}":
            raise HubError(
                "not_allowed", "ttl_s and grants: a device gives up rights of its own; the host extends."
            )
        device = await _reduce(parts, device, body)
    if body.lock is not None or body.plain_reason is not msgspec.UNSET:
        if call.caller.by != f"device:{device.id}":
            raise HubError("not_allowed", "lock and plain_reason: a device sets them for itself.")
        device = await _settings(parts, device, body)
    if body.name is not None:
        device = await parts.devices.rename(device, body.name, call.caller.by)
    return device


async def _settings(parts: Parts, device: Device, body: PatchDevice) -> Device:
    """Everything is looked at before anything is changed."""
    if device.kind != "web":
        raise HubError("bad_request", "lock and plain_reason: only a browser has them.")
    if body.lock is not None:
        device = await parts.passkeys.set_lock(device, body.lock)
    reason = body.plain_reason
    if reason is msgspec.UNSET or reason == device.plain_reason:
        return device
    accepted = "is not accepted any more" if reason is None else f"is accepted: {PLAIN_REASONS[reason]}"
    changed = await parts.devices.amend(
        device,
        lambda now: replace(now, plain_reason=reason),
        by=f"device:{device.id}",
        what="plain route",
        text=f"{device.name}: a connection without encryption {accepted}.",
    )
    return changed or device


async def _reduce(parts: Parts, device: Device, body: PatchDevice) -> Device:
    term = Term(device.expires_ms, device.grants)
    less = reduced(term, body.ttl_s, body.grants or {}, parts.clock.now_ms())
    if isinstance(less, Refusal):
        match less.why:
            case "unknown":
                raise HubError("bad_request", f"grants: this device has no right {less.right[:40]!r}.")
            case "right":
                raise HubError(
                    "not_allowed", f"grants: only the host can make the right {less.right[:40]} last longer."
                )
            case "session":
                raise HubError("not_allowed", "ttl_s: only the host can make a device's time longer.")
    return await parts.devices.reduce(device, expires_ms=less.expires_ms, grants=less.grants)


async def delete_device(parts: Parts, call: Call) -> Device:
    device = await _named(parts, call.path["device"])
    asking = parts.devices.get(call.caller.by.removeprefix("device:"))
    if asking is not None and asking.id != device.id:
        parts.passkeys.need_unlock(asking, "Revoking another device")
    await parts.devices.revoke(device, call.caller.by)
    return device


async def post_host_pair(parts: Parts, call: Call) -> Invitation:
    wish = call.body
    assert isinstance(wish, MintPairing)
    _check_grants(wish.grants)
    if wish.mode == "public" and not wish.public_url:
        raise HubError("bad_request", "public_url: the mode public needs it.")
    policy = PairingPolicy(name=wish.name, ttl_s=wish.ttl_s, grants=wish.grants)
    try:
        # What cannot be offered is refused before a code exists.
        await parts.invitations.invite(PairingCode(code="000000", expires_ms=0, policy=policy), wish)
        code = await parts.devices.mint(policy)
        parts.limiter.clear()
        return await parts.invitations.invite(code, wish)
    except ValueError as error:
        raise HubError("bad_request", f"{error}.") from None


async def get_host_pairings(parts: Parts, call: Call) -> Pairings:
    return Pairings(pending=tuple(await parts.devices.pending()))


async def post_host_approve(parts: Parts, call: Call) -> PairingCode:
    body = call.body
    assert isinstance(body, ApprovePairing)
    _check_grants(body.grants)
    code = normalised(body.code)
    if code is None:
        raise HubError("bad_request", "code: a pairing code has 6 letters or digits.")
    answer = await parts.devices.mint(
        PairingPolicy(name=body.name, ttl_s=body.ttl_s, grants=body.grants), code
    )
    parts.limiter.clear()
    return answer


async def post_host_extend(parts: Parts, call: Call) -> Device:
    body = call.body
    assert isinstance(body, ExtendDevice)
    _check_grants(body.grants)
    if body.ttl_s is None and not body.grants:
        raise HubError("bad_request", "ttl_s or grants: say what shall last how long.")
    device = parts.devices.known(call.path["device"]) or await _named(parts, call.path["device"])
    return await parts.devices.extend(device, body.ttl_s, body.grants, call.caller.by)


def _check_grants(grants: dict[str, int] | None) -> None:
    if grants and (len(grants) > MOST_GRANTS or any(len(right) > LONGEST_RIGHT for right in grants)):
        raise HubError(
            "too_large", f"grants: at most {MOST_GRANTS}, each name up to {LONGEST_RIGHT} letters."
        )


async def _named(parts: Parts, said: str) -> Device:
    """The living device with this id, or with a token that begins so."""
    device = parts.devices.get(said)
    if device is not None:
        return device
    found = []
    if len(said) >= SHORTEST_PREFIX:
        found = [device for device in await parts.devices.all() if device.prefix.startswith(said)]
    if len(found) == 1:
        return found[0]
    if found:
        raise HubError("conflict", f"{len(found)} devices begin with {said[:40]}; use an id.")
    raise HubError("not_found", f"There is no device {said[:80]}.")


DEVICE_ROUTES: tuple[Route, ...] = (
    Route("GET", "/devices", "All paired devices, the one seen last first.", get_devices, DeviceList),
    Route(
        "PATCH",
        "/devices/{device}",
        "Rename a device; give up rights, set the lock or accept a plain route of one's own.",
        patch_device,
        Device,
        body=PatchDevice,
    ),
    Route(
        "DELETE",
        "/devices/{device}",
        "Revoke a device, oneself included: it is out at once.",
        delete_device,
        Device,
    ),
    Route(
        "POST",
        "/host/pair",
        "Make a pairing code, with everything a device needs to use it.",
        post_host_pair,
        Invitation,
        body=MintPairing,
    ),
    Route(
        "GET",
        "/host/pairings",
        "Phones that show a code of their own and wait for approval.",
        get_host_pairings,
        Pairings,
    ),
    Route(
        "POST",
        "/host/pairings/approve",
        "Let in the phone that shows this code.",
        post_host_approve,
        PairingCode,
        body=ApprovePairing,
    ),
    Route(
        "POST",
        "/host/devices/{device}/extend",
        "Set a device's time and rights anew, longer or shorter.",
        post_host_extend,
        Device,
        body=ExtendDevice,
    ),
)
