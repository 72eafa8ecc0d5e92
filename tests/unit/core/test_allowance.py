"""What an account has left: bounds, floors, and what is wrong with it."""

from __future__ import annotations

import msgspec
import pytest

from controlroom.core.allowance import (
    FRESH_MS,
    TRUST_MS,
    PolicyAccount,
    Rules,
    ends_at,
    is_old,
    is_spent,
    left_now,
    troubles,
)
from tests.unit.core.policies import DAY, HOUR, MIN, NOW, SHORT, WEEK, account, window


@pytest.mark.parametrize(
    ("left", "ends_in", "ago", "known"),
    [
        (12.5, DAY, MIN, 12.5),
        (12.5, DAY, TRUST_MS, 12.5),
        (12.5, 2 * DAY, TRUST_MS + 1, None),  # windows came and went
        (12.5, 0, MIN, 100.0),  # a passed reset is full
        (12.5, -3 * DAY, 5 * DAY, 100.0),
        (None, DAY, MIN, None),  # unknown is not zero
        (None, -1, MIN, 100.0),
        (-4.0, DAY, MIN, 0.0),
        (140.0, DAY, MIN, 100.0),
    ],
)
def test_what_is_left_now(left: float | None, ends_in: int, ago: int, known: float | None) -> None:
    assert left_now(window(WEEK, left, ends_in, ago), NOW) == known


def test_a_window_whose_reset_was_not_said_is_unknown_once_its_length_has_passed() -> None:
    short = msgspec.structs.replace(window(SHORT, 2, ago_ms=5 * HOUR - 1), resets_at_ms=None)
    assert (left_now(short, NOW), ends_at(short)) == (2, NOW + 1)
    assert left_now(short, NOW + 1) is None, "else it would be trouble that ended in the past"
    week = msgspec.structs.replace(window(WEEK, 2, ago_ms=TRUST_MS), resets_at_ms=None)
    assert (left_now(week, NOW), left_now(week, NOW + 1)) == (2, None)


def test_an_old_reading_is_old_until_its_reset_has_passed() -> None:
    assert not is_old(window(WEEK, 50, ago_ms=FRESH_MS), NOW)
    assert is_old(window(WEEK, 50, ago_ms=FRESH_MS + 1), NOW)
    assert not is_old(window(WEEK, 50, -1, ago_ms=FRESH_MS + 1), NOW)


def test_a_window_without_a_reset_ends_its_length_after_the_reading() -> None:
    bare = msgspec.structs.replace(window(SHORT, 0), resets_at_ms=None)
    assert ends_at(bare) == NOW - MIN + 5 * HOUR


@pytest.mark.parametrize(
    ("given", "kinds"),
    [
        (account("Work"), []),
        (account("Work", 3, 10), []),  # at the minimum is not below it
        (account("Work", 2.9, 60), ["low"]),
        (account("Work", 60, 9.9), ["low"]),
        (account("Work", None, None), []),
        (account("Work", 2, 2), ["low", "low"]),
        (account("Work", 15, 60, reserve_pct=20), ["reserve"]),
        (account("Work", 20, 60, reserve_pct=20), []),
        (account("Work", 2, 60, reserve_pct=20), ["low"]),
        (account("Work", 60, 15, reserve_pct=20), []),  # a reserve is of the week
        (account("Work", hold_until_ms=NOW + HOUR), ["held"]),
        (account("Work", hold_until_ms=NOW), []),  # it ended with its window
        (account("Work", 2, 60, ago=3 * HOUR), ["low"]),  # at most 2 %: proven
    ],
)
def test_trouble(given: PolicyAccount, kinds: list[str]) -> None:
    assert [one.kind for one in troubles(given, "", Rules(), NOW)] == kinds


def test_the_window_of_some_models_counts_for_these_only() -> None:
    scoped = account("Work", 60, 60, window(WEEK, 0, scope="Opus"))
    assert not is_spent(scoped, "claude-sonnet-9", NOW)
    assert troubles(scoped, "", Rules(), NOW) == ()
    assert is_spent(scoped, "claude-opus-9", NOW)
    assert [one.kind for one in troubles(scoped, "claude-opus-9", Rules(), NOW)] == ["low"]


def test_a_hold_knows_its_window_by_the_time_it_ends() -> None:
    held = account("Work", hold_until_ms=NOW + 2 * HOUR)
    assert (troubles(held, "", Rules(), NOW)[0].length_minutes, is_spent(held, "", NOW)) == (SHORT, True)
    other = account("Work", hold_until_ms=NOW + HOUR)
    assert troubles(other, "", Rules(), NOW)[0].length_minutes == 0


def test_the_longest_window_comes_first() -> None:
    assert [one.length_minutes for one in troubles(account("Work", 1, 1), "", Rules(), NOW)] == [WEEK, SHORT]
