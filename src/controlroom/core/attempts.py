"""When to ask a service again that may refuse: spread out, backing off, not at all while it makes no sense.

Each account has its own ``Attempt``. A refusal doubles the pause up to an hour; a service that says "retry
after 0" for an hour is still asked no more often than that (claude-usage.md section 2). An answer that only a
new login can change is waited for until the login's file has changed.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Outcome = Literal["ok", "too_many", "stale_login", "no_right", "unusable"]
"""``too_many``: 429. ``stale_login``: 401. ``no_right``: 403. ``unusable``: no answer, an error of the
server, or a page instead of an answer."""

LONGEST_S = 3600.0
WISHED_S = 60.0  # so often a person may have it asked
JITTER = 0.1  # of the pause, so that machines do not ask together


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """``pause_s`` is what the last outcome asked for; ``login`` is the login's stamp that was refused."""

    next_s: float = 0.0
    pause_s: float = 0.0
    outcome: Outcome | None = None
    login: str | None = None


def is_due(attempt: Attempt, now_s: float, login: str, *, is_wished: bool = False) -> bool:
    """Whether to ask now. A refused login is asked with again once it is another one, or after its pause.

    ``is_wished``: a person wants to know; a service that answered is asked again after about a minute then,
    one that refused is not.
    """
    if is_wished and attempt.outcome == "ok" and now_s >= attempt.next_s - attempt.pause_s + WISHED_S:
        return True
    if attempt.login is not None and attempt.login != login:
        return True
    return now_s >= attempt.next_s


def after(
    attempt: Attempt,
    outcome: Outcome,
    *,
    now_s: float,
    every_s: float,
    login: str,
    retry_after_s: float | None = None,
    jitter: float = 0.0,
) -> Attempt:
    """The state after one try. ``jitter`` is a random number from -1 to 1."""
    match outcome:
        case "ok":
            pause = every_s
        case "too_many" | "unusable":
            doubled = attempt.pause_s * 2 if attempt.outcome in ("too_many", "unusable") else every_s * 2
            pause = min(max(doubled, retry_after_s or 0.0), max(LONGEST_S, every_s))
        case "stale_login" | "no_right":
            pause = max(LONGEST_S, every_s)
    return Attempt(
        next_s=now_s + pause * (1 + JITTER * max(-1.0, min(jitter, 1.0))),
        pause_s=pause,
        outcome=outcome,
        login=login if outcome in ("stale_login", "no_right") else None,
    )
