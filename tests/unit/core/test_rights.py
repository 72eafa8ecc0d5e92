"""Grants: defaults, clamping, reductions, extensions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.rights import (
    LAST_MS,
    NOT_GIVEN,
    RELAY_RIGHTS,
    WEB_RIGHTS,
    Refusal,
    Term,
    ended_rights,
    extended,
    is_active,
    next_end,
    reduced,
    term_of,
)

NOW = 1_796_000_000_000
VECTORS = json.loads(
    (Path(__file__).parents[2] / "fixtures" / "relay" / "pure_function_vectors.json").read_text()
)["grants"]["cases"]


def seconds(term: Term) -> dict[str, float | None]:
    return {right: None if expiry is None else (expiry - NOW) / 1000 for right, expiry in term.grants.items()}


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: f"{case['ttl_seconds']}-{case['grants_in']}")
def test_relay_grants_are_those_of_the_contract(case: dict[str, Any]) -> None:
    term = term_of("relay", case["ttl_seconds"], case["grants_in"], NOW)
    assert seconds(term) == case["grants_out_seconds_from_now"]
    ttl = case["ttl_seconds"]
    assert term.expires_ms == (NOW + ttl * 1000 if ttl else None)


def test_a_relay_pairing_gives_neither_answers_nor_actions() -> None:
    assert set(term_of("relay", None, None, NOW).grants) == set(RELAY_RIGHTS)
    assert not {"answers", "actions"} & set(RELAY_RIGHTS)


@pytest.mark.parametrize("kind", ["web", "cli"])
def test_a_browser_gets_four_rights_for_the_whole_session(kind: Any) -> None:
    term = term_of(kind, 365 * 86400, None, NOW)
    assert set(term.grants) == set(WEB_RIGHTS)
    assert set(term.grants.values()) == {term.expires_ms}


def test_grants_say_less() -> None:
    term = term_of("web", None, {"terminal": NOT_GIVEN, "answers": 60}, NOW)
    assert "terminal" not in term.grants
    assert term.grants["answers"] == NOW + 60_000
    assert term.grants["chat"] == term.expires_ms == NOW + 30 * 86_400_000


def test_the_end_of_a_right_is_inclusive() -> None:
    grants = {"chat": NOW, "terminal": None}
    assert is_active(grants, "chat", NOW)
    assert not is_active(grants, "chat", NOW + 1)
    assert is_active(grants, "terminal", LAST_MS)
    assert not is_active(grants, "answers", NOW)


def test_a_lifetime_beyond_all_calendars_ends_with_them() -> None:
    term = term_of("relay", 10**30, {"terminal": 10**40}, NOW)
    assert term.expires_ms == term.grants["terminal"] == LAST_MS


DAY = Term(NOW + 86_400_000, {"chat": NOW + 86_400_000, "terminal": NOW + 3_600_000})
NEVER = Term(None, {"chat": None, "terminal": NOW + 60_000})


@pytest.mark.parametrize(
    ("term", "ttl", "wished", "result"),
    [
        (DAY, 60, {"terminal": 5}, Term(NOW + 60_000, {"chat": NOW + 60_000, "terminal": NOW + 5_000})),
        (DAY, 60, {}, Term(NOW + 60_000, {"chat": NOW + 60_000, "terminal": NOW + 60_000})),
        (DAY, None, {"terminal": 60}, Term(NOW + 86_400_000, {**DAY.grants, "terminal": NOW + 60_000})),
        (DAY, 86_400, {}, DAY),
        (DAY, 86_401, {}, Refusal("session")),
        (DAY, 0, {}, Refusal("session")),
        (DAY, None, {"terminal": 3_601}, Refusal("right", "terminal")),
        (DAY, None, {"terminal": 0}, Refusal("right", "terminal")),
        (DAY, 60, {"nope": 5}, Refusal("unknown", "nope")),
        (DAY, None, {"chat": 5, "terminal": 7_200}, Refusal("right", "terminal")),
        (NEVER, 0, {"chat": 0}, NEVER),
        (NEVER, 60, {}, Term(NOW + 60_000, {"chat": NOW + 60_000, "terminal": NOW + 60_000})),
        (NEVER, None, {"terminal": 0}, Refusal("right", "terminal")),
    ],
)
def test_a_device_only_reduces(
    term: Term, ttl: int | None, wished: dict[str, float], result: Term | Refusal
) -> None:
    assert reduced(term, ttl, wished, NOW) == result


expiries = st.none() | st.integers(NOW - 10**6, NOW + 10**9)
terms = st.builds(
    Term, expiries, st.dictionaries(st.sampled_from(["chat", "terminal", "bridge", "x"]), expiries)
)
spans = st.integers(0, 10**7)


def rank(expiry: int | None) -> float:
    return float("inf") if expiry is None else expiry


@given(terms, st.none() | spans, st.dictionaries(st.sampled_from(["chat", "terminal", "y"]), spans))
def test_no_reduction_ever_gives_more(term: Term, ttl: int | None, wished: dict[str, float]) -> None:
    less = reduced(term, ttl, wished, NOW)
    if isinstance(less, Refusal):
        return
    assert rank(less.expires_ms) <= rank(term.expires_ms)
    assert set(less.grants) == set(term.grants)
    for right, expiry in less.grants.items():
        assert rank(expiry) <= rank(term.grants[right])
        assert rank(expiry) <= rank(less.expires_ms)


def test_extending_takes_along_what_ended_with_the_session() -> None:
    longer = extended(DAY, 7 * 86400, {}, NOW)
    assert longer.expires_ms == longer.grants["chat"] == NOW + 7 * 86_400_000
    assert longer.grants["terminal"] == NOW + 3_600_000
    assert extended(DAY, 0, {"terminal": 0}, NOW) == Term(None, {"chat": None, "terminal": None})


def test_the_host_may_give_and_take_single_rights() -> None:
    changed = extended(DAY, None, {"answers": 60, "terminal": NOT_GIVEN}, NOW)
    assert changed.grants == {"chat": DAY.expires_ms, "answers": NOW + 60_000}


@pytest.mark.parametrize(
    ("expiries", "moment"),
    [
        ([], None),
        ([None], None),
        ([NOW - 1], None),
        ([NOW], NOW + 1),
        ([None, NOW + 60, NOW + 5, NOW - 5], NOW + 6),
    ],
)
def test_the_next_end_is_the_first_moment_at_which_something_is_over(
    expiries: list[int | None], moment: int | None
) -> None:
    assert next_end(expiries, NOW) == moment


def test_a_right_is_over_once_its_expiry_has_passed() -> None:
    grants = {"chat": None, "terminal": NOW, "bridge": NOW - 1}
    assert ended_rights(grants, NOW) == {"bridge"}
