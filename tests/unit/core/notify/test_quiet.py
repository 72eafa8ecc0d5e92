"""Quiet hours by the wall clock."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.notify.model import Quiet
from controlroom.core.notify.quiet import quiet_until, read_quiet, said

BERLIN = ZoneInfo("Europe/Berlin")


def at(*parts: int, fold: int = 0) -> int:
    year, month, day, hour, minute = parts
    return int(datetime(year, month, day, hour, minute, tzinfo=BERLIN, fold=fold).timestamp() * 1000)


@pytest.mark.parametrize(
    ("now", "until"),
    [
        (at(2026, 11, 30, 21, 59), None),
        (at(2026, 11, 30, 22, 0), at(2026, 12, 1, 7, 30)),
        (at(2026, 12, 1, 3, 0), at(2026, 12, 1, 7, 30)),
        (at(2026, 12, 1, 7, 30), None),
        (at(2026, 3, 28, 23, 0), at(2026, 3, 29, 7, 30)),  # an hour is missing that night
    ],
)
def test_they_pass_midnight(now: int, until: int | None) -> None:
    assert quiet_until(read_quiet("22:00-07:30"), now, BERLIN) == until


def test_an_hour_that_comes_twice_is_quiet_twice() -> None:
    quiet = read_quiet("1:00 - 2:30")
    second = at(2026, 10, 25, 2, 15, fold=1)
    assert quiet_until(quiet, second, BERLIN) == second + 60_000


@pytest.mark.parametrize("text", ["22-7", "25:00-07:00", "22:00-22:00", "22:00", "always", "22:60-07:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="quiet hours"):
        read_quiet(text)


@given(st.integers(0, 1439), st.integers(0, 1439), st.integers(0, 2**41))
def test_they_always_end_later(begin: int, end: int, now: int) -> None:
    if begin == end:
        return
    quiet = Quiet(begin_min=begin, end_min=end)
    assert read_quiet(said(quiet)) == quiet
    until = quiet_until(quiet, now, UTC)
    assert until is None or now < until <= now + 24 * 3_600_000
