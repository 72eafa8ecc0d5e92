"""The sentences of the policy: what is known, what is wrong, and why an account is chosen or not."""

from __future__ import annotations

from typing import Final

from controlroom.core.allowance import (
    PolicyAccount,
    PolicyWindow,
    Trouble,
    counting,
    is_old,
    left_now,
)

AT_LIMIT: Final = "Its last turn ended at the limit: after a move it goes on when you write to it."

LIMIT_PROMPT: Final = "The prompt that it waits at is about this limit, and goes away with the move."

_MINUTE_MS, _HOUR_MS, _DAY_MS = 60_000, 3_600_000, 86_400_000


def span(ms: int) -> str:
    """A length of time: ``4 min``, ``3 h 20 min``, ``2 d 4 h``; at least a minute."""
    minutes = max(ms // _MINUTE_MS, 1)
    if ms < _HOUR_MS:
        return f"{minutes} min"
    if ms < _DAY_MS:
        return _two(ms // _HOUR_MS, "h", minutes % 60, "min")
    return _two(ms // _DAY_MS, "d", ms % _DAY_MS // _HOUR_MS, "h")


def _two(large: int, large_unit: str, small: int, small_unit: str) -> str:
    return f"{large} {large_unit}" + (f" {small} {small_unit}" if small else "")


def pct(value: float) -> str:
    """``3 %``, ``2.5 %``; never rounded up to what it is not."""
    return f"{int(value * 10) / 10:g} %"


def left(window: PolicyWindow, now_ms: int) -> str:
    """What is left of one window: ``12 % of the week``, with its age when it is old."""
    known = left_now(window, now_ms)
    if known is None:
        return f"an unknown part of {window_name(window.name)}"
    said = f"{pct(known)} of {window_name(window.name)}"
    if is_old(window, now_ms):
        return f"at most {said} (read {span(now_ms - window.taken_at_ms)} ago)"
    return said


def window_name(name: str) -> str:
    """``the week``, ``the 5 hours``."""
    return f"the {name}"


def account_now(account: PolicyAccount, model: str, now_ms: int) -> str:
    """The first sentence: where an agent is and what is left there."""
    parts = [left(window, now_ms) for window in counting(account, model)]
    if not parts:
        return f"It is on {account.name}."
    return f"It is on {account.name}, which has {listed(parts)} left."


def trouble(one: Trouble, now_ms: int) -> str:
    """Why an account has to be left."""
    if one.kind == "held":
        which = f" of {window_name(one.window)}" if one.window else ""
        return f"It was seen at its limit{which}, which ends in {span(one.until_ms - now_ms)}."
    if one.kind == "reserve":
        return f"Its reserve is the last {pct(one.floor_pct)} of {window_name(one.window)}."
    return (
        f"{pct(one.left_pct)} of {window_name(one.window)} is below the minimum of {pct(one.floor_pct)}; "
        f"it ends in {span(one.until_ms - now_ms)}."
    )


def chosen(
    account: PolicyAccount, week_ends_ms: int | None, others: int, is_old_reading: bool, now_ms: int
) -> str:
    """Why an account is the one to move to."""
    if not others:
        said = f"{account.name} is the only account that has enough left"
    elif week_ends_ms is None:
        said = f"{account.name} has enough left"
    else:
        said = f"{account.name} has enough left, and its week ends soonest, in {span(week_ends_ms - now_ms)}"
    return said + (" as far as is known: its reading is old." if is_old_reading else ".")


def listed(parts: list[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join([*([", ".join(parts[:-1])] if parts[:-1] else []), parts[-1]])
