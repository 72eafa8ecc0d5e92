"""What an account has left, as the policy has to see it: bounds, floors, and what is wrong with it.

Theory. A number is what was read, at the time it was read. Meanwhile more may have been used, so an old
reading is an upper bound of what is left: it may prove that there is too little, and never that there is
enough. A reset that has passed makes the window full. What was never read, or so long ago that windows came
and went, is unknown.

Each window has a floor: the minimum that the person chose for its length, and for the week of an account
with a reserve that reserve if it is higher. Left below the floor is trouble; a hold is trouble until it
ends.

Percentages are of the window that is *left*, 0 to 100. Times are milliseconds UTC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

import msgspec

DAY_MINUTES: Final = 1_440
MINUTE_MS: Final = 60_000
FRESH_MS: Final = 15 * MINUTE_MS
"""Three readings of five minutes; then a reading is old."""
TRUST_MS: Final = 24 * 60 * MINUTE_MS
"""Beyond it a reading says nothing any more."""

Extra = Literal["on", "off", "unknown"]
TroubleKind = Literal["held", "low", "reserve"]


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What the person set for one machine. ``margin_pct``: so much more than its floor a new account must
    have in each window. ``cool_down_ms``: so long an agent is not moved again."""

    week_min_pct: float = 3.0
    short_min_pct: float = 10.0
    margin_pct: float = 5.0
    cool_down_ms: int = 30 * MINUTE_MS


class PolicyWindow(msgspec.Struct, frozen=True, kw_only=True):
    """One window of an account as it was read. ``left_pct`` None: it was not said. ``scope``: the models
    that it is about, "" = all."""

    name: str
    length_minutes: int
    left_pct: float | None
    resets_at_ms: int | None
    taken_at_ms: int
    scope: str = ""


class PolicyAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One subscription account. ``extra``: whether it goes on with paid extra usage when it is spent;
    ``extra_said``: what is known of its price, a sentence."""

    id: str
    kind: str
    name: str
    windows: tuple[PolicyWindow, ...] = ()
    hold_until_ms: int = 0
    reserve_pct: float = 0.0
    extra: Extra = "unknown"
    extra_said: str = ""


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Why an account has to be left. ``length_minutes`` 0: a hold whose window is not known. ``until_ms``:
    when the window ends."""

    kind: TroubleKind
    window: str
    length_minutes: int
    left_pct: float
    floor_pct: float
    until_ms: int


def is_week(length_minutes: int) -> bool:
    """A day and longer counts as a week: its minimum and the reserve are meant for it."""
    return length_minutes >= DAY_MINUTES


def counting(account: PolicyAccount, model: str) -> Iterator[PolicyWindow]:
    """The windows that count for an agent with this model ("" = not known)."""
    for window in account.windows:
        if not window.scope or window.scope.casefold() in model.casefold():
            yield window


def left_now(window: PolicyWindow, now_ms: int) -> float | None:
    """What is left at most; None = unknown."""
    if window.resets_at_ms is not None and window.resets_at_ms <= now_ms:
        return 100.0
    trusted_ms = TRUST_MS
    if window.resets_at_ms is None:  # it came and went by its length at the latest
        trusted_ms = min(TRUST_MS, window.length_minutes * MINUTE_MS - 1)
    if window.left_pct is None or now_ms - window.taken_at_ms > trusted_ms:
        return None
    return min(max(window.left_pct, 0.0), 100.0)


def is_old(window: PolicyWindow, now_ms: int) -> bool:
    """Whether more may have been used since it was read. A window that is full by its reset is not old."""
    is_full = window.resets_at_ms is not None and window.resets_at_ms <= now_ms
    return not is_full and now_ms - window.taken_at_ms > FRESH_MS


def floor_of(window: PolicyWindow, account: PolicyAccount, rules: Rules) -> float:
    """Below it the account has to be left."""
    if not is_week(window.length_minutes):
        return rules.short_min_pct
    return max(rules.week_min_pct, account.reserve_pct if not window.scope else 0.0)


def ends_at(window: PolicyWindow) -> int:
    """When it is full again, at the latest."""
    if window.resets_at_ms is not None:
        return window.resets_at_ms
    return window.taken_at_ms + window.length_minutes * MINUTE_MS


def is_held(account: PolicyAccount, now_ms: int) -> bool:
    """It was seen at its limit, and that window has not ended."""
    return now_ms < account.hold_until_ms


def is_spent(account: PolicyAccount, model: str, now_ms: int) -> bool:
    """Nothing is left in one of its windows: what goes on there stops, or costs extra."""
    return is_held(account, now_ms) or any(
        left_now(window, now_ms) == 0.0 for window in counting(account, model)
    )


def troubles(account: PolicyAccount, model: str, rules: Rules, now_ms: int) -> tuple[Trouble, ...]:
    """Why an agent should leave the account: a hold first, then the longest window; empty = it may stay."""
    found = []
    if is_held(account, now_ms):
        limit = _window_of_hold(account, model)
        found.append(
            Trouble(
                kind="held",
                window=limit.name if limit else "",
                length_minutes=limit.length_minutes if limit else 0,
                left_pct=0.0,
                floor_pct=0.0,
                until_ms=account.hold_until_ms,
            )
        )
    for window in sorted(counting(account, model), key=lambda one: -one.length_minutes):
        left = left_now(window, now_ms)
        floor = floor_of(window, account, rules)
        if left is None or left >= floor:
            continue
        in_reserve = is_week(window.length_minutes) and left >= rules.week_min_pct
        found.append(
            Trouble(
                kind="reserve" if in_reserve else "low",
                window=window.name,
                length_minutes=window.length_minutes,
                left_pct=left,
                floor_pct=floor,
                until_ms=ends_at(window),
            )
        )
    return tuple(found)


def _window_of_hold(account: PolicyAccount, model: str) -> PolicyWindow | None:
    """The window that the hold is about: the one that ends with it."""
    for window in counting(account, model):
        if abs(ends_at(window) - account.hold_until_ms) <= MINUTE_MS:
            return window
    return None
