"""What the usage endpoint may answer, and what each answer means."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.usage import Paid
from controlroom.node.usage.endpoint import Answered, clock_skew_ms, read_answer

NOW = 1_796_000_000_000
SOON, PAST = "2026-11-30T02:40:00.528743+00:00", "2026-11-29T00:00:00Z"


def answer(body: object) -> Answered:
    return read_answer(200, json.dumps(body).encode(), NOW)


def used(answered: Answered) -> dict[tuple[int, str], float | None]:
    return {(window.length_minutes, window.scope): window.used_pct for window in answered.windows}


def test_flat_windows_are_read_by_their_names() -> None:
    answered = answer(
        {
            "five_hour": {"utilization": 33.0, "resets_at": SOON},
            "seven_day": {"utilization": 13, "resets_at": None},
            "seven_day_opus": None,
            "seven_day_sonnet": {"utilization": 2.5},
            "seven_day_oauth_apps": None,
            "code_name": {"utilization": 99},
        }
    )
    assert answered.outcome == "ok"
    assert used(answered) == {(300, ""): 33.0, (10_080, ""): 13.0, (10_080, "Sonnet"): 2.5}
    assert answered.windows[0].resets_at_ms == 1_796_006_400_528
    assert answered.windows[1].resets_at_ms is None


def test_the_list_of_limits_counts_before_the_flat_windows_and_completes_them() -> None:
    answered = answer(
        {
            "five_hour": {"utilization": 1},
            "seven_day": {"utilization": 13},
            "limits": [
                {"kind": "session", "percent": 33, "resets_at": SOON},
                {"kind": "weekly_scoped", "percent": 7, "scope": {"model": {"display_name": "Opus"}}},
                {"kind": "weekly_scoped", "percent": 8, "scope": None},
                {"kind": "monthly", "percent": 9},
                "damaged",
            ],
        }
    )
    assert used(answered) == {(300, ""): 33.0, (10_080, ""): 13.0, (10_080, "Opus"): 7.0}


@pytest.mark.parametrize("value", [None, -3, "much", {}, [1]])
def test_a_number_that_is_none_or_negative_is_unknown_not_zero(value: object) -> None:
    answered = answer(
        {"five_hour": {"utilization": value, "resets_at": SOON}, "seven_day": {"utilization": 5}}
    )
    assert answered.outcome == "ok"
    assert used(answered).get((300, "")) is None
    assert used(answered)[10_080, ""] == 5.0


def test_a_reset_in_the_past_is_kept_and_one_that_is_none_is_not_known() -> None:
    answered = answer(
        {
            "five_hour": {"utilization": 90, "resets_at": PAST},
            "seven_day": {"utilization": 1, "resets_at": "soon"},
        }
    )
    assert answered.windows[0].resets_at_ms is not None
    assert answered.windows[0].resets_at_ms < NOW
    assert answered.windows[1].resets_at_ms is None


def test_paid_usage_is_in_cents() -> None:
    extra = {"is_enabled": True, "monthly_limit": 5000, "used_credits": 120.4, "utilization": 2}
    assert answer({"extra_usage": extra}).paid == Paid(is_enabled=True, used_cents=120, limit_cents=5000)
    assert answer({"extra_usage": None}).paid is None
    assert answer({"extra_usage": {"is_enabled": False, "monthly_limit": None}}).paid == Paid(
        is_enabled=False
    )


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (401, "stale_login"),
        (403, "no_right"),
        (429, "too_many"),
        (500, "unusable"),
        (302, "unusable"),
        (204, "unusable"),
    ],
)
def test_refusals_say_nothing_about_windows(status: int, outcome: str) -> None:
    answered = read_answer(status, b'{"five_hour":{"utilization":0}}', NOW, "0")
    assert (answered.outcome, answered.windows) == (outcome, ())
    assert answered.problem


@pytest.mark.parametrize(
    "body", [b"<!doctype html><title>Hello</title>", b"", b"[]", b"null", b'"ok"', b"{", b"\xff"]
)
def test_a_page_instead_of_an_answer_is_no_answer(body: bytes) -> None:
    assert read_answer(200, body, NOW).outcome == "unusable"


@pytest.mark.parametrize(
    ("header", "seconds"), [("0", 0.0), ("120", 120.0), ("", None), ("Wed", None), ("-1", None)]
)
def test_retry_after_is_read_when_it_is_seconds(header: str, seconds: float | None) -> None:
    assert read_answer(429, b"", NOW, header).retry_after_s == seconds


def test_a_wrong_clock_is_noticed_by_the_services_date() -> None:
    assert clock_skew_ms("Mon, 30 Nov 2026 00:53:20 GMT", NOW) == 0
    assert clock_skew_ms("Sun, 29 Nov 2026 22:53:20 GMT", NOW) == 7_200_000
    assert clock_skew_ms("", NOW) is None
    assert clock_skew_ms("yesterday", NOW) is None


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)
NAMES = st.sampled_from(["five_hour", "seven_day", "limits", "extra_usage", "kind", "percent", "utilization"])


@given(
    st.dictionaries(
        NAMES, st.one_of(JSON, st.dictionaries(NAMES, JSON), st.lists(st.dictionaries(NAMES, JSON)))
    )
)
def test_whatever_is_answered_no_number_is_made_up(body: dict[str, object]) -> None:
    answered = answer(body)
    assert answered.outcome in ("ok", "unusable")
    assert all(window.used_pct is None or 0 <= window.used_pct <= 100 for window in answered.windows)
