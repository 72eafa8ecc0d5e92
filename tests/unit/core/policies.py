"""Accounts, profiles and agents with invented names, for the tests of the policy."""

from __future__ import annotations

from typing import Any

from controlroom.core.allowance import PolicyAccount, PolicyWindow, Rules
from controlroom.core.policy_targets import PolicyAgent, PolicyProfile, Situation

NOW = 1_796_000_000_000
MIN, HOUR, DAY = 60_000, 3_600_000, 86_400_000
SHORT, WEEK = 300, 10_080


def window(
    length: int, left: float | None, ends_in_ms: int | None = None, ago_ms: int = MIN, scope: str = ""
) -> PolicyWindow:
    if ends_in_ms is None:
        ends_in_ms = 3 * DAY if length == WEEK else 2 * HOUR
    return PolicyWindow(
        name="week" if length == WEEK else "5 hours",
        length_minutes=length,
        left_pct=left,
        resets_at_ms=NOW + ends_in_ms,
        taken_at_ms=NOW - ago_ms,
        scope=scope,
    )


def account(
    name: str, week: float | None = 60, short: float | None = 60, *more: PolicyWindow, **given: Any
) -> PolicyAccount:
    """An account with both windows; ``week_ends`` and ``ago`` in milliseconds."""
    week_ends, ago = given.pop("week_ends", 3 * DAY), given.pop("ago", MIN)
    windows = (window(SHORT, short, ago_ms=ago), window(WEEK, week, week_ends, ago_ms=ago), *more)
    usual: dict[str, Any] = {"id": name.lower(), "kind": "claude", "windows": windows}
    return PolicyAccount(name=name, **(usual | given))


def agent(profile: str | None = "p-work", activity: Any = "idle", **given: Any) -> PolicyAgent:
    usual: dict[str, Any] = {"id": "agt_1", "name": "orchard", "kind": "claude"}
    return PolicyAgent(profile_id=profile, activity=activity, **(usual | given))


def situation(*accounts: PolicyAccount, **given: Any) -> Situation:
    """A machine with one profile for each account."""
    usual: dict[str, Any] = {
        "accounts": {one.id: one for one in accounts},
        "profiles": [
            PolicyProfile(id=f"p-{one.id}", name=one.id, kind=one.kind, account_id=one.id) for one in accounts
        ],
        "rules": Rules(),
        "now_ms": NOW,
    }
    return Situation(**(usual | given))
