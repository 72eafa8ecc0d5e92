"""Bodies of the relay's JSON routes: whatever comes, a clear refusal or something we can use."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.gateway.bodies import BadRequest, json_object, reduction, registration

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
bodies = st.fixed_dictionaries(
    {},
    optional={
        "code": st.sampled_from(["ABC123", " abc123 ", "A"]) | values,
        "ttl_seconds": values,
        "grants": values | st.dictionaries(st.text(max_size=8), st.integers() | st.floats(), max_size=3),
        "transport_hint": st.sampled_from(["ws", "wss", "x"]) | values,
        "endpoints": values,
    },
)


@given(st.binary(max_size=60) | bodies.map(lambda body: json.dumps(body).encode()))
@settings(max_examples=300)
def test_any_bytes_are_an_object_or_refused(raw: bytes) -> None:
    try:
        assert isinstance(json_object(raw), dict)
    except BadRequest as error:
        assert str(error) in {"invalid JSON body", "body must be a JSON object"}


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(BadRequest, match="invalid JSON body"):
        json_object(b"[" * 100_000)


@given(bodies)
@settings(max_examples=400)
def test_any_registration_is_usable_or_refused(body: dict[str, object]) -> None:
    try:
        read = registration(body)
    except BadRequest as error:
        assert str(error)
        return
    assert len(read.code) == 6
    assert read.policy.ttl_s is None or read.policy.ttl_s >= 0
    assert all(isinstance(seconds, int) and seconds >= 0 for seconds in (read.policy.grants or {}).values())
    json.dumps(read.policy.grants)


@given(bodies)
@settings(max_examples=400)
def test_any_reduction_is_usable_or_refused(body: dict[str, object]) -> None:
    try:
        read = reduction(body)
    except BadRequest as error:
        assert str(error)
        return
    assert read.ttl_s is None or (type(read.ttl_s) is int and read.ttl_s >= 0)
    assert all(seconds >= 0 for seconds in read.grants.values())


@pytest.mark.parametrize("value", [True, False, 1.5, "60", None, -1, float("nan"), 10**20])
def test_a_lifetime_is_a_whole_number(value: object) -> None:
    with pytest.raises(BadRequest, match="non-negative integer"):
        reduction({"ttl_seconds": value})
