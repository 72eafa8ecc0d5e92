"""What agents are told about their questions."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from controlroom.core.question_words import About, chosen, words
from controlroom.core.questions import Wording

ABOUT = About(question="Move the old invoices too?", default="I move them", said="18:00")


class Choice(NamedTuple):
    key: str
    label: str


@pytest.mark.parametrize(
    ("wording", "about", "choice", "note", "message"),
    [
        (
            "answer",
            ABOUT,
            "Yes, all of them",
            "",
            'Answer to your question "Move the old invoices too?": Yes, all of them',
        ),
        (
            "answer",
            ABOUT,
            "Yes",
            " but\nslowly ",
            'Answer to your question "Move the old invoices too?": Yes. Note: but\nslowly',
        ),
        (
            "answer",
            ABOUT,
            "",
            "Only those of May",
            'Answer to your question "Move the old invoices too?": Only those of May',
        ),
        (
            "correction",
            ABOUT,
            "No",
            "",
            'Answer to your question "Move the old invoices too?", in place of your default: No',
        ),
        (
            "skip",
            ABOUT,
            "",
            "",
            'Your question "Move the old invoices too?" was skipped: nobody decided it, and this is no '
            "approval. Do not do what it asks about; go on with what does not need it.",
        ),
        (
            "default",
            ABOUT,
            "",
            "",
            'Nobody answered your question "Move the old invoices too?" until 18:00. '
            "Use your default: I move them.",
        ),
        (
            "default",
            About(question="Ship?", default="ship it!", late=True, has_spoken=True),
            "",
            "",
            'Nobody answered your question "Ship?" in time. This message comes late. Use your default: '
            "ship it! If it was settled in this conversation since you asked, go by that.",
        ),
        (
            "answer",
            About(question="x", more=37),
            "",
            "Stop asking",
            "Answer to the 37 questions that you asked in a short time: Stop asking",
        ),
    ],
)
def test_the_words(wording: Wording, about: About, choice: str, note: str, message: str) -> None:
    assert words(wording, about, choice, note) == message


def test_a_question_is_named_on_one_line_and_not_without_end() -> None:
    told = words("skip", About(question="One\nline\x1b[31m?" + "x" * 5000))
    assert "\n" not in told and "\x1b" not in told and len(told) < 600


def test_labels_are_whole() -> None:
    options = [Choice("a", "Yes, once"), Choice("b", "No: never"), Choice("c", "Two\nlines")]
    assert chosen(options, ("a", "c")) == "Yes, once, Two lines"
    assert chosen(options, ("z",)) == "z"
