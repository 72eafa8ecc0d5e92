"""What a pairing QR code says: the ``hermes`` 1/2/3 payload, its signature, and the invite link.

Source: relay contract sections 9.1 and 9.2; bit for bit as the original, except that lifetimes are integers,
which the Android app wants. The order of fields in the text is the original's; the signature does not care.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal

import msgspec

Hint = Literal["wss", "ws", "unknown"]
Payload = dict[str, object]

SECRET_BYTES: Final = 32
SHORTEST_SECRET: Final = 16
INVITE: Final = "hermes-relay://pair?payload="


class ApiAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a server listens, as a device reaches it."""

    host: str
    port: int
    tls: bool = False


class RelayBlock(msgspec.Struct, frozen=True, kw_only=True):
    """The relay's part of a QR code. ``ttl_s`` and ``grants`` in seconds, 0 = never, None = not said."""

    url: str
    code: str
    ttl_s: int | None = None
    grants: Mapping[str, int] | None = None
    transport_hint: Hint | None = None


def qr_payload(
    api: ApiAddress,
    *,
    key: str = "",
    relay: RelayBlock | None = None,
    endpoints: Sequence[Mapping[str, object]] = (),
    dashboard_url: str | None = None,
) -> Payload:
    """The unsigned payload. Version 3 with endpoints, 2 when the relay block says more than url and code."""
    block = None if relay is None else _relay(relay)
    version = 3 if endpoints else 2 if block is not None and len(block) > 2 else 1
    payload: Payload = {
        "hermes": version,
        "host": api.host,
        "port": api.port,
        "key": key,
        "tls": api.tls,
    }
    if block is not None:
        payload["relay"] = block
    if endpoints:
        payload["endpoints"] = [dict(endpoint) for endpoint in endpoints]
    if dashboard_url:
        payload["dashboard_url"] = dashboard_url
    return payload


def _relay(relay: RelayBlock) -> Payload:
    block: Payload = {"url": relay.url, "code": relay.code}
    if relay.ttl_s is not None:
        block["ttl_seconds"] = relay.ttl_s
    if relay.grants:
        block["grants"] = dict(relay.grants)
    if relay.transport_hint is not None:
        block["transport_hint"] = relay.transport_hint
    return block


def canonical(payload: Mapping[str, object]) -> bytes:
    """What is signed: keys sorted, no spaces, ASCII, without the top-level ``sig``. Raises ValueError for
    NaN and Infinity."""
    unsigned = {key: value for key, value in payload.items() if key != "sig"}
    return json.dumps(unsigned, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")


def signature(payload: Mapping[str, object], secret: bytes) -> str:
    """HMAC-SHA256 over the canonical form, as standard base64 with padding."""
    return base64.b64encode(hmac.digest(secret, canonical(payload), "sha256")).decode("ascii")


def signed(payload: Mapping[str, object], secret: bytes) -> Payload:
    """The payload with its ``sig`` as the last field."""
    unsigned = {key: value for key, value in payload.items() if key != "sig"}
    return {**unsigned, "sig": signature(unsigned, secret)}


def verifies(payload: Mapping[str, object], sig: str, secret: bytes) -> bool:
    """Whether ``sig`` belongs to ``payload``; only strict standard base64 does."""
    try:
        shown = base64.b64decode(sig, validate=True)
    except (binascii.Error, ValueError):
        return False
    return hmac.compare_digest(shown, hmac.digest(secret, canonical(payload), "sha256"))


def qr_text(payload: Mapping[str, object]) -> str:
    """The text of the QR code: compact JSON in ASCII, fields in their order."""
    return json.dumps(payload, separators=(",", ":"), allow_nan=False)


def invite_url(text: str) -> str:
    """The link that carries the same text for a device that cannot scan."""
    return INVITE + base64.urlsafe_b64encode(text.encode("utf-8")).rstrip(b"=").decode("ascii")


def whole_seconds(value: float) -> int:
    """Seconds as the integer that the app wants; a part of a second never becomes ``never``."""
    return max(1, int(value)) if value > 0 else 0
