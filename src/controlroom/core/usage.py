"""What is known of an account's allowance: readings from many places become windows that say their age.

The theory (facts of the field: claude-usage.md, codex.md, and what misled others):

* A reading is one window of one account, seen once. The freshest one counts, wherever it was taken; an older
  maximum never sticks, because providers reset windows early.
* Unknown is not zero: a number that is missing, negative or no number leaves the window unknown.
* A window whose reset has passed is full again, until a newer reading says otherwise.
* Each window keeps the time and source of its reading. After ``FRESH_MS`` it is only a lower bound of what is
  used, and says so.

Times are milliseconds UTC in one clock, the caller's.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import Literal

import msgspec

Source = Literal["endpoint", "status_line", "transcript", "rollout"]
WindowState = Literal["fresh", "stale", "idle_login", "unknown"]
LoginState = Literal["ok", "idle", "ends_soon", "out"]

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
FRESH_MS = 15 * 60 * 1000
"""Three readings of five minutes: beyond it a reading is old."""
FUTURE_MS = 60_000  # a reading from further ahead was taken by a clock that is wrong
RESET_SLACK_MS = DAY_MS  # a reset further ahead than the window is long, and this, cannot be meant
ENDS_SOON_MS = 7 * DAY_MS
FIVE_HOURS, WEEK = 300, 10_080  # minutes
_FULL_PCT = 100.0


class Reading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One window of one account, as it was seen once.

    ``scope``: the models that it is about, "" = all. ``used_pct`` 0 to 100, None = it was not said.
    ``resets_at_ms`` None: not said, or the window has not begun.
    """

    account_id: str
    length_minutes: int
    taken_at_ms: int
    source: Source
    scope: str = ""
    used_pct: float | None = None
    resets_at_ms: int | None = None

    @property
    def key(self) -> tuple[str, int, str]:
        return self.account_id, self.length_minutes, self.scope


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """One window now. ``used_pct`` None = unknown. ``taken_at_ms`` and ``source`` are its reading's."""

    name: str
    length_minutes: int
    used_pct: float | None
    resets_at_ms: int | None
    taken_at_ms: int
    source: Source
    state: WindowState
    scope: str = ""


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """The account was seen at its limit: nothing should be moved there before ``until_ms``."""

    until_ms: int
    why: str


class Paid(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Extra usage that costs money beyond the plan, as far as it is known. ``is_enabled``: the account would
    use it instead of stopping; ``is_in_use``: it does now. Cents."""

    is_enabled: bool | None = None
    is_in_use: bool | None = None
    used_cents: int | None = None
    limit_cents: int | None = None


class Merged(msgspec.Struct, frozen=True):
    """The readings that count, and how many were left out because they come from the future."""

    readings: tuple[Reading, ...]
    from_future: int


def account_id(kind: str, account_uuid: str, organisation_uuid: str) -> str:
    """The id of an account: the same on every machine, and nothing can be read from it."""
    return "acc_" + _digest(kind, account_uuid, organisation_uuid)


def profile_id(machine_id: str, kind: str, real_path: str) -> str:
    """The id of a config folder on one machine."""
    return "prf_" + _digest(machine_id, kind, real_path)


def _digest(*parts: str) -> str:
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=12).hexdigest()


def percent(value: object) -> float | None:
    """A used percentage, 0 to 100. What is no number, or below 0, is unknown; more than all is all."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if not math.isfinite(value) or value < 0:
        return None
    return min(float(value), _FULL_PCT)


def reset_time(at_ms: int | None, length_minutes: int, taken_at_ms: int) -> int | None:
    """The reset of a window as far as it can be believed; one in the past stays, it says that it is full."""
    if at_ms is None or at_ms <= 0:
        return None
    if at_ms > taken_at_ms + length_minutes * 60_000 + RESET_SLACK_MS:
        return None
    return at_ms


def window_name(length_minutes: int, scope: str = "") -> str:
    """What people call a window, by its length: ``5 hours``, ``week``, ``week, Opus``."""
    if length_minutes == WEEK:
        name = "week"
    elif length_minutes % 1440 == 0 and length_minutes:
        name = _counted(length_minutes // 1440, "day")
    elif length_minutes % 60 == 0 and length_minutes:
        name = _counted(length_minutes // 60, "hour")
    else:
        name = _counted(length_minutes, "minute")
    return f"{name}, {scope}" if scope else name


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def freshest(readings: Iterable[Reading], now_ms: int) -> Merged:
    """The newest reading of each window, across machines and sources.

    A reading that says nothing never hides an older one that said a number; readings from the future by more
    than ``FUTURE_MS`` are left out and counted.
    """
    best: dict[tuple[str, int, str], Reading] = {}
    from_future = 0
    for reading in readings:
        if reading.taken_at_ms > now_ms + FUTURE_MS:
            from_future += 1
            continue
        known = best.get(reading.key)
        if known is None or _rank(reading) > _rank(known):
            best[reading.key] = reading
    ordered = sorted(best.values(), key=lambda each: (each.account_id, each.length_minutes, each.scope))
    return Merged(tuple(ordered), from_future)


def _rank(reading: Reading) -> tuple[bool, int, float, int, str]:
    """A number before none; then the newer; of the same moment the one that says more is used."""
    used = -1.0 if reading.used_pct is None else reading.used_pct
    return used >= 0, reading.taken_at_ms, used, reading.resets_at_ms or 0, reading.source


def window_now(reading: Reading, now_ms: int, login: LoginState = "ok") -> Window:
    """A reading as it has to be understood now."""
    used, resets = reading.used_pct, reading.resets_at_ms
    ends = resets
    if ends is None and used is not None:  # it ends at the latest when it has been running for its length
        ends = reading.taken_at_ms + reading.length_minutes * 60_000
    if ends is not None and ends <= now_ms:
        used, resets = 0.0, None
    if used is None:
        state: WindowState = "unknown"
    elif now_ms - reading.taken_at_ms <= FRESH_MS:
        state = "fresh"
    else:
        state = "stale" if login in ("ok", "ends_soon") else "idle_login"
    return Window(
        name=window_name(reading.length_minutes, reading.scope),
        length_minutes=reading.length_minutes,
        used_pct=used,
        resets_at_ms=resets,
        taken_at_ms=reading.taken_at_ms,
        source=reading.source,
        state=state,
        scope=reading.scope,
    )


def hold_of(windows: Iterable[Window], now_ms: int) -> Hold | None:
    """The hold of an account whose window is used up; of several the one that ends last.

    A window of some models only holds nothing: the others can go on. A window that is used up and does not
    say when it resets holds for its whole length from its reading on.
    """
    holds = []
    for window in windows:
        if window.scope or window.used_pct is None or window.used_pct < _FULL_PCT:
            continue
        until = window.resets_at_ms
        if until is None:
            until = window.taken_at_ms + window.length_minutes * 60_000
        if until > now_ms:
            holds.append(Hold(until_ms=until, why=f"Its limit ({window.name}) is reached."))
    return max(holds, key=lambda hold: hold.until_ms, default=None)


def login_state(*, is_there: bool, is_idle: bool, ends_ms: int | None, now_ms: int) -> LoginState:
    """How a login stands. ``is_idle``: its short-lived key has run out and the agent renews it by itself when
    it runs next; ``ends_ms``: when the person has to sign in again, None = not known."""
    if not is_there or (ends_ms is not None and ends_ms <= now_ms):
        return "out"
    if ends_ms is not None and ends_ms - now_ms <= ENDS_SOON_MS:
        return "ends_soon"
    return "idle" if is_idle else "ok"


def wrote_here(
    end: int, *, twin_sizes: Iterable[int], first_size: int, creator: str, account_uuid: str
) -> bool:
    """Whether a row of a session's file was written by the account that the file's folder belongs to.

    Sessions are copied between folders of different accounts, and bring the rows of the other one along
    (codex.md section 9). ``end`` is where the row ends. ``twin_sizes``: how long the copies in other folders
    are; what they hold too may be theirs. ``first_size``: how long this file was when it was first seen; a
    file that another account began says nothing about what it held by then.
    """
    if any(end <= size for size in twin_sizes):
        return False
    return not creator or creator == account_uuid or end > first_size


_BEST_FIRST: tuple[LoginState, ...] = ("ok", "ends_soon", "idle", "out")


def best_login(states: Iterable[LoginState]) -> LoginState:
    """The state of an account that several profiles hold: that of the one that works best."""
    return min(states, key=_BEST_FIRST.index, default="out")
