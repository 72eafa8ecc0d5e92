"""``controlroom devices``: paired devices, and what can be done about one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from controlroom.cli.command import Call
from controlroom.cli.command import command as declare
from controlroom.cli.errors import CliError, wrong_use

if TYPE_CHECKING:
    from controlroom.client import HubClient
    from controlroom.wire.device import Device, DeviceList

ROUNDED_MS = 60_000  # thirty days that began a moment ago are thirty days
ARGUMENTS = {"list": 0, "revoke": 1, "rename": 2, "extend": 1}


@declare(
    "devices",
    examples="""
    controlroom devices
    controlroom devices revoke "My phone"
    controlroom devices rename 3f0c9a12 Kitchen
    controlroom devices extend Kitchen --ttl 90d --grants terminal=7d
    """,
)
@click.argument("what", default="list", type=click.Choice(list(ARGUMENTS)))
@click.argument("device", required=False)
@click.argument("new_name", required=False)
@click.option("--ttl", metavar="TIME", help="With extend: paired for so long from now; 30d, never.")
@click.option("--grants", metavar="LIST", help="With extend: single rights, terminal=7d,answers=none.")
def command(
    call: Call, what: str, device: str | None, new_name: str | None, ttl: str | None, grants: str | None
) -> None:
    """See paired devices; revoke, rename or extend one.

    DEVICE is its name, its id, or the first characters of its token as shown in the list. A revoked device is
    out at once.
    """
    from controlroom.cli import lifetimes

    if len([word for word in (device, new_name) if word is not None]) != ARGUMENTS[what]:
        words = ("DEVICE", "NEW_NAME")[: ARGUMENTS[what]]
        raise wrong_use(f"Write: controlroom devices {' '.join((what, *words))}")
    ttl_s, given = lifetimes.seconds("--ttl", ttl), lifetimes.grants(grants)
    if (what == "extend") != (ttl_s is not None or given is not None):
        raise wrong_use("--ttl and --grants belong to extend, which needs at least one of them.")
    if device is None:
        found = call.hub(lambda hub: hub.devices())
        if call.json:
            call.out.json(found)
        else:
            _show(call, found)
        return
    changed = call.hub(lambda hub: _do(hub, what, device, new_name or "", ttl_s, given or {}))
    if call.json:
        call.out.json(changed)
    else:
        from controlroom.cli import text

        done = {
            "revoke": "was revoked and is out",
            "rename": "has its new name",
            "extend": "has its new time",
        }
        call.out.say(f"{text.line(changed.name, 60)} {done[what]}.")


async def _do(
    hub: HubClient, what: str, said: str, new_name: str, ttl_s: int | None, grants: dict[str, int]
) -> Device:
    from controlroom.wire.device import ExtendDevice, PatchDevice

    device_id = _pick((await hub.devices()).devices, said)
    match what:
        case "revoke":
            return await hub.revoke_device(device_id)
        case "rename":
            return await hub.patch_device(device_id, PatchDevice(name=new_name))
        case _:
            return await hub.extend_device(device_id, ExtendDevice(ttl_s=ttl_s, grants=grants))


def _pick(devices: tuple[Device, ...], said: str) -> str:
    """The id of the device that is meant; the hub knows ids that the list does not show. Raises CliError."""
    if said.startswith("dev_"):
        return said
    found = [device for device in devices if device.name.casefold() == said.casefold()]
    found = found or [device for device in devices if device.prefix.startswith(said)]
    if len(found) == 1:
        return found[0].id
    if not found:
        raise CliError(f"There is no device {said[:80]!r}. See: controlroom devices", "not_found")
    ids = ", ".join(device.id for device in found[:10])
    raise CliError(f"{len(found)} devices are meant by {said[:80]!r}; use an id: {ids}", "bad_request")


def _show(call: Call, found: DeviceList) -> None:
    from controlroom.kit.clock import SystemClock

    if not found.devices:
        call.out.say(f"No device is paired. Let one in with: {call.hint('pair')}")
        return
    for device in found.devices:
        is_current = device.id == found.current
        call.out.lines(render_device(device, is_current, SystemClock().now_ms(), call.out.width))


def render_device(device: Device, is_current: bool, now_ms: int, width: int) -> list[str]:
    """One device in a few lines: who, where it was seen, and what it may for how long."""
    from controlroom.cli import text, times

    def until(expires_ms: int | None) -> str:
        if expires_ms is None:
            return "for good"
        return f"for {times.span(expires_ms - now_ms + ROUNDED_MS)}" if expires_ms >= now_ms else "ended"

    kind = {"web": "browser", "cli": "command line", "relay": "relay app"}[device.kind]
    mine = ", this one" if is_current else ""
    seen = f"seen {times.span(now_ms - device.last_seen_ms)} ago"
    where = f" at {text.line(device.address, 60)}" if device.address else ""
    way = {"wss": "encrypted", "ws": "plain"}.get(device.transport)
    through = {"proxy": "through the proxy", "socket": "on the private socket"}.get(device.door)
    user = f"as {_person(device)}" if device.tailscale_user or device.tailscale_name else None
    how = ", ".join(part for part in (way, through, user) if part)
    paired = f"paired {until(device.expires_ms)}"
    rights = ", ".join(
        text.line(right, 40) + ("" if expiry == device.expires_ms else f" ({until(expiry)})")
        for right, expiry in device.grants.items()
    )
    lines = [
        f"{text.line(device.name, 60)}  {device.prefix}  ({kind}{mine})",
    ]
    for said in (f"{seen}{where}{f', {how}' if how else ''}; {paired}", f"may: {rights or 'nothing'}"):
        lines += [f"  {line}" for line in text.wrap(said, width - 2)]
    return lines


def _person(device: Device) -> str:
    """Whom Tailscale named when the device was last seen."""
    from controlroom.cli import text

    login, name = text.line(device.tailscale_user, 80), text.line(device.tailscale_name, 60)
    who = f"{name} <{login}>" if name and login else name or login
    return f"{who} of the tailnet"
