"""Which questions are one: repeats, rewordings, and pairs that only look alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.similar import Ask, find, is_same, normalised


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Which database do we use?", "**Which database** do we use"),
        ("Which database do we use?", "which database should we use?"),
        ("Should I migrate the ledger?", "Should I be migrating the ledger now?"),
        ("Publish 4.2.0 to the store?", "Publish 4.2.0 to the store, or wait for the crash fix?"),
        ("Soll ich die Migration starten?", "Soll ich jetzt die Migration starten?"),
        ("日本語の用語を統一しますか？", "日本語の用語を統一しますか"),
        ("ﬁx the limiter?", "fix the limiter?"),
    ],
)
def test_one_question(old: str, new: str) -> None:
    assert is_same(Ask(old), Ask(new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Deploy the gateway to staging?", "Deploy the gateway to production?"),
        ("Delete branch fix-1?", "Delete branch fix-2?"),
        ("Keep the three flaky cases?", "Keep the four flaky cases?"),
        ("Publish 4.2.0?", "Publish 4.2.1?"),
        ("Which database do we use?", "Which queue do we use?"),
        ("Shall we?", "Which of these?"),
        ("", "Which database do we use?"),
    ],
)
def test_two_questions(old: str, new: str) -> None:
    assert is_same(Ask(old), Ask(new)) is None


def test_the_same_choice_is_one_question() -> None:
    labels = ("Postgres", "SQLite")
    assert is_same(
        Ask("Which database for the store?", labels), Ask("What store database: which one?", labels)
    )
    assert is_same(
        Ask("Which database for the ledger store?", labels), Ask("Which engine for the store?", labels[::-1])
    )


def test_other_options_are_another_question() -> None:
    assert is_same(Ask("Which one?", ("red", "blue")), Ask("Which one?", ("left", "right"))) is None


@pytest.mark.parametrize(
    "labels",
    [
        ("Yes", "No"),
        ("Yes, all of them", "No"),
        ("Go ahead", "Wait"),
        ("Now", "Never", "Ask me again tomorrow"),
        ("Ja, alle", "Nein"),
        ("Deploy", "Don't deploy"),
        ("Canary", "Wait"),
    ],
)
def test_options_that_go_with_any_question_prove_nothing(labels: tuple[str, ...]) -> None:
    assert is_same(Ask("Deploy to staging?", labels), Ask("Deploy to production?", labels)) is None


ASKS = (
    Ask("Which database do we use?"),
    Ask("Publish 4.2.0 to the store now?"),
    Ask("Publish the notes to the wiki now?"),
)


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("Which database do we use?", 0),
        ("which database", None),
        ("database do we use", 0),
        ("publish 4.2.0", 1),
        ("Publish 4.2.0 to the store", 1),
        ("publish", None),
        ("the colour of the logo", None),
        ("", None),
    ],
)
def test_a_question_is_named_in_words(said: str, at: int | None) -> None:
    assert find(said, ASKS) == at


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_texts(one: str, other: str) -> None:
    assert normalised(normalised(one)) == normalised(one)
    if normalised(one):
        assert is_same(Ask(one), Ask(one))
    assert (is_same(Ask(one), Ask(other)) is None) == (is_same(Ask(other), Ask(one)) is None)
