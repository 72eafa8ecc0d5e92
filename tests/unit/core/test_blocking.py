"""Which questions are the person's alone, in nine languages; and which only sound like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.blocking import LONGEST, folded, why_blocking
from controlroom.core.question_block import Choice
from tests.unit.core.blocking_rows import BLOCKING, HARMLESS

WORDS = {
    "login": "a login or a secret",
    "money": "money",
    "public": "before other people",
    "delete": "for good",
}

PARTS: list[tuple[str, str, list[Choice], str, str]] = [
    (
        "delete",
        "What shall we do with the old customer table?",
        [Choice("1", "Drop it"), Choice("2", "Keep it")],
        "",
        "",
    ),
    (
        "delete",
        "Was machen wir mit der alten Datenbank?",
        [Choice("1", "Löschen"), Choice("2", "Behalten")],
        "",
        "",
    ),
    (
        "delete",
        "How do we migrate?",
        [Choice("1", "Anew", "all customer data is lost"), Choice("2", "Slowly")],
        "",
        "",
    ),
    ("delete", "How do we migrate?", [Choice("1", '"Drop the old database"')], "", ""),
    ("delete", "Go on?", [], "The step is irreversible.", ""),
    ("delete", "Go on?", [], "", "I delete the snapshots"),
    (
        "money",
        "Which search?",
        [Choice("1", "Hosted", "costs $20 a month"), Choice("2", "Own", "slower")],
        "",
        "",
    ),
    ("money", "Which name?", [Choice("1", "pears.example", "the domain is bought at once")], "", ""),
    ("money", "Go on?", [], "", "I upgrade us to the Team plan"),
    ("login", "How do I reach the server?", [Choice("1", "You send me the SSH key")], "", ""),
    ("login", "Go on?", [], "The upload needs a login.", ""),
    ("public", "When?", [Choice("1", "Publish", "at once"), Choice("2", "Wait")], "", ""),
    ("public", "Ready?", [], "", "I publish the release on PyPI"),
    ("public", "Ready?", [], "", "I will send the reply to the customer"),
]

HARMLESS_PARTS: list[tuple[str, list[Choice], str, str]] = [
    ("Which caption should the button have?", [Choice("1", "Buy it"), Choice("2", "Order")], "", ""),
    (
        "Rename the helper?",
        [Choice("1", "Yes: remove_user"), Choice("2", "No")],
        "Users can delete their account there.",
        "",
    ),
    (
        "Which template?",
        [Choice("1", "A"), Choice("2", "B")],
        "The customer paid the invoice yesterday.",
        "I take A",
    ),
    (
        "Which template?",
        [Choice("1", "A", "nothing is deleted"), Choice("2", "B", "no data is lost")],
        "",
        "",
    ),
    (
        "Where does the database setting live?",
        [Choice("1", "config.py", "I delete the old settings file")],
        "",
        "",
    ),
    (
        "Next step?",
        [Choice("1", "Tests"), Choice("2", "Docs")],
        "We published version 1.2 last week.",
        "I go on with the tests",
    ),
]


@pytest.mark.parametrize(("kind", "question"), BLOCKING)
def test_the_persons_alone(kind: str, question: str) -> None:
    reason = why_blocking(question)
    assert reason is not None and WORDS[kind] in reason


@pytest.mark.parametrize("question", HARMLESS)
def test_it_only_sounds_like_it(question: str) -> None:
    assert why_blocking(question) is None


@pytest.mark.parametrize(("kind", "question", "options", "context", "default"), PARTS)
def test_in_options_context_and_default(
    kind: str, question: str, options: list[Choice], context: str, default: str
) -> None:
    reason = why_blocking(question, options, context, default)
    assert reason is not None and WORDS[kind] in reason


@pytest.mark.parametrize(("question", "options", "context", "default"), HARMLESS_PARTS)
def test_harmless_parts(question: str, options: list[Choice], context: str, default: str) -> None:
    assert why_blocking(question, options, context, default) is None


@given(st.text(max_size=300))
def test_no_text_breaks_it(text: str) -> None:
    why_blocking(text, [Choice("1", text, text)], text, text)
    folded(text)


def test_a_long_reason_is_cut() -> None:
    reason = why_blocking(f"Delete {'x' * 3_000} database?")
    assert reason is not None and len(reason) < 200


def test_what_is_too_long_to_read_is_not_taken_for_harmless() -> None:
    assert why_blocking("Left or right? " + "x " * LONGEST) is not None
    many = [Choice(str(at), "A", "b " * 250) for at in range(50)]
    assert why_blocking("Left or right?", many) is not None
    assert why_blocking("Left or right?", many[:20]) is None


def test_there_are_enough_rows() -> None:
    assert len(BLOCKING) >= 60 and len(HARMLESS) >= 60
