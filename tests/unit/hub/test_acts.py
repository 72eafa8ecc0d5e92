"""Names of acts and words of their receipts."""

from __future__ import annotations

import pytest

from controlroom.hub.acts import act_id, described_keys


def test_an_acts_id_is_the_same_for_the_same_request_only() -> None:
    assert act_id("host", "answer", "r1") == act_id("host", "answer", "r1")
    others = {
        act_id("host", "answer", "r2"),
        act_id("host", "keys", "r1"),
        act_id("agent:a", "answer", "r1"),
        act_id("hostanswer", "", "r1"),
    }
    assert len(others | {act_id("host", "answer", "r1")}) == 5


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("Enter",), "Pressed Enter."),
        (("Escape", "Up"), "Pressed Escape Up."),
        (("a",), "Pressed 1 typed character."),
        (("p", "w", "Enter"), "Pressed Enter and 2 typed characters."),
    ],
)
def test_receipts_name_keys_and_never_what_was_typed(keys: tuple[str, ...], said: str) -> None:
    assert described_keys(keys) == said


def test_a_paste_is_told_without_a_word_of_it() -> None:
    assert described_keys((), has_paste=True) == "Pasted a text."
    assert described_keys(("Enter",), has_paste=True) == "Pasted a text and pressed Enter."
