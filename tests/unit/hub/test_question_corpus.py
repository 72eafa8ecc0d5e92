"""Replies as agents write them, and the cards that the node's and the hub's own code make of them."""

from __future__ import annotations

import pytest

from tests.support.question_corpus import Case, cards_of, corpus

CASES = corpus()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_cards_of_a_reply(case: Case) -> None:
    assert cards_of(case) == case.card


def test_the_corpus_is_large_enough() -> None:
    """Of those with a block that is meant."""
    assert sum(bool(case.card) for case in CASES.values()) >= 100


def test_a_default_of_a_card_that_was_cut_is_not_used_by_itself() -> None:
    """What was cut off may be what makes it blocking."""
    case = CASES["options: an option of a megabyte"]
    (card,) = case.card
    assert card.blocking is not None
