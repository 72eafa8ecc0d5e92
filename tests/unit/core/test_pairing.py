"""Pairing codes: how they look, how long they live, and how many may be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.pairing import (
    ALPHABET,
    FAILURES,
    FAILURES_WITHIN_S,
    LIFE_MS,
    CodeTime,
    Failures,
    code_from,
    is_good,
    is_real,
    normalised,
)

MADE = 1_796_000_000_000
CODE = CodeTime(MADE, MADE + LIFE_MS)


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("AB12CD", "AB12CD"),
        ("  ab12cd \n", "AB12CD"),
        ("abc-12d", "ABC12D"),
        ("AB1 2CD", "AB12CD"),
        ("", None),
        ("AB12C", None),
        ("AB12CDE", None),
        ("AB12C!", None),
        ("ab12cß", None),
        ("AB12C\u0661", None),
        ("A" * 10_000, None),
    ],
)
def test_a_code_is_compared_trimmed_and_in_capitals(typed: str, code: str | None) -> None:
    assert normalised(typed) == code


@given(st.text(max_size=40))
def test_whatever_is_typed_becomes_a_code_or_nothing(typed: str) -> None:
    code = normalised(typed)
    assert code is None or (len(code) == 6 and set(code) <= set(ALPHABET))


@given(st.lists(st.integers(0, 35), min_size=6, max_size=6))
def test_a_drawn_code_is_a_code(numbers: list[int]) -> None:
    code = code_from(numbers)
    assert normalised(code) == code
    assert normalised(code.lower()) == code


@pytest.mark.parametrize(
    ("now_ms", "good"),
    [
        (MADE, True),
        (MADE + LIFE_MS - 1, True),
        (MADE + LIFE_MS, False),
        (MADE - 59_000, True),  # the clock was set right by a little
        (MADE - 61_000, False),  # it was set back: nobody knows how old the code is
        (MADE + 10**12, False),
    ],
)
def test_a_code_lives_ten_minutes_whatever_the_clock_does(now_ms: int, good: bool) -> None:
    assert is_good(CODE, now_ms) is good
    assert not is_good(CODE._replace(used=True), now_ms)


@pytest.mark.parametrize("device_id", ["", "unknown", " None ", "NULL"])
def test_placeholders_are_no_device_ids(device_id: str) -> None:
    assert not is_real(device_id)
    assert is_real("a7c0")


def test_thirty_wrong_codes_in_ten_minutes_are_too_many() -> None:
    failures = Failures()
    assert not any(failures.another(float(number)) for number in range(FAILURES - 1))
    assert failures.another(30.0)
    assert not any(failures.another(31.0) for _ in range(FAILURES - 1))
    assert failures.another(31.0)


def test_slow_guessing_is_not_too_much() -> None:
    failures = Failures()
    step = FAILURES_WITHIN_S / (FAILURES - 1) + 0.1
    assert not any(failures.another(number * step) for number in range(200))
