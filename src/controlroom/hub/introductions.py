"""How a device introduces itself: what is believed of it, and what is made of it.

Everything that a client says of itself is outside text: one short line each, nothing more.
"""

from __future__ import annotations

from msgspec.structs import replace

from controlroom.core import pairing
from controlroom.core.origin import LONGEST_USER, connection_of
from controlroom.core.rights import term_of
from controlroom.core.text import clean_line
from controlroom.hub.store.device_rows import DeviceRow, Refresh
from controlroom.kit import tokens
from controlroom.kit.clock import new_id
from controlroom.kit.http import Peer
from controlroom.wire.device import Device, DeviceHello, DoorName, Issued, PairingPolicy, Transport

LONGEST_NAME, LONGEST_WORD, LONGEST_ID = 80, 60, 256

WORDS = ("model", "platform", "surface", "form_factor")
NOT_SAID = frozenset({"", "unknown", DeviceHello(kind="relay").name})


def cleaned(who: DeviceHello) -> DeviceHello:
    """What a device says of itself, as it is stored and shown."""
    words = {field: clean_line(getattr(who, field), LONGEST_WORD) for field in (*WORDS, "address")}
    return replace(
        who,
        name=clean_line(who.name, LONGEST_NAME),
        device_id=clean_line(who.device_id, LONGEST_ID),
        tailscale_user=clean_line(who.tailscale_user, LONGEST_USER),
        tailscale_name=clean_line(who.tailscale_name, LONGEST_USER),
        **words,
    )


def introduced(row: DeviceRow, who: DeviceHello) -> Device:
    """The device with what ``who`` gives of itself anew; a name that a person gave stays."""
    fields = WORDS if row.is_named else (*WORDS, "name")
    given = {field: said for field in fields if (said := getattr(who, field)) not in NOT_SAID}
    given |= {"tailscale_user": who.tailscale_user, "tailscale_name": who.tailscale_name}
    return placed(replace(row.device, **given), who.address, who.door, is_secure(who.transport))


def is_secure(transport: Transport) -> bool | None:
    """Whether a connection is encrypted; None when nobody has said."""
    return None if transport == "unknown" else transport == "wss"


def placed(device: Device, address: str, door: DoorName, is_secure: bool | None) -> Device:
    """The device, seen there."""
    connection = connection_of(is_secure, address, door)
    return replace(device, address=address, door=door, connection=connection)


def named(device: Device, peer: Peer) -> Device:
    """The device, with whom a proxy named there."""
    return replace(device, tailscale_user=peer.tailscale_user, tailscale_name=peer.tailscale_name)


def is_other_client(row: DeviceRow, who: DeviceHello) -> bool:
    """A refresh token belongs to one client; who has no id of its own is believed."""
    known = row.device.device_id
    return pairing.is_real(known) and pairing.is_real(who.device_id) and known != who.device_id


def made(who: DeviceHello, policy: PairingPolicy, now_ms: int) -> tuple[Issued, DeviceRow]:
    """A new device with its secrets, and what is stored of them."""
    term = term_of(who.kind, policy.ttl_s, policy.grants, now_ms)
    token = tokens.session_token()
    refresh = tokens.long_token() if who.kind == "relay" else None
    key = tokens.long_token() if who.kind == "web" else None
    named = clean_line(policy.name or "", LONGEST_NAME)
    device = Device(
        id=new_id("dev"),
        prefix=token[:8],
        kind=who.kind,
        name=named or who.name or DeviceHello(kind=who.kind).name,
        device_id=who.device_id,
        created_ms=now_ms,
        last_seen_ms=now_ms,
        expires_ms=term.expires_ms,
        grants=term.grants,
        transport=policy.transport or who.transport,
        address=who.address,
        door=who.door,
        connection=connection_of(is_secure(who.transport), who.address, who.door),
        tailscale_user=who.tailscale_user,
        tailscale_name=who.tailscale_name,
        model=who.model or "unknown",
        platform=who.platform or "unknown",
        surface=who.surface or "unknown",
        form_factor=who.form_factor or "unknown",
    )
    row = DeviceRow(
        device=device,
        token_hash=tokens.digest(token),
        key_hash=None if key is None else tokens.digest(key),
        is_named=bool(named),
        refresh=None
        if refresh is None
        else Refresh(hash=tokens.digest(refresh), made_ms=now_ms, turned_ms=now_ms),
    )
    return Issued(device=device, token=token, refresh_token=refresh, key=key), row
