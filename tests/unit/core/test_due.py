"""The times behind "by": one table of forms, and what must hold for any text."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.due import Due, read_due

BERLIN = ZoneInfo("Europe/Berlin")
ASKED = "2026-11-30 16:00"  # a Monday


def zone_of(name: str) -> tzinfo | None:
    return ZoneInfo(name) if name in {"Europe/Berlin", "Europe/London", "America/New_York"} else None


def ms(text: str, zone: tzinfo = BERLIN) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


def read(said: str, asked: str = ASKED, zone: tzinfo = BERLIN) -> Due:
    return read_due(said, asked_at_ms=ms(asked, zone), zone=zone, zone_of=zone_of)


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("18:00", "2026-11-30 18:00"),
        ("18:00.", "2026-11-30 18:00"),
        ("at 6pm", "2026-11-30 18:00"),
        ("6:30 p.m.", "2026-11-30 18:30"),
        ("18h", "2026-11-30 18:00"),
        ("18:00 at the latest", "2026-11-30 18:00"),
        ("18:00 sharp", "2026-11-30 18:00"),
        ("17h30", "2026-11-30 17:30"),
        ("18 Uhr", "2026-11-30 18:00"),
        ("17.30", "2026-11-30 17:30"),
        ("in 2 hours", "2026-11-30 18:00"),
        ("90 min", "2026-11-30 17:30"),
        ("1 hour and 15 minutes", "2026-11-30 17:15"),
        ("half an hour from now", "2026-11-30 16:30"),
        ("in 1h30", "2026-11-30 17:30"),
        ("2 days", "2026-12-02 16:00"),
        ("tonight", "2026-11-30 21:00"),
        ("midnight", "2026-12-01 00:00"),
        ("EOD", "2026-11-30 23:59"),
        ("end of week", "2026-12-04 23:59"),
        ("tomorrow", "2026-12-01 23:59"),
        ("tomorrow morning", "2026-12-01 09:00"),
        ("tomorrow at 9:00", "2026-12-01 09:00"),
        ("6pm tomorrow", "2026-12-01 18:00"),
        ("Friday", "2026-12-04 23:59"),
        ("Fri 14:00", "2026-12-04 14:00"),
        ("14:00 on Friday", "2026-12-04 14:00"),
        ("2026-12-01 14:00", "2026-12-01 14:00"),
        ("2026-12-01T14:00:00Z", "2026-12-01 15:00"),
        ("2026-12-01T14:00+02:00", "2026-12-01 13:00"),
        ("Dec 1, 14:00", "2026-12-01 14:00"),
        ("the 3rd of December at 5 pm", "2026-12-03 17:00"),
        ("1.12. 9:00", "2026-12-01 09:00"),
        ("31/12", "2026-12-31 23:59"),
        ("12/31/2026 10:00", "2026-12-31 10:00"),
        ("5 January", "2027-01-05 23:59"),
        ("18:00 UTC", "2026-11-30 19:00"),
        ("18:00 UTC+2", "2026-11-30 17:00"),
        ("18:00 CET", "2026-11-30 18:00"),
        ("18:00 (Europe/London)", "2026-11-30 19:00"),
    ],
)
def test_a_time_that_is_clear(said: str, due: str) -> None:
    assert read(said) == Due(ms(due), None)


@pytest.mark.parametrize(
    ("said", "due", "problem"),
    [
        ("9am", "2026-12-01 09:00", "was over"),
        ("noon", "2026-12-01 12:00", "was over"),
        ("2029-01-01", "2029-01-01 23:59", "more than a year"),
    ],
)
def test_the_later_reading_is_taken_and_said(said: str, due: str, problem: str) -> None:
    found = read(said)
    assert found.at_ms == ms(due)
    assert problem in (found.problem or "")


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("", "No time"),
        ("soon", "not understood"),
        ("6", "not clear"),
        ("6 o'clock", "morning or evening"),
        ("3/4 10:00", "two dates"),
        ("Monday", "one of two days"),
        ("next Tuesday", "one of two days"),
        ("18:00 EST", "more than one time"),
        ("18:00 Mars/Base", "no time zone"),
        ("2026-11-29 10:00", "was over"),
        ("2026-02-30 10:00", "no such day"),
        ("25:00", "no clock time"),
        ("9999-12-31", "calendars"),
        ("999999 weeks", "calendars"),
        ("x" * 300, "too long"),
    ],
)
def test_a_time_that_is_not_sure_has_no_moment(said: str, problem: str) -> None:
    found = read(said)
    assert found.at_ms is None
    assert problem in (found.problem or "")


def test_clocks_that_are_changed() -> None:
    gap = read("2027-03-28 02:30")
    assert (gap.at_ms, "does not exist" in (gap.problem or "")) == (ms("2027-03-28 01:30", UTC), True)
    twice = read("2027-10-31 02:30")
    assert (twice.at_ms, "twice" in (twice.problem or "")) == (ms("2027-10-31 01:30", UTC), True)


@given(st.text(max_size=60), st.integers(0, 4_000_000_000_000))
def test_any_text_gets_a_later_moment_or_a_problem(said: str, asked_at_ms: int) -> None:
    found = read_due(said, asked_at_ms=asked_at_ms, zone=BERLIN, zone_of=zone_of)
    assert found.problem is not None or found.at_ms is not None
    assert found.at_ms is None or found.at_ms > asked_at_ms
