"""What the policy would do with one agent, and what it says about it."""

from __future__ import annotations

from typing import Any

import pytest

from controlroom.core.allowance import PolicyAccount, Rules
from controlroom.core.policy import Advice, advise_one, may_land, next_window
from controlroom.core.policy_targets import LeftAccount, PolicyAgent, PolicyProfile
from tests.unit.core.policies import (
    DAY,
    HOUR,
    MIN,
    NOW,
    SHORT,
    WEEK,
    account,
    agent,
    situation,
    window,
)

LOW = account("Work", 2, 60)
HOME = account("Home")


def advice(*accounts: PolicyAccount, who: PolicyAgent | None = None, **given: Any) -> Advice:
    return advise_one(who or agent(), situation(*accounts, **given))


def moves_to(*accounts: PolicyAccount, **given: Any) -> str | None:
    found = advice(*accounts, **given)
    return found.to_profile_id if found.what == "move" else None


# ---- leaving -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "what", "rule"),
    [
        (account("Work"), "stay", "enough_left"),
        (account("Work", 3, 10), "stay", "enough_left"),
        (account("Work", 2.9), "move", "week_low"),
        (account("Work", 60, 9.9), "move", "short_low"),
        (account("Work", 15, reserve_pct=20), "move", "reserve"),
        (account("Work", hold_until_ms=NOW + 1), "move", "held"),
        (account("Work", hold_until_ms=NOW), "stay", "enough_left"),
        (account("Work", None, None), "stay", "windows_unknown"),
        (account("Work", None, 5), "move", "short_low"),
    ],
)
def test_an_account_is_left_for_a_reason_that_is_known(own: PolicyAccount, what: str, rule: str) -> None:
    found = advice(own, HOME)
    assert (found.what, found.rule) == (what, rule)


def test_the_minimum_is_the_persons() -> None:
    rules = Rules(week_min_pct=50, short_min_pct=0)
    assert moves_to(account("Work", 49, 1), account("Home", 80, 80), rules=rules) == "p-home"


@pytest.mark.parametrize("profile", [None, "p-nobody", "p-bare"])
def test_without_a_known_account_nothing_is_done(profile: str | None) -> None:
    here = situation(LOW, HOME)
    bare = PolicyProfile(id="p-bare", name="bare", kind="claude", account_id=None)
    found = advise_one(agent(profile), situation(LOW, HOME, profiles=[*here.profiles, bare]))
    assert (found.what, found.rule) == ("stay", "account_unknown")


# ---- landing -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (account("Home", 7.9), "it has 7.9 % of the week, and 8 % are needed"),
        (account("Home", 60, 14.9), "it has 14.9 % of the 5 hours, and 15 % are needed"),
        (account("Home", 24, reserve_pct=20), "it has 24 % of the week, and 25 % are needed"),
        (account("Home", hold_until_ms=NOW + 90 * MIN), "it was seen at its limit, which ends in 1 h 30 min"),
        (account("Home", None), "what is left of the week is not known"),
        (account("Home", 60, None), "what is left of the 5 hours is not known"),
        (account("Home", windows=(window(SHORT, 90),)), "what is left of the week is not known"),
        (account("Home", windows=(window(WEEK, 90),)), "what is left of the 5 hours is not known"),
        (
            account("Home", 60, 60, window(WEEK, 4, scope="Opus")),
            "it has 4 % of the week, and 8 % are needed",
        ),
    ],
)
def test_an_account_without_enough_in_both_windows_is_no_target(other: PolicyAccount, said: str) -> None:
    found = advice(LOW, other, who=agent(model="claude-opus-9"))
    assert (found.what, found.rule) == ("stay", "no_target")
    assert f"Not Home: {said}." in found.sentences
    assert found.sentences[-1] == (
        "There is no account to move to. Its own has enough again in 3 d at the latest."
    )


@pytest.mark.parametrize("kind", ["codex"])
def test_other_kinds_and_the_same_account_in_another_folder_are_no_targets(kind: str) -> None:
    twin = PolicyProfile(id="p-twin", name="twin", kind="claude", account_id="work")
    here = situation(LOW, account("Home", kind=kind))
    found = advise_one(agent(), situation(*here.accounts.values(), profiles=[*here.profiles, twin]))
    assert found.rule == "no_target"
    assert all("Home" not in said for said in found.sentences)


def test_a_week_whose_reset_has_passed_is_full() -> None:
    assert moves_to(LOW, account("Home", 0, 60, week_ends=-MIN)) == "p-home"


def test_the_week_that_ends_soonest_goes_first() -> None:
    late = account("Home", 90, 90, week_ends=5 * DAY)
    soon = account("Lab", 20, 30, week_ends=DAY)
    found = advice(LOW, late, soon)
    assert found.to_profile_id == "p-lab"
    assert "Lab has enough left, and its week ends soonest, in 1 d." in found.sentences


def test_a_fresh_reading_goes_before_an_old_one() -> None:
    old = account("Lab", 90, 90, week_ends=DAY, ago=HOUR)
    assert moves_to(LOW, account("Home", week_ends=5 * DAY), old) == "p-home"
    found = advice(LOW, old)
    assert found.to_profile_id == "p-lab"
    assert (
        "Lab is the only account that has enough left as far as is known: its reading is old."
        in found.sentences
    )


def test_lesson_bad_landings() -> None:
    """Field lesson 38: not onto 97 % of the other window, not back and forth between 89 and 91 %."""
    assert moves_to(LOW, account("Home", 60, 3)) is None
    nearly = account("Home", 60, 11)
    assert moves_to(account("Work", 60, 9), nearly) is None
    assert moves_to(account("Work", 60, 11), account("Home", 60, 9)) is None


def test_a_profile_whose_login_has_ended_is_none_to_move_to() -> None:
    here = situation(LOW, HOME)
    out = PolicyProfile(id="p-a", name="a", kind="claude", account_id="home", has_login=False)
    own = here.profiles[0]
    found = advise_one(agent(), situation(LOW, HOME, profiles=[own, out]))
    assert "Not Home: its login has ended." in found.sentences
    assert advise_one(agent(), situation(LOW, HOME, profiles=[out, *here.profiles])).to_profile_id == "p-home"


def test_lesson_old_readings_trusted_as_exact() -> None:
    """Field lesson 35: a reading that was frozen for an hour is a bound, and goes behind a fresh one."""
    frozen = account("Home", 70, 70, week_ends=DAY, ago=HOUR)
    assert moves_to(LOW, frozen, account("Lab", 9, 16, week_ends=6 * DAY)) == "p-lab"
    days_old = account("Home", 70, 70, ago=2 * DAY, week_ends=3 * DAY)
    assert moves_to(LOW, days_old) is None


def test_lesson_errors_shown_as_full_or_empty() -> None:
    """Field lesson 34: what could not be read moves nobody away, and nobody there."""
    assert advice(account("Work", None, None), HOME).rule == "windows_unknown"
    assert moves_to(LOW, account("Home", None, None)) is None


def test_lesson_agents_bounce_into_exhausted_accounts() -> None:
    """Spec 11: an account at its limit is held until its reset, and a reserve is never entered."""
    held = account("Home", 90, 90, hold_until_ms=NOW + HOUR)
    assert moves_to(LOW, held) is None
    assert moves_to(LOW, account("Home", 22, 90, reserve_pct=20)) is None
    assert moves_to(LOW, account("Home", 90, 90, hold_until_ms=NOW)) == "p-home"


# ---- what holds a move up ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("activity", "what", "when"),
    [
        ("idle", "move", "now"),
        ("question", "move", "now"),
        ("working", "move", "idle"),
        ("blocked", "wait", None),
        ("helpers", "wait", None),
        ("starting", "wait", None),
        ("unknown", "wait", None),
        ("gone", "wait", None),
    ],
)
def test_nothing_that_runs_is_lost(activity: str, what: str, when: str | None) -> None:
    found = advice(LOW, HOME, who=agent(activity=activity))
    assert (found.what, found.when, found.to_profile_id) == (what, when, "p-home")


def test_the_prompt_of_a_limit_holds_no_move_up() -> None:
    found = advice(LOW, HOME, who=agent(activity="blocked", asks_limit=True))
    assert (found.what, found.when) == ("move", "now")
    assert "The prompt that it waits at is about this limit, and goes away with the move." in found.sentences
    assert advice(LOW, HOME, who=agent(activity="helpers", asks_limit=True)).what == "wait"


def test_a_move_is_followed_by_a_cool_down() -> None:
    moved = agent(moved_at_ms=NOW - 10 * MIN)
    found = advice(LOW, HOME, who=moved)
    assert (found.what, found.rule) == ("wait", "cool_down")
    assert found.sentences[-1] == "It was moved a short while ago, and is not moved again for 20 min."
    assert advice(LOW, HOME, who=agent(moved_at_ms=NOW - 30 * MIN)).what == "move"


def test_what_was_taken_back_is_left_alone_until_the_next_window() -> None:
    window_end = next_window(LOW, "", Rules(), NOW)
    assert window_end == LeftAccount(account_id="work", length_minutes=WEEK, until_ms=NOW + 3 * DAY)
    found = advice(LOW, HOME, who=agent(alone_until_ms=window_end.until_ms))
    assert (found.what, found.rule) == ("stay", "left_alone")
    assert advice(LOW, HOME, who=agent(alone_until_ms=NOW)).what == "move"
    assert next_window(HOME, "", Rules(), NOW) is None


def test_no_way_back_in_the_window_that_was_left() -> None:
    left = LeftAccount(account_id="home", length_minutes=WEEK, until_ms=NOW + 2 * DAY)
    same = account("Home", 90, 90, week_ends=2 * DAY + MIN)
    found = advice(LOW, same, who=agent(left=(left,)))
    assert found.rule == "no_target"
    assert "Not Home: it was left in this very window, which ends in 2 d." in found.sentences
    early = account("Home", 90, 90, week_ends=6 * DAY)  # lesson 36: it was reset before its time
    assert moves_to(LOW, early, who=agent(left=(left,))) == "p-home"
    over = LeftAccount(account_id="home", length_minutes=WEEK, until_ms=NOW)
    assert moves_to(LOW, same, who=agent(left=(over,))) == "p-home"


# ---- what it says ------------------------------------------------------------------------------------------


def test_the_explanation_of_a_move() -> None:
    lab = account("Lab", 4, 90)
    found = advice(account("Work", 2.5, 40, ago=40 * MIN), HOME, lab, who=agent(at_limit=True))
    assert found.why == "2.5 % of the week is below the minimum of 3 %; it ends in 3 d."
    assert found.sentences == (
        "It is on Work, which has at most 40 % of the 5 hours (read 40 min ago) and at most 2.5 % of the week"
        " (read 40 min ago) left.",
        "2.5 % of the week is below the minimum of 3 %; it ends in 3 d.",
        "Not Lab: it has 4 % of the week, and 8 % are needed.",
        "Home is the only account that has enough left.",
        "It would move to Home, profile home, now.",
        "Its last turn ended at the limit: after a move it goes on when you write to it.",
    )


@pytest.mark.parametrize(
    ("target", "answer", "may"),
    [
        (account("Home", 3, 10), None, True),  # chosen with the margin; it may use that up meanwhile
        (account("Home", 2.9), None, False),
        (account("Home", 60, 9.9), None, False),
        (account("Home", 15, reserve_pct=20), None, False),
        (account("Home", hold_until_ms=NOW + 1), None, False),
        (account("Home", None), None, False),
        (account("Home", ago=HOUR), None, True),
        (account("Home", ago=HOUR, extra="on"), None, False),
        (account("Home", ago=HOUR, extra="on"), False, False),
        (account("Home", ago=HOUR, extra="on"), True, True),
    ],
)
def test_a_move_that_waits_may_land_where_there_is_no_trouble(
    target: PolicyAccount, answer: bool | None, may: bool
) -> None:
    assert may_land(target, "", Rules(), NOW, answer) == may
