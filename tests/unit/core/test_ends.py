"""What ran out between two looks at many sessions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.ends import Ends, Look
from controlroom.core.rights import Term

NOW = 1_796_000_000_000


def test_each_end_is_told_once_and_the_next_moment_with_it() -> None:
    ends = Ends()
    terms = {"a": Term(NOW + 50, {"chat": None, "terminal": NOW + 10}), "b": Term(None, {"chat": NOW + 70})}
    assert ends.look(terms, NOW) == Look((), (), NOW + 11)
    assert ends.look(terms, NOW + 10) == Look((), (), NOW + 11)  # an expiry is inclusive
    assert ends.look(terms, NOW + 11) == Look((), ("a",), NOW + 51)
    assert ends.look(terms, NOW + 12) == Look((), (), NOW + 51)
    assert ends.look(terms, NOW + 51) == Look(("a",), (), NOW + 71)
    assert ends.look(terms, NOW + 71) == Look((), ("b",), None)


def test_who_lives_again_ends_again() -> None:
    ends = Ends()
    assert ends.look({"a": Term(NOW, {})}, NOW + 1).ended == ("a",)
    assert ends.look({"a": Term(NOW + 9, {})}, NOW + 1) == Look((), (), NOW + 10)
    assert ends.look({"a": Term(NOW + 9, {})}, NOW + 10).ended == ("a",)
    assert ends.look({"a": Term(NOW + 9, {})}, NOW).ended == ()  # the clock was set back
    assert ends.look({"a": Term(NOW + 9, {})}, NOW + 10).ended == ("a",)


def test_a_session_that_is_gone_is_forgotten() -> None:
    ends = Ends()
    assert ends.look({"a": Term(NOW, {})}, NOW + 1).ended == ("a",)
    assert ends.look({}, NOW + 1) == Look((), (), None)
    assert ends.look({"a": Term(NOW, {})}, NOW + 1).ended == ("a",)


expiries = st.none() | st.integers(NOW, NOW + 6)
some_terms = st.builds(Term, expiries, st.dictionaries(st.just("r"), expiries))


@given(
    st.dictionaries(
        st.sampled_from("abc"), st.builds(Term, expiries, st.dictionaries(st.just("r"), expiries))
    )
)
def test_looking_at_the_moments_that_it_names_misses_nothing(terms: dict[str, Term]) -> None:
    sparse, every = Ends(), Ends()
    told: dict[int, Look] = {}
    moment: int | None = NOW
    while moment is not None:
        told[moment] = sparse.look(terms, moment)
        moment = told[moment].next_ms
    for now_ms in range(NOW, NOW + 9):
        look = every.look(terms, now_ms)
        assert (set(look.ended), set(look.reduced)) == (
            (set(told[now_ms].ended), set(told[now_ms].reduced)) if now_ms in told else (set(), set())
        )
