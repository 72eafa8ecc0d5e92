"""The limiter of failed logins: the numbers of the relay contract section 7."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.limiter import LIMITS, Bucket, Limiter

PHONE = "192.0.2.7"


def fail(limiter: Limiter, bucket: Bucket, times: int, *, peer: str = PHONE, now: float = 0.0) -> Limiter:
    for _ in range(times):
        limiter.failed(peer, bucket, now)
    return limiter


@pytest.mark.parametrize(
    ("bucket", "failures", "block_s"), [("session", 5, 300), ("pairing", 10, 120)], ids=["session", "pairing"]
)
def test_the_failure_that_reaches_the_limit_blocks(bucket: Bucket, failures: int, block_s: float) -> None:
    limiter = fail(Limiter(), bucket, failures - 1)
    assert limiter.blocked_for(PHONE, 0) == 0
    fail(limiter, bucket, 1)
    assert limiter.blocked_for(PHONE, 0) == block_s
    assert limiter.blocked_for(PHONE, block_s - 1) == 1
    assert limiter.blocked_for(PHONE, block_s) == 0


def test_three_messages_with_all_three_credentials_block() -> None:
    limiter = Limiter()
    for message in range(3):
        assert limiter.blocked_for(PHONE, 0) == 0, message
        fail(limiter, "session", 2)
        fail(limiter, "pairing", 1)
    assert limiter.blocked_for(PHONE, 0) == 300


def test_the_buckets_count_separately() -> None:
    limiter = fail(fail(Limiter(), "session", 4), "pairing", 9)
    assert limiter.blocked_for(PHONE, 0) == 0


def test_a_shorter_block_does_not_shorten_a_longer_one() -> None:
    limiter = fail(fail(Limiter(), "session", 5), "pairing", 10)
    assert limiter.blocked_for(PHONE, 0) == 300


def test_failures_older_than_the_window_do_not_count() -> None:
    limiter = fail(Limiter(), "session", 4, now=0)
    fail(limiter, "session", 1, now=60)
    assert limiter.blocked_for(PHONE, 60) == 0
    fail(limiter, "session", 4, now=61)
    assert limiter.blocked_for(PHONE, 61) > 0


def test_success_forgets_failures() -> None:
    limiter = fail(Limiter(), "session", 4)
    limiter.succeeded(PHONE)
    fail(limiter, "session", 4)
    assert limiter.blocked_for(PHONE, 0) == 0


def test_success_does_not_lift_a_block() -> None:
    limiter = fail(Limiter(), "session", 5)
    limiter.succeeded(PHONE)
    assert limiter.blocked_for(PHONE, 0) == 300


def test_one_peers_block_stops_no_other() -> None:
    limiter = fail(Limiter(), "session", 5)
    assert limiter.blocked_for("192.0.2.8", 0) == 0


def test_letting_somebody_in_at_the_host_clears_everything() -> None:
    limiter = fail(Limiter(), "session", 5)
    fail(limiter, "session", 4, peer="192.0.2.8")
    limiter.clear()
    assert limiter.peers == 0
    assert limiter.blocked_for(PHONE, 0) == 0


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30), st.sampled_from(["session", "pairing"]), st.booleans(), st.floats(0, 30)
        ),
        max_size=200,
    )
)
def test_memory_is_bounded_and_blocks_are_earned(
    events: list[tuple[int, Bucket, bool, float]],
) -> None:
    """Whatever happens: never more peers than allowed, and no block without that many failures."""
    limiter = Limiter(most_peers=8)
    counted: dict[str, int] = {}
    now = 0.0
    for peer_number, bucket, fails, later in events:
        now += later
        peer = f"192.0.2.{peer_number}"
        if fails:
            limiter.failed(peer, bucket, now)
            counted[peer] = counted.get(peer, 0) + 1
        else:
            limiter.succeeded(peer)
        assert limiter.peers <= 16
        left = limiter.blocked_for(peer, now)
        assert left <= max(limit.block_s for limit in LIMITS.values())
        if left:
            assert counted[peer] >= min(limit.failures for limit in LIMITS.values())
