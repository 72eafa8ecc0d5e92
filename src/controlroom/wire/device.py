"""Paired devices, and how they get in: what the hub's device book, the relay door and clients exchange.

Times are Unix milliseconds here; the relay protocol's seconds are made at its edge.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from controlroom.wire.model import Struct

DeviceKind = Literal["web", "cli", "relay"]
Transport = Literal["wss", "ws", "unknown"]
DeviceEnd = Literal["revoked", "replaced", "renewed", "expired"]
"""Why a device's sockets must close: ``replaced`` by a new pairing of the same client, ``renewed`` by a
refresh of its token, ``expired`` when its time is over."""


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
    # Whom Tailscale named there, on the proxy door: for people to read, never a login.
    tailscale_user: str = ""
    tailscale_name: str = ""
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
    tailscale_user: str = ""
    tailscale_name: str = ""
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


# ---- the hub's API -----------------------------------------------------------------------------------------


class PairWithCode(msgspec.Struct, frozen=True, kw_only=True):
    """``kind`` ``cli``: a program without a browser; it gets a token instead of a cookie."""

    code: str
    device_name: str = ""
    kind: Literal["web", "cli"] = "web"
    device_id: str = ""  # of a program: pairing it again ends its earlier pairing
    platform: str = "unknown"


class Paired(Struct, frozen=True, kw_only=True):
    """The new device, and what only it may know: a browser's ``key``, or a program's ``token``.

    ``hub`` is the hub's own id, part of the cookie's name.
    """

    device: Device
    hub: str
    key: str | None = None
    token: str | None = None


class DeviceList(Struct, frozen=True, kw_only=True):
    """Living devices, newest ``last_seen_ms`` first. ``current``: the one that asks."""

    devices: tuple[Device, ...]
    current: str | None = None


class PatchDevice(msgspec.Struct, frozen=True, kw_only=True):
    """``name`` is for any device; ``ttl_s`` and ``grants`` (seconds from now, 0 = never) only make the
    caller's own term shorter."""

    name: str | None = None
    ttl_s: Annotated[int, Meta(ge=0)] | None = None
    grants: dict[str, Annotated[int, Meta(ge=0)]] | None = None


class ExtendDevice(msgspec.Struct, frozen=True, kw_only=True):
    """A device's term anew, longer or shorter: seconds from now, 0 = never, in ``grants`` -1 = not at all."""

    ttl_s: Annotated[int, Meta(ge=0)] | None = None
    grants: dict[str, Annotated[int, Meta(ge=-1)]] = {}


class MintPairing(msgspec.Struct, frozen=True, kw_only=True):
    """A pairing that the person at the host wants to offer. Addresses that are not given are found."""

    name: str | None = None
    ttl_s: Annotated[int, Meta(ge=0)] | None = None
    grants: dict[str, Annotated[int, Meta(ge=-1)]] | None = None
    mode: Literal["auto", "lan", "tailscale", "public"] = "auto"
    public_url: str | None = None
    api_url: str | None = None
    dashboard_url: str | None = None
    with_api_key: bool = False


class ApprovePairing(msgspec.Struct, frozen=True, kw_only=True):
    """Let in the phone that shows this code."""

    code: str
    name: str | None = None
    ttl_s: Annotated[int, Meta(ge=0)] | None = None
    grants: dict[str, Annotated[int, Meta(ge=-1)]] | None = None


class Invitation(Struct, frozen=True, kw_only=True):
    """A code and every way to use it. ``links``: the app with the code in its fragment, best address first.
    ``qr``: what the QR code says to the relay's app; ``relay_link`` says the same as a link."""

    code: str
    expires_ms: int
    links: tuple[str, ...] = ()
    qr: str | None = None
    relay_link: str | None = None
    notes: tuple[str, ...] = ()  # what the person should know about it, a sentence each


class Pairings(Struct, frozen=True, kw_only=True):
    """Phones that wait for approval, oldest first."""

    pending: tuple[PendingPairing, ...]
