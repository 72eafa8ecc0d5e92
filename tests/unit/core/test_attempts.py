"""When a service that refuses is asked again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.attempts import JITTER, LONGEST_S, Attempt, Outcome, after, is_due


def go(
    attempt: Attempt, outcome: Outcome, now_s: float, *, login: str = "a", retry: float | None = None
) -> Attempt:
    return after(attempt, outcome, now_s=now_s, every_s=300, login=login, retry_after_s=retry)


def test_a_first_try_is_due_at_once() -> None:
    assert is_due(Attempt(), 0, "a")


def test_too_many_doubles_to_an_hour_whatever_retry_after_0_says() -> None:
    attempt, now, pauses = Attempt(), 0.0, []
    for _ in range(6):
        attempt = go(attempt, "too_many", now, retry=0)
        pauses.append(attempt.pause_s)
        assert not is_due(attempt, now, "a")
        now = attempt.next_s
    assert pauses == [600, 1200, 2400, 3600, 3600, 3600]


def test_an_hour_of_429_costs_a_handful_of_requests() -> None:
    attempt, asked = Attempt(), 0
    for second in range(3600):
        if is_due(attempt, second, "a"):
            asked += 1
            attempt = go(attempt, "too_many", second, retry=0)
    assert asked == 3  # at 0, 10 and 30 minutes


def test_a_longer_retry_after_is_respected_and_a_day_is_not() -> None:
    assert go(Attempt(), "too_many", 0, retry=1500).pause_s == 1500
    assert go(Attempt(), "too_many", 0, retry=86_400).pause_s == LONGEST_S


def test_a_good_answer_ends_the_backing_off() -> None:
    attempt = go(go(Attempt(), "too_many", 0), "ok", 600)
    assert attempt.pause_s == 300
    assert go(attempt, "too_many", 900).pause_s == 600


@pytest.mark.parametrize("outcome", ["stale_login", "no_right"])
def test_a_refused_login_is_tried_again_when_it_is_another_one(outcome: Outcome) -> None:
    attempt = go(Attempt(), outcome, 0)
    assert not is_due(attempt, 1800, "a")
    assert is_due(attempt, 1, "b")
    assert is_due(attempt, LONGEST_S, "a")


@given(
    st.lists(st.sampled_from(["ok", "too_many", "unusable", "stale_login", "no_right"]), max_size=20),
    st.floats(-2, 2),
    st.one_of(st.none(), st.floats(0, 1e6)),
)
def test_nobody_is_ever_asked_more_often_than_every_so_often(
    outcomes: list[Outcome], jitter: float, retry: float | None
) -> None:
    attempt, now = Attempt(), 0.0
    for outcome in outcomes:
        attempt = after(
            attempt, outcome, now_s=now, every_s=300, login="a", retry_after_s=retry, jitter=jitter
        )
        assert 300 * (1 - JITTER) - 0.1 <= attempt.next_s - now <= LONGEST_S * (1 + JITTER) + 0.1
        now = attempt.next_s


def test_a_wish_asks_again_after_a_minute_but_only_who_answered() -> None:
    answered = go(Attempt(), "ok", 1_000)
    assert [is_due(answered, 1_000 + later, "a", is_wished=True) for later in (0, 59, 60)] == [
        False,
        False,
        True,
    ]
    assert not is_due(answered, 1_200, "a")
    for outcome in ("too_many", "stale_login", "no_right", "unusable"):
        refused = go(Attempt(), outcome, 1_000)
        assert not is_due(refused, 1_400, "a", is_wished=True)
