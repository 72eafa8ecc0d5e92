"""Readings become windows that are true: the table of cases, and what holds for any series of readings."""

from __future__ import annotations

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core import usage
from controlroom.core.usage import FIVE_HOURS, WEEK, Reading, freshest, hold_of, percent, window_now

NOW = 1_796_000_000_000
HOUR = 3_600_000


def reading(**more: object) -> Reading:
    made = Reading(
        account_id="acc_1",
        length_minutes=WEEK,
        taken_at_ms=NOW - 60_000,
        source="endpoint",
        used_pct=40.0,
        resets_at_ms=NOW + HOUR,
    )
    return msgspec.structs.replace(made, **more)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, 0.0),
        (33.5, 33.5),
        (100, 100.0),
        (140.2, 100.0),
        (-1, None),
        (-0.01, None),
        (None, None),
        (math.nan, None),
        (math.inf, None),
        ("40", None),
        (True, None),
    ],
)
def test_a_percentage_is_a_number_from_0_to_100_or_unknown(value: object, expected: float | None) -> None:
    assert percent(value) == expected


@pytest.mark.parametrize(
    ("minutes", "scope", "name"),
    [
        (300, "", "5 hours"),
        (10_080, "", "week"),
        (10_080, "Opus", "week, Opus"),
        (60, "", "1 hour"),
        (1440, "", "1 day"),
        (43_200, "", "30 days"),
        (90, "", "90 minutes"),
        (0, "", "0 minutes"),
    ],
)
def test_windows_are_named_by_their_length(minutes: int, scope: str, name: str) -> None:
    assert usage.window_name(minutes, scope) == name


def test_the_freshest_reading_wins_across_machines_and_sources() -> None:
    old, new = reading(used_pct=96.0, taken_at_ms=NOW - 50_000), reading(used_pct=1.0, taken_at_ms=NOW - 10)
    assert freshest([new, old], NOW).readings == (new,)
    assert freshest([old, new], NOW).readings == (new,)


def test_lesson_an_old_maximum_does_not_stick_after_an_early_reset() -> None:
    """Field lesson 36."""
    before = reading(used_pct=60.0, taken_at_ms=NOW - HOUR, resets_at_ms=NOW + 90 * HOUR)
    after = reading(used_pct=1.0, taken_at_ms=NOW - 1, resets_at_ms=NOW + 168 * HOUR)
    assert window_now(freshest([before, after], NOW).readings[0], NOW).used_pct == 1.0


def test_a_reading_that_says_nothing_does_not_hide_one_that_does() -> None:
    silent = reading(used_pct=None, taken_at_ms=NOW)
    assert freshest([silent, reading()], NOW).readings == (reading(),)
    assert window_now(freshest([silent], NOW).readings[0], NOW).state == "unknown"


def test_readings_from_the_future_are_left_out_and_counted() -> None:
    ahead = reading(taken_at_ms=NOW + 61_000, used_pct=0.0)
    merged = freshest([ahead, reading()], NOW)
    assert merged == usage.Merged((reading(),), 1)
    assert freshest([reading(taken_at_ms=NOW + 59_000)], NOW).from_future == 0


def test_a_passed_reset_is_a_full_window_whose_reading_keeps_its_age() -> None:
    window = window_now(reading(used_pct=97.0, taken_at_ms=NOW - HOUR, resets_at_ms=NOW - 1), NOW)
    assert (window.used_pct, window.resets_at_ms, window.state) == (0.0, None, "stale")
    assert window.taken_at_ms == NOW - HOUR


def test_a_window_without_a_reset_has_ended_when_its_length_has_passed() -> None:
    old = reading(length_minutes=FIVE_HOURS, used_pct=97.0, resets_at_ms=None, taken_at_ms=NOW - 5 * HOUR)
    assert window_now(old, NOW - 1).used_pct == 97.0
    assert window_now(old, NOW).used_pct == 0.0
    assert window_now(reading(used_pct=None, resets_at_ms=None, taken_at_ms=1), NOW).used_pct is None


def test_an_old_reading_is_stale_and_of_an_idle_login_it_is_said_so() -> None:
    old = reading(taken_at_ms=NOW - usage.FRESH_MS - 1)
    assert window_now(reading(taken_at_ms=NOW - usage.FRESH_MS), NOW).state == "fresh"
    assert window_now(old, NOW).state == "stale"
    assert window_now(old, NOW, "ends_soon").state == "stale"
    assert window_now(old, NOW, "idle").state == "idle_login"
    assert window_now(reading(), NOW, "idle").state == "fresh"


@pytest.mark.parametrize(
    ("at_ms", "believed"),
    [(None, None), (0, None), (-5, None), (NOW - HOUR, NOW - HOUR), (NOW + 4 * HOUR, NOW + 4 * HOUR)],
)
def test_a_reset_is_believed_as_far_as_it_can_be(at_ms: int | None, believed: int | None) -> None:
    assert usage.reset_time(at_ms, FIVE_HOURS, NOW) == believed


def test_a_reset_far_beyond_the_window_is_not_known() -> None:
    assert usage.reset_time(NOW + 40 * HOUR, FIVE_HOURS, NOW) is None


def test_lesson_accounts_at_their_limit_are_held_until_reset() -> None:
    """Until the later reset, when both windows are used up."""
    five = window_now(reading(length_minutes=FIVE_HOURS, used_pct=100.0, resets_at_ms=NOW + HOUR), NOW)
    week = window_now(reading(used_pct=100.0, resets_at_ms=NOW + 9 * HOUR), NOW)
    hold = hold_of([five, week], NOW)
    assert hold is not None
    assert hold.until_ms == NOW + 9 * HOUR
    assert "week" in hold.why


def test_a_limit_without_a_reset_holds_for_the_windows_length() -> None:
    at = NOW - HOUR
    spent = reading(length_minutes=FIVE_HOURS, used_pct=100.0, resets_at_ms=None, taken_at_ms=at)
    hold = hold_of([window_now(spent, NOW)], NOW)
    assert hold is not None
    assert hold.until_ms == at + 5 * HOUR


@pytest.mark.parametrize(
    "more", [{"used_pct": 99.9}, {"used_pct": None}, {"scope": "Opus", "used_pct": 100.0}]
)
def test_nothing_is_held_below_the_limit_unknown_or_for_some_models(more: dict[str, object]) -> None:
    assert hold_of([window_now(reading(**more), NOW)], NOW) is None


def test_a_hold_ends_with_its_reset() -> None:
    assert hold_of([window_now(reading(used_pct=100.0), NOW + HOUR)], NOW + HOUR) is None


@pytest.mark.parametrize(
    ("is_there", "is_idle", "ends", "state"),
    [
        (True, False, None, "ok"),
        (True, True, None, "idle"),
        (False, False, None, "out"),
        (True, False, NOW - 1, "out"),
        (True, True, NOW + HOUR, "ends_soon"),
        (True, False, NOW + 8 * 24 * HOUR, "ok"),
    ],
)
def test_the_state_of_a_login(is_there: bool, is_idle: bool, ends: int | None, state: str) -> None:
    assert usage.login_state(is_there=is_there, is_idle=is_idle, ends_ms=ends, now_ms=NOW) == state


def test_an_account_with_several_profiles_is_as_well_as_its_best_login() -> None:
    assert usage.best_login(["out", "idle", "ends_soon"]) == "ends_soon"
    assert usage.best_login([]) == "out"


@pytest.mark.parametrize(
    ("end", "twins", "first_size", "creator", "is_own"),
    [
        (90, [], 100, "", True),  # no copy, nobody said to have begun it
        (90, [], 100, "me", True),
        (90, [], 100, "other", False),  # moved here before we looked, its source is gone
        (110, [], 100, "other", True),  # written since
        (90, [100], 0, "me", False),  # a copy elsewhere holds it too
        (110, [100], 0, "", True),  # beyond the copy
        (110, [100, 120], 0, "", False),  # moved away and back
    ],
)
def test_a_row_belongs_to_the_account_that_wrote_it(
    end: int, twins: list[int], first_size: int, creator: str, is_own: bool
) -> None:
    assert (
        usage.wrote_here(end, twin_sizes=twins, first_size=first_size, creator=creator, account_uuid="me")
        is is_own
    )


def test_ids_say_nothing_and_do_not_run_together() -> None:
    made = usage.account_id("claude", "kim@example.com", "org")
    assert made.startswith("acc_")
    assert "kim" not in made
    assert made != usage.account_id("claude", "kim@example.comorg", "")
    assert usage.profile_id("mac_1", "codex", "/a") != usage.profile_id("mac_2", "codex", "/a")


READINGS = st.lists(
    st.builds(
        Reading,
        account_id=st.sampled_from(["acc_1", "acc_2"]),
        length_minutes=st.sampled_from([FIVE_HOURS, WEEK]),
        taken_at_ms=st.integers(NOW - 200 * HOUR, NOW + HOUR),
        source=st.sampled_from(["endpoint", "rollout"]),
        used_pct=st.one_of(st.none(), st.floats(0, 100)),
        resets_at_ms=st.one_of(st.none(), st.integers(NOW - 200 * HOUR, NOW + 200 * HOUR)),
    ),
    max_size=12,
)


@given(st.data())
def test_the_order_in_which_readings_arrive_does_not_matter(data: st.DataObject) -> None:
    readings = data.draw(READINGS)
    assert freshest(data.draw(st.permutations(readings)), NOW) == freshest(readings, NOW)


@given(READINGS)
def test_no_window_is_ever_below_zero_above_a_hundred_or_reset_in_the_past(readings: list[Reading]) -> None:
    for one in freshest(readings, NOW).readings:
        window = window_now(one, NOW)
        assert window.used_pct is None or 0 <= window.used_pct <= 100
        assert window.resets_at_ms is None or window.resets_at_ms > NOW
        assert (window.state == "unknown") == (window.used_pct is None)


@given(READINGS)
def test_unknown_never_becomes_a_number_without_a_passed_reset(readings: list[Reading]) -> None:
    for one in freshest(readings, NOW).readings:
        if one.used_pct is None and (one.resets_at_ms is None or one.resets_at_ms > NOW):
            assert window_now(one, NOW).used_pct is None
