"""Ages and clock times in the words of the design."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

import pytest

from controlroom.cli import times
from tests.unit.cli.agents import DAY, HOUR, MIN, NOW, S


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0 s"),
        (999, "0 s"),
        (20 * S, "20 s"),
        (59 * S + 999, "59 s"),
        (MIN, "1 min"),
        (47 * MIN + 59 * S, "47 min"),
        (HOUR, "1 h"),
        (72 * MIN, "1 h 12 min"),
        (DAY - 1, "23 h 59 min"),
        (3 * DAY + 5 * HOUR, "3 d"),
        (-5 * S, "0 s"),
    ],
)
def test_a_length_of_time(ms: int, words: str) -> None:
    """Never negative: a clock may have been set back."""
    assert times.span(ms) == words


def test_clock_times_are_in_the_persons_zone() -> None:
    assert times.clock(NOW, UTC) == "11:00"
    assert times.clock(NOW, timezone(timedelta(hours=5, minutes=30))) == "16:30"
    assert times.day(NOW, UTC) == "2026-11-30"
    assert times.clock(10**30, UTC) == "00:00"  # an absurd row does not stop the page
