"""A day's calls, in the zone of the machine."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.daily import Spent, day_of, next_day_ms, spend, spent_today

BERLIN = ZoneInfo("Europe/Berlin")


def ms(*parts: int, zone: tzinfo = BERLIN) -> int:
    return int(datetime(*parts, tzinfo=zone).timestamp() * 1000)  # type: ignore[misc, arg-type] # y, m, d, …


def test_a_limit_is_reached_and_the_next_day_begins_anew() -> None:
    spent: Spent | None = Spent()
    for calls in (1, 2):
        assert spent is not None
        spent = spend(spent, 2, ms(2026, 11, 30, 23, 59), BERLIN)
        assert spent == Spent("2026-11-30", calls)
    assert spent is not None
    assert spend(spent, 2, ms(2026, 11, 30, 23, 59, 59), BERLIN) is None
    assert spend(spent, 2, ms(2026, 12, 1), BERLIN) == Spent("2026-12-01", 1)


def test_no_call_is_a_limit_too() -> None:
    assert spend(Spent(), 0, ms(2026, 11, 30), BERLIN) is None


def test_a_clock_that_goes_back_opens_no_second_budget() -> None:
    spent = Spent("2026-12-01", 5)
    assert spend(spent, 5, ms(2026, 11, 30, 23, 59), BERLIN) is None
    assert spent_today(spent, ms(2026, 11, 25), BERLIN) == Spent("2026-11-25")  # it was far ahead


def test_the_day_is_the_one_of_the_zone() -> None:
    at = ms(2026, 11, 30, 23, 30, zone=UTC)
    assert day_of(at, UTC) == "2026-11-30"
    assert day_of(at, BERLIN) == "2026-12-01"


@pytest.mark.parametrize(
    ("at", "hours"),
    [(ms(2026, 3, 29, 0, 30), 22.5), (ms(2026, 10, 25, 0, 30), 24.5), (ms(2026, 11, 30), 24)],
)
def test_days_with_changed_clocks_are_shorter_or_longer(at: int, hours: float) -> None:
    assert next_day_ms(at, BERLIN) - at == hours * 3_600_000


@given(
    st.integers(0, 4_000_000_000_000),
    st.sampled_from(["Europe/Berlin", "America/Havana", "Asia/Kathmandu", "Pacific/Apia"]),
)
def test_the_next_day_is_the_next_day(at: int, name: str) -> None:
    zone = ZoneInfo(name)
    then = next_day_ms(at, zone)
    assert at < then <= at + 50 * 3_600_000
    assert day_of(then, zone) > day_of(at, zone)


def test_fixed_zones_work_too() -> None:
    zone = timezone(timedelta(hours=5, minutes=45))
    at = ms(2026, 11, 30, 12, zone=zone)
    assert next_day_ms(at, zone) - at == 12 * 3_600_000
