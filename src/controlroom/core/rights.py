"""What a paired device may do, until when, and how grants are clamped, defaulted and reduced.

Source: house.md section 3 (rights) and the relay contract section 8.2 (lifetime, grants, clamping).
Expiries are Unix milliseconds; None = never. A right that is not in the mapping is not granted. Which act
needs which right stands in one table, ``core.access``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

Expiry = int | None  # Unix ms, None = never
Grants = Mapping[str, Expiry]

PairingKind = Literal["web", "cli", "relay"]

WEB_RIGHTS = ("chat", "answers", "actions", "terminal")
"""What a browser or a second computer's command line gets when the pairing does not say less."""

VOICE_RIGHTS = ("voice:config", "voice:stt", "voice:tts", "voice:realtime")
RELAY_RIGHTS = ("chat", "terminal", "bridge", "tui", *VOICE_RIGHTS)
"""What a relay pairing gets: the contract's channels, neither answers nor actions."""

DAY_S = 24 * 3600
SESSION_S = 30 * DAY_S  # a session whose pairing names no lifetime
RELAY_CAPS_S: Mapping[str, int] = {"terminal": 30 * DAY_S, "tui": 30 * DAY_S, "bridge": 7 * DAY_S}
"""Longest default of some rights of the relay; a longer one that is asked for by name is given."""

NOT_GIVEN = -1
"""In a pairing's grants: this right is not given at all, not even its default."""

LAST_MS = 253_402_300_799_000  # the end of the year 9999: whatever lies behind it ends there


class Term(NamedTuple):
    """How long a session lives, and each of its rights."""

    expires_ms: Expiry
    grants: dict[str, Expiry]


class Refusal(NamedTuple):
    """Why a wish is not a reduction: the session would live longer, a right is unknown, or would last longer.

    ``right`` is "" for the session.
    """

    why: Literal["session", "unknown", "right"]
    right: str = ""


def is_active(grants: Grants, right: str, now_ms: int) -> bool:
    """Whether ``right`` is granted now (its expiry is inclusive: now <= expiry)."""
    if right not in grants:
        return False
    return is_before(now_ms, grants[right])


def is_before(now_ms: int, expiry: Expiry) -> bool:
    """Whether ``expiry`` has not passed."""
    return expiry is None or now_ms <= expiry


def expiry_after(now_ms: int, seconds: float) -> Expiry:
    """The expiry that lies ``seconds`` ahead, 0 = never."""
    return None if seconds == 0 else min(now_ms + int(seconds * 1000), LAST_MS)


def ended_rights(grants: Grants, now_ms: int) -> frozenset[str]:
    """The rights that were granted and are over."""
    return frozenset(right for right, expiry in grants.items() if not is_before(now_ms, expiry))


def next_end(expiries: Iterable[Expiry], now_ms: int) -> int | None:
    """The first moment, of those ahead, at which one of them has passed; None when none ever will."""
    ahead = [expiry for expiry in expiries if expiry is not None and is_before(now_ms, expiry)]
    return min(ahead) + 1 if ahead else None  # an expiry is inclusive


def earlier(one: Expiry, other: Expiry) -> Expiry:
    if one is None or other is None:
        return other if one is None else one
    return min(one, other)


def term_of(kind: PairingKind, ttl_s: int | None, wished: Mapping[str, int] | None, now_ms: int) -> Term:
    """What a pairing gives: defaults of the kind, what the host wished, all clamped to the session.

    ``ttl_s``: 0 = never ends, None = 30 days. ``wished``: right -> seconds from now, 0 = never, NOT_GIVEN =
    not at all. Rights that this version does not know are kept too.
    """
    ttl_s = SESSION_S if ttl_s is None else ttl_s
    session = expiry_after(now_ms, ttl_s)
    grants: dict[str, Expiry] = {}
    for right in RELAY_RIGHTS if kind == "relay" else WEB_RIGHTS:
        cap = RELAY_CAPS_S.get(right) if kind == "relay" and session is not None else None
        grants[right] = session if cap is None else earlier(session, expiry_after(now_ms, cap))
    for right, seconds in (wished or {}).items():
        if seconds < 0:
            grants.pop(right, None)
        else:
            grants[right] = earlier(session, expiry_after(now_ms, seconds))
    return Term(session, grants)


def reduced(now: Term, ttl_s: int | None, wished: Mapping[str, float], now_ms: int) -> Term | Refusal:
    """What a device may make of its own term: it only ever gets shorter, all or nothing.

    Seconds count from now, 0 = never, which is longer than any date. What is not named keeps its date; then
    everything is clamped to the session (relay contract section 8.3).
    """
    session = now.expires_ms
    if ttl_s is not None:
        session = expiry_after(now_ms, ttl_s)
        if _is_later(session, now.expires_ms):
            return Refusal("session")
    grants = dict(now.grants)
    for right, seconds in wished.items():
        if right not in grants:
            return Refusal("unknown", right)
        expiry = expiry_after(now_ms, seconds)
        if _is_later(expiry, grants[right]):
            return Refusal("right", right)
        grants[right] = expiry
    return Term(session, {right: earlier(expiry, session) for right, expiry in grants.items()})


def extended(now: Term, ttl_s: int | None, wished: Mapping[str, int], now_ms: int) -> Term:
    """What the person at the host makes of a device's term: longer or shorter, as wished.

    A right that ended with the session goes on to end with it; the others keep their date. Seconds as in
    ``term_of``. An end that passed already is an end like any other: extending brings the device back.
    """
    session = now.expires_ms if ttl_s is None else expiry_after(now_ms, ttl_s)
    grants = {
        right: session if expiry == now.expires_ms else earlier(expiry, session)
        for right, expiry in now.grants.items()
    }
    for right, seconds in wished.items():
        if seconds < 0:
            grants.pop(right, None)
        else:
            grants[right] = earlier(session, expiry_after(now_ms, seconds))
    return Term(session, grants)


def _is_later(one: Expiry, other: Expiry) -> bool:
    if other is None:
        return False
    return one is None or one > other
