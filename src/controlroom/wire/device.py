"""Paired devices, and how they get in: what the hub's device book, the relay door and clients exchange.

Times are Unix milliseconds here; the relay protocol's seconds are made at its edge.
"""

from __future__ import annotations

from typing import Literal

from controlroom.wire.model import Struct

DeviceKind = Literal["web", "cli", "relay"]
Transport = Literal["wss", "ws", "unknown"]


class Device(Struct, frozen=True, kw_only=True):
    """One paired device (a session of it). ``grants``: right -> expiry, None = never.

    ``prefix`` is the first 8 characters of its token, which the relay protocol shows; the token itself is
    stored as a hash only.
    """

    id: str  # "dev_…", ours, stable while the pairing lives
    prefix: str
    kind: DeviceKind
    name: str
    device_id: str  # the client's own key, "" or "unknown" when it has none
    created_ms: int
    last_seen_ms: int
    expires_ms: int | None
    grants: dict[str, int | None]
    model: str = "unknown"
    platform: str = "unknown"
    surface: str = "unknown"
    form_factor: str = "unknown"
    transport: Transport = "unknown"
    address: str = ""  # where it was last seen
    door: Literal["socket", "device", "proxy"] = "device"


class PairingPolicy(Struct, frozen=True, kw_only=True):
    """What a code gives. ``ttl_s`` 0 = never ends; None = 30 days. ``grants``: right -> seconds from the
    claim, 0 = never, -1 = not given at all; missing rights get their default."""

    name: str | None = None
    ttl_s: int | None = None
    grants: dict[str, int] | None = None
    transport: Transport | None = None


class DeviceHello(Struct, frozen=True, kw_only=True):
    """How a device introduces itself."""

    kind: DeviceKind
    name: str = "Unknown device"
    device_id: str = "unknown"
    model: str = "unknown"
    platform: str = "unknown"
    surface: str = "unknown"
    form_factor: str = "unknown"
    transport: Transport = "unknown"
    address: str = ""
    door: Literal["socket", "device", "proxy"] = "device"


class Issued(Struct, frozen=True, kw_only=True):
    """A device with the secrets that are told only now."""

    device: Device
    token: str
    refresh_token: str | None = None
    key: str | None = None  # the browser's second half (house.md section 3)


class PairingCode(Struct, frozen=True, kw_only=True):
    """A code that was minted here or waits for the person's approval. The code itself is told once."""

    code: str
    expires_ms: int
    policy: PairingPolicy


class PendingPairing(Struct, frozen=True, kw_only=True):
    """A phone showed a code of its own and waits for approval on the host."""

    code: str
    asked_ms: int
    expires_ms: int
    device_name: str = ""
    address: str = ""  # where it asked from
