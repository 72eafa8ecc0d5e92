"""What Claude's usage endpoint answers (claude-usage.md section 2): undocumented, so every part may be
missing or mean nothing, and that leaves a window unknown. Pure.
"""

from __future__ import annotations

from email.utils import parsedate_to_datetime
from typing import NamedTuple, TypeVar

import msgspec

from controlroom.core.attempts import Outcome
from controlroom.core.text import clean_line
from controlroom.core.usage import FIVE_HOURS, WEEK, Paid, percent, reset_time
from controlroom.node.agents.claude.protocol import unix_ms
from controlroom.node.usage.told import ToldWindow

T = TypeVar("T")

_FLAT: dict[str, tuple[int, str]] = {
    "five_hour": (FIVE_HOURS, ""),
    "seven_day": (WEEK, ""),
    "seven_day_opus": (WEEK, "Opus"),
    "seven_day_sonnet": (WEEK, "Sonnet"),
}
_KINDS: dict[str, int] = {"session": FIVE_HOURS, "weekly_all": WEEK, "weekly_scoped": WEEK}
SCOPE_SHOWN = 40
MOST_LIMITS = 32

_REFUSED: dict[int, tuple[Outcome, str]] = {
    401: ("stale_login", "Its login has run out; the agent renews it when it runs next."),
    403: ("no_right", "Its login has no right to read usage (one of setup-token has none)."),
    429: ("too_many", "The service wants to be asked less often."),
}


class Answered(NamedTuple):
    """One answer. ``problem`` is for people, "" when it was a good one."""

    outcome: Outcome
    windows: tuple[ToldWindow, ...] = ()
    paid: Paid | None = None
    problem: str = ""
    retry_after_s: float | None = None


class _Window(msgspec.Struct):
    utilization: int | float | None = None
    resets_at: str | None = None


class _Model(msgspec.Struct):
    display_name: str | None = None


class _Scope(msgspec.Struct):
    model: _Model | None = None


class _Limit(msgspec.Struct):
    kind: str | None = None
    percent: int | float | None = None
    resets_at: str | None = None
    scope: _Scope | None = None


class _Extra(msgspec.Struct):
    is_enabled: bool | None = None
    monthly_limit: int | float | None = None
    used_credits: int | float | None = None


def read_answer(status: int, body: bytes, now_ms: int, retry_after: str = "") -> Answered:
    """What an answer says. Never raises: what cannot be read is an outcome too."""
    if status != 200:
        outcome, problem = _REFUSED.get(
            status, ("unusable", f"The service answered with the status {status}.")
        )
        return Answered(outcome, problem=problem, retry_after_s=_seconds(retry_after))
    try:
        parts = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Answered("unusable", problem="The service answered with something else than usage.")
    windows = _flat(parts, now_ms)
    for key, window in _limits(parts, now_ms).items():
        if window.used_pct is not None or key not in windows:
            windows[key] = window
    return Answered("ok", tuple(windows.values()), _paid(parts.get("extra_usage")))


def clock_skew_ms(date: str, now_ms: int) -> int | None:
    """How far our clock is ahead of the service's (negative: behind), from its ``Date``; None: not said."""
    try:
        return now_ms - int(parsedate_to_datetime(date).timestamp() * 1000)
    except (ValueError, TypeError, OverflowError):
        return None


_Windows = dict[tuple[int, str], ToldWindow]


def _flat(parts: dict[str, msgspec.Raw], now_ms: int) -> _Windows:
    found: _Windows = {}
    for name, (length, scope) in _FLAT.items():
        window = _decoded(parts.get(name), _Window)
        if window is not None:
            found[length, scope] = _told(length, scope, window.utilization, window.resets_at, now_ms)
    return found


def _limits(parts: dict[str, msgspec.Raw], now_ms: int) -> _Windows:
    """The newer list; where both give a number for a window, this one counts."""
    found: _Windows = {}
    for raw in (_decoded(parts.get("limits"), list[msgspec.Raw]) or [])[:MOST_LIMITS]:
        limit = _decoded(raw, _Limit)
        length = None if limit is None else _KINDS.get(limit.kind or "")
        if limit is None or length is None:
            continue
        scope = ""
        if limit.kind == "weekly_scoped":
            model = None if limit.scope is None else limit.scope.model
            scope = clean_line((model.display_name if model is not None else None) or "", SCOPE_SHOWN)
            if not scope:
                continue  # a part of the week, and nobody knows which
        found[length, scope] = _told(length, scope, limit.percent, limit.resets_at, now_ms)
    return found


def _told(
    length: int, scope: str, used: int | float | None, resets_at: str | None, now_ms: int
) -> ToldWindow:
    return ToldWindow(length, scope, percent(used), reset_time(unix_ms(resets_at), length, now_ms))


def _paid(raw: msgspec.Raw | None) -> Paid | None:
    extra = _decoded(raw, _Extra)
    if extra is None:
        return None
    return Paid(
        is_enabled=extra.is_enabled,
        used_cents=_cents(extra.used_credits),
        limit_cents=_cents(extra.monthly_limit),
    )


def _cents(value: int | float | None) -> int | None:
    return round(value) if value is not None and 0 <= value < 2**53 else None


def _decoded(raw: msgspec.Raw | None, kind: type[T]) -> T | None:
    if raw is None:
        return None
    try:
        return None if bytes(raw) == b"null" else msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _seconds(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() and len(text) < 8 else None
