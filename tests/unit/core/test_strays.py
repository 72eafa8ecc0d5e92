"""When an agent counts as one that came back on another account."""

from __future__ import annotations

import pytest

from controlroom.core.strays import Change, Stay, strayed_from, words

B = Stay("w1:p1", "term_1", "/home/ada/.claude-b")
A = "/home/ada/.claude-a"
USUAL = "/home/ada/.claude"


@pytest.mark.parametrize(
    ("now", "before", "change", "answer"),
    [
        (Stay("w1:p1", "term_2", USUAL), "", "other", "/home/ada/.claude-b"),
        (Stay("w1:p1", "term_2", "/home/ada/.claude-b"), "", "other", ""),
        (Stay("w1:p1", "term_1", USUAL), "", "other", ""),  # by hand, in a pane that lives on
        (Stay("w1:p9", "term_2", USUAL), "", "other", ""),  # by hand, elsewhere
        (Stay("w1:p1", "term_2", USUAL), "", "ours", ""),
        (
            Stay("w1:p1", "term_1", "/home/ada/.claude-b"),
            A,
            "same_process",
            A,
        ),
        (Stay("w1:p1", "term_1", USUAL), USUAL, "other", ""),  # it is back
        (
            Stay("w1:p1", "term_2", "/home/ada/.claude-b"),
            A,
            "other",
            A,
        ),
        (Stay("w1:p1", "term_1", "/home/ada/.claude-c"), A, "other", ""),  # a choice
        (Stay("w1:p1", "term_1", USUAL), A, "ours", ""),
    ],
)
def test_only_a_pane_that_came_back_makes_a_stray(
    now: Stay, before: str, change: Change, answer: str
) -> None:
    assert strayed_from(B, now, before, change) == answer


def test_a_pane_that_was_not_known_says_nothing() -> None:
    assert strayed_from(Stay("", "", "/b"), Stay("", "", "/a"), "", "other") == ""
    assert strayed_from(Stay("w1:p1", "", "/b"), Stay("w1:p1", "term_1", "/a"), "", "other") == ""


def test_the_words_name_both_profiles_and_what_to_do() -> None:
    text = words("/a", "/b")
    assert "/a now" in text and "not in /b" in text and "Move it back" in text
