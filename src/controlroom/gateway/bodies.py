"""Bodies of the relay's JSON routes: read by hand, because their checks, order and texts are the contract's.

Source: relay contract sections 6, 8.3 and 9.4. Nothing here knows HTTP but ``BadRequest``'s meaning: 400 with
``{"ok": false, "error": text}``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, cast

import msgspec

from controlroom.core.qr import whole_seconds
from controlroom.core.text import clean_line
from controlroom.wire.device import PairingPolicy, Transport

_CODE: Final = re.compile(r"[A-Z0-9]{6}", re.ASCII)
_LONGEST_S: Final = 10**12  # some 30,000 years
MOST_GRANTS: Final = 64


class BadRequest(Exception):
    """The body is refused; the text is the contract's."""


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """A code to open, with what it gives. ``endpoints`` are only repeated to the caller."""

    code: str
    policy: PairingPolicy
    endpoints: list[object] | None = None


class Reduction(msgspec.Struct, frozen=True, kw_only=True):
    """What a device wants less of. Seconds from now, 0 = never."""

    ttl_s: int | None
    grants: Mapping[str, float]


def json_object(raw: bytes) -> dict[str, object]:
    """The body as an object. Raises BadRequest."""
    try:
        read: object = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise BadRequest("invalid JSON body") from None
    if not isinstance(read, dict):
        raise BadRequest("body must be a JSON object")
    return read


def registration(body: Mapping[str, object]) -> Registration:
    """Of ``/pairing/register`` and ``/pairing/approve``, checked in the contract's order."""
    given = body.get("code")
    if not isinstance(given, str) or not given.strip():
        raise BadRequest("missing 'code' field")
    policy = pairing_policy(body)
    endpoints = endpoint_list(body)
    code = given.strip().upper()
    if _CODE.fullmatch(code) is None:
        raise BadRequest("invalid code format (must be 6 chars from A-Z / 0-9)")
    return Registration(code=code, policy=policy, endpoints=endpoints)


def pairing_policy(body: Mapping[str, object]) -> PairingPolicy:
    """Lifetime, grants and transport of a pairing; what is absent or null is left to the defaults."""
    ttl = body.get("ttl_seconds")
    if ttl is not None:
        _check_seconds(ttl, "ttl_seconds must be a number", "ttl_seconds must be >= 0 (0 = never)")
    return PairingPolicy(
        ttl_s=None if ttl is None else whole_seconds(cast(float, ttl)),
        grants=_policy_grants(body.get("grants")),
        transport=_transport(body.get("transport_hint")),
    )


def _policy_grants(grants: object) -> dict[str, int] | None:
    if grants is None:
        return None
    if not isinstance(grants, dict):
        raise BadRequest("grants must be an object")
    if len(grants) > MOST_GRANTS:
        raise BadRequest(f"grants must have at most {MOST_GRANTS} entries")
    for right, value in grants.items():
        shown = clean_line(right, 80)
        _check_seconds(value, f"grants['{shown}'] must be a number", f"grants['{shown}'] must be >= 0")
    return {right: whole_seconds(value) for right, value in grants.items()}


def _check_seconds(value: object, wrong_type: str, negative: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise BadRequest(wrong_type)
    if value < 0:
        raise BadRequest(negative)
    if value > _LONGEST_S:
        raise BadRequest(wrong_type)


def _transport(hint: object) -> Transport | None:
    if hint is None:
        return None
    if not isinstance(hint, str):
        raise BadRequest("transport_hint must be a string")
    if hint not in {"wss", "ws", "unknown"}:
        raise BadRequest("transport_hint must be wss/ws/unknown")
    return cast(Transport, hint)


def endpoint_list(body: Mapping[str, object]) -> list[object] | None:
    endpoints = body.get("endpoints")
    if endpoints is None or isinstance(endpoints, list):
        return endpoints
    raise BadRequest("endpoints must be an array")


def reduction(body: Mapping[str, object]) -> Reduction:
    """Of ``PATCH /sessions/{prefix}``."""
    if "ttl_seconds" not in body and "grants" not in body:
        raise BadRequest("must provide at least one of 'ttl_seconds' or 'grants'")
    ttl = body.get("ttl_seconds")
    if "ttl_seconds" in body and (
        isinstance(ttl, bool) or not isinstance(ttl, int) or not 0 <= ttl <= _LONGEST_S
    ):
        raise BadRequest("'ttl_seconds' must be a non-negative integer (0 = never expire)")
    grants = body.get("grants", {})
    if not isinstance(grants, dict):
        raise BadRequest("'grants' must be an object")
    for value in grants.values():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not 0 <= value <= _LONGEST_S:
            raise BadRequest(
                "'grants' must map string channel names to non-negative numeric seconds-from-now values"
            )
    return Reduction(ttl_s=cast("int | None", ttl), grants=grants)
