"""Which connections go when there are too many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.crowd import Crowd, Limits, limits_for

LIMITS = Limits(all=6, of_one=3, waiting=4)


def test_the_longest_waiting_goes_first() -> None:
    crowd: Crowd[int] = Crowd(LIMITS)
    assert [crowd.came(number, None) for number in range(6)] == [[], [], [], [], [0], [1]]
    assert len(crowd) == 4


def test_who_works_stays() -> None:
    crowd: Crowd[int] = Crowd(LIMITS)
    for number in range(6):
        crowd.came(number, None)
        crowd.works(number)
    assert crowd.came(6, None) == [6]
    crowd.waits(2)
    assert crowd.came(7, None) == [2]


def test_an_address_with_too_many_pays_itself() -> None:
    crowd: Crowd[str] = Crowd(LIMITS)
    crowd.came("quiet", "10.0.0.1")
    for name in ("a", "b", "c"):
        assert crowd.came(name, "10.0.0.2") == []
    assert crowd.came("d", "10.0.0.2") == ["a"]
    crowd.works("b")
    crowd.works("c")
    crowd.works("d")
    assert crowd.came("e", "10.0.0.2") == ["e"]


def test_limits_fit_the_files_that_may_be_open() -> None:
    assert limits_for(1_048_576) == Limits()
    small = limits_for(1024)
    assert (small.all, small.waiting) == (384, 192)
    assert limits_for(64).all == 64


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["came", "works", "waits", "gone"]),
        st.integers(0, 20),
        st.sampled_from([None, "one", "two"]),
    ),
    max_size=200,
)


@given(STEPS)
def test_the_limits_hold_whatever_happens(steps: list[tuple[str, int, str | None]]) -> None:
    crowd: Crowd[int] = Crowd(LIMITS)
    there: dict[int, str | None] = {}
    for what, key, address in steps:
        if what == "came":
            if key in there:
                continue
            there[key] = address
            for ended in crowd.came(key, address):
                del there[ended]
        else:
            getattr(crowd, what)(key)
            if what == "gone":
                there.pop(key, None)
        assert len(crowd) == len(there) <= LIMITS.all
        for one in ("one", "two"):
            assert list(there.values()).count(one) <= LIMITS.of_one
