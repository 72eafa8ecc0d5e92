"""Paired devices, and how they get in: what the hub's device book, the relay door and clients exchange.

Times are Unix milliseconds here; the relay protocol's seconds are made at its edge.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from controlroom.core.unlock import LONGEST_IDLE_S, SHORTEST_IDLE_S
from controlroom.wire.model import Struct

DeviceKind = Literal["web", "cli", "relay"]
Transport = Literal["wss", "ws", "unknown"]
Connection = Literal["secure", "plain", "unknown"]
PlainReason = Literal["home", "vpn", "development"]
DoorName = Literal["socket", "device", "proxy"]


class LockSettings(Struct, frozen=True, kw_only=True):
    """What a browser wants its passkey for: ``app`` to see anything, ``terminal`` to type into terminals.
    ``idle_s``: how long nothing may happen before it is locked again."""

    app: bool = False
    idle_s: int = 300
    terminal: bool = False


DeviceEnd = Literal["revoked", "replaced", "renewed", "expired"]
"""Why a device's sockets must close: ``replaced`` by a new pairing of the same client, ``renewed`` by a
refresh of its token, ``expired`` when its time is over."""


class Device(Struct, frozen=True, kw_only=True):
    """One paired device (a session of it). ``grants``: right -> expiry, None = never.

    ``prefix`` is the first 8 characters of its token, which the relay protocol shows; the token itself is
    stored as a hash only. ``connection`` is how it was last seen to come: encrypted or from this machine
    itself, or plain, for which ``plain_reason`` says why the person finds it acceptable.
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
    door: DoorName = "device"
    connection: Connection = "unknown"
    plain_reason: PlainReason | None = None
    lock: LockSettings = LockSettings()
    passkeys: int = 0


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
    door: DoorName = "device"


class Issued(Struct, frozen=True, kw_only=True):
    """A device with the secrets that are told only now."""

    device: Device
    token: str
    refresh_token: str | None = None
    key: str | None = None  # the browser's second half (house.md section 3)


class PendingPairing(Struct, frozen=True, kw_only=True):
    """A phone showed a code of its own and waits for approval on the host.

    The code is not told: it is kept as a hash, and the person types what the phone shows.
    """

    asked_ms: int
    expires_ms: int
    device_name: str = ""
    address: str = ""  # where it asked from


class PairingCode(Struct, frozen=True, kw_only=True):
    """A code that lets one device in. The code itself is told once. ``asked``: the phone that had shown it
    when the person approved it; None when nobody has shown it so far."""

    code: str
    expires_ms: int
    policy: PairingPolicy
    asked: PendingPairing | None = None


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


class Passkey(Struct, frozen=True, kw_only=True):
    """A passkey of a browser. ``site``: the host name it works under."""

    id: str  # the credential's own, URL-safe
    name: str
    site: str
    created_ms: int
    used_ms: int | None = None


class DeviceList(Struct, frozen=True, kw_only=True):
    """Living devices, newest ``last_seen_ms`` first. ``current``: the one that asks, with its own
    ``passkeys``, and until when it is unlocked if nothing happens (None: no unlock is present)."""

    devices: tuple[Device, ...]
    current: str | None = None
    passkeys: tuple[Passkey, ...] = ()
    unlocked_until_ms: int | None = None


class LockWish(msgspec.Struct, frozen=True, kw_only=True):
    """What shall be different about a browser's lock; what asks for less needs a present unlock."""

    app: bool | None = None
    idle_s: Annotated[int, Meta(ge=SHORTEST_IDLE_S, le=LONGEST_IDLE_S)] | None = None
    terminal: bool | None = None


class PatchDevice(msgspec.Struct, frozen=True, kw_only=True):
    """``name`` is for any device. The others are for the caller itself: ``ttl_s`` and ``grants`` (seconds
    from now, 0 = never) only make its term shorter; ``plain_reason`` null withdraws it."""

    name: str | None = None
    ttl_s: Annotated[int, Meta(ge=0)] | None = None
    grants: dict[str, Annotated[int, Meta(ge=0)]] | None = None
    lock: LockWish | None = None
    plain_reason: PlainReason | msgspec.UnsetType | None = msgspec.UNSET


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


# ---- passkeys ----------------------------------------------------------------------------------------------


class PasskeyOptions(Struct, frozen=True, kw_only=True):
    """What the browser's ``navigator.credentials`` takes, in its JSON form, good for one try.

    ``waiting``: how many things wait for the person, all that a locked screen may say; None when the key of
    the login is missing. ``idle_s``: the device's own setting.
    """

    options: msgspec.Raw
    waiting: int | None = None
    idle_s: int


class RegisterPasskey(msgspec.Struct, frozen=True, kw_only=True):
    """``credential``: what ``navigator.credentials.create`` gave, as its ``toJSON`` says it."""

    credential: msgspec.Raw
    name: str = ""


class UnlockWithPasskey(msgspec.Struct, frozen=True, kw_only=True):
    """``credential``: what ``navigator.credentials.get`` gave, as its ``toJSON`` says it."""

    credential: msgspec.Raw


class Unlocked(Struct, frozen=True, kw_only=True):
    """Until when, if nothing happens. ``key``: a new second half of the login, when the old one was lost."""

    unlocked_until_ms: int
    key: str | None = None


class Locked(Struct, frozen=True, kw_only=True):
    """The device needs its passkey for whatever its lock guards."""

    device: str
