"""The accounts that an agent may be moved to, best first, and why the others are none.

An account that has a profile on the machine and is not the agent's own is a target when

* each window that any account of its kind is known to have is known of it, has the margin above its floor,
  and so does each window of the agent's model;
* it has no hold, and a login;
* the policy did not move the agent away from it in this very window. One that was reset early is another
  window.

Fresh readings go first, then the week that ends soonest, because what is left of it would be lost, then the
account with most left. Source: spec 002 sections 7 and 11; field lessons 35, 36 and 38."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from controlroom.core import policy_words as words
from controlroom.core.activity import Activity
from controlroom.core.allowance import (
    MINUTE_MS,
    PolicyAccount,
    PolicyWindow,
    Rules,
    counting,
    floor_of,
    is_held,
    is_old,
    is_week,
    left_now,
)

ANOTHER_WINDOW_MS = 60 * MINUTE_MS  # a window that ends so much later than it did has begun anew


class PolicyProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A config folder here. ``account_id`` None: not known. ``has_login``: agents can start in it."""

    id: str
    name: str
    kind: str
    account_id: str | None
    has_login: bool = True


class LeftAccount(msgspec.Struct, frozen=True, kw_only=True):
    """The policy moved the agent away from an account: the window that it was left for, and when that
    ends."""

    account_id: str
    length_minutes: int
    until_ms: int


class PolicyAgent(msgspec.Struct, frozen=True, kw_only=True):
    """What the policy has to know of an agent. ``at_limit``: its last turn ended at a usage limit.
    ``asks_limit``: the prompt that it is blocked at asks what to do at that limit, and has no meaning
    elsewhere.

    ``moved_at_ms``: its last move, whoever made it, or with ``has_failed`` the last try of one.
    ``alone_until_ms``: until then the policy leaves it alone, ``alone_why``. (``core.policy_memory``)
    """

    id: str
    name: str
    kind: str
    profile_id: str | None
    activity: Activity
    model: str = ""
    at_limit: bool = False
    asks_limit: bool = False
    moved_at_ms: int | None = None
    has_failed: bool = False
    left: tuple[LeftAccount, ...] = ()
    alone_until_ms: int = 0
    alone_why: str = "A move of the policy was taken back"


class Situation(msgspec.Struct, frozen=True, kw_only=True):
    """One machine at one moment. ``answers``: whether the person allows paid extra usage, by account, until
    that account's next window."""

    accounts: Mapping[str, PolicyAccount]
    profiles: Sequence[PolicyProfile]
    rules: Rules
    now_ms: int
    answers: Mapping[str, bool] = {}


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """An account that an agent may be moved to."""

    profile: PolicyProfile
    account: PolicyAccount
    is_old: bool
    week_ends_ms: int | None
    least_pct: float

    @property
    def rank(self) -> tuple[bool, bool, int, float, str]:
        return (
            self.is_old,
            self.week_ends_ms is None,
            self.week_ends_ms or 0,
            -self.least_pct,
            self.profile.id,
        )


def targets_of(agent: PolicyAgent, own_id: str, situation: Situation) -> tuple[list[Target], list[str]]:
    """The targets, best first, and for every other account why it is none."""
    found, refused, seen = [], [], {own_id}
    lengths = sorted(_lengths(agent.kind, situation).items(), reverse=True)
    for profile in sorted(situation.profiles, key=lambda one: (not one.has_login, one.name, one.id)):
        account = situation.accounts.get(profile.account_id or "")
        if account is None or account.kind != agent.kind or profile.kind != agent.kind or account.id in seen:
            continue
        seen.add(account.id)
        why_not = _why_not(agent, profile, account, situation, lengths)
        if why_not is None:
            found.append(_target(agent, profile, account, situation.now_ms))
        else:
            refused.append(why_not)
    return sorted(found, key=lambda one: one.rank), refused


def _why_not(
    agent: PolicyAgent,
    profile: PolicyProfile,
    account: PolicyAccount,
    situation: Situation,
    lengths: Sequence[tuple[int, str]],
) -> str | None:
    """Why an account is no target; None when it is one. ``lengths``: of the windows that must be known."""
    now_ms, rules = situation.now_ms, situation.rules
    if not profile.has_login:
        return f"Not {account.name}: its login has ended."
    if is_held(account, now_ms):
        rest = words.span(account.hold_until_ms - now_ms)
        return f"Not {account.name}: it was seen at its limit, which ends in {rest}."
    windows = list(counting(account, agent.model))
    for length, name in lengths:
        if all(window.length_minutes != length or window.scope for window in windows):
            return f"Not {account.name}: what is left of the {name} is not known."
    for window in sorted(windows, key=lambda one: -one.length_minutes):
        left = left_now(window, now_ms)
        if left is None:
            return f"Not {account.name}: what is left of the {window.name} is not known."
        needed = floor_of(window, account, rules) + rules.margin_pct
        if left < needed:
            has = words.left(window, now_ms)
            return f"Not {account.name}: it has {has}, and {words.pct(needed)} are needed."
    return _why_not_back(agent, account, windows, now_ms)


def _lengths(kind: str, situation: Situation) -> dict[int, str]:
    """The windows that accounts of this kind have, as far as any is known: length and name."""
    return {
        window.length_minutes: window.name
        for account in situation.accounts.values()
        if account.kind == kind
        for window in account.windows
        if not window.scope
    }


def _why_not_back(
    agent: PolicyAgent, account: PolicyAccount, windows: Sequence[PolicyWindow], now_ms: int
) -> str | None:
    """An account that was left is none until the window that it was left for has ended, early or not."""
    for left in agent.left:
        if left.account_id != account.id or now_ms >= left.until_ms:
            continue
        has_begun_anew = any(
            window.length_minutes == left.length_minutes
            and window.resets_at_ms is not None
            and window.resets_at_ms >= left.until_ms + ANOTHER_WINDOW_MS
            for window in windows
        )
        if not has_begun_anew:
            rest = words.span(left.until_ms - now_ms)
            return f"Not {account.name}: it was left in this very window, which ends in {rest}."
    return None


def _target(agent: PolicyAgent, profile: PolicyProfile, account: PolicyAccount, now_ms: int) -> Target:
    windows = list(counting(account, agent.model))
    known = [left for window in windows if (left := left_now(window, now_ms)) is not None]
    weeks = [
        window.resets_at_ms
        for window in windows
        if is_week(window.length_minutes) and window.resets_at_ms is not None and window.resets_at_ms > now_ms
    ]
    return Target(
        profile=profile,
        account=account,
        is_old=any(is_old(window, now_ms) for window in windows),
        week_ends_ms=min(weeks, default=None),
        least_pct=min(known, default=0.0),
    )
