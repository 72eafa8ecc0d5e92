"""Which texts count as the same message."""

from __future__ import annotations

import pytest

from controlroom.core.delivery import Intent, same_message, shows_whole


def typed(text: str, draft: str = "") -> Intent:
    return Intent(session_id="s", position="0", text=text, draft=draft, pasted=True)


@pytest.mark.parametrize(
    ("row", "text", "same"),
    [
        ("hello", "hello", True),
        ("  hello\n", "hello", True),
        ("a\n    b\n\nc", "a\n\tb  \n\nc\n", True),
        ("a\r\nb", "a\nb", True),
        ("é — 漢 🙂", "é — 漢 🙂", True),
        ("hello there", "hello", False),
        ("say hello", "hello", False),
        ("", "", False),
        ("a b", "a\nb", False),
    ],
)
def test_a_row_proves_the_message_that_it_holds_whole(row: str, text: str, same: bool) -> None:
    assert same_message(row, typed(text)) is same


def test_behind_a_draft_the_row_ends_with_the_message() -> None:
    assert same_message("HALF DRAFT\nour text", typed("\nour text", draft="HALF DRAFT"))
    assert not same_message("HALF DRAFT\nour text, longer", typed("\nour text", draft="HALF DRAFT"))
    assert not same_message("HALF DRAFT\nour text", typed("our text"))


@pytest.mark.parametrize(
    ("shown", "text", "whole"),
    [
        ("hello", "hello", True),
        ("a long text that\n  wraps", "a long text that wraps", True),
        ("    indented\n\n  code", "\tindented\n\ncode", True),
        ("e\u0301tude", "étude", True),
        ("👨👩👧 family", "👨‍👩‍👧 family", True),
        ("🙂", "🙂", True),
        ("", "🙂", False),
        ("", "hello", False),
        ("hell", "hello", False),
        ("hello!", "hello", False),
        ("xhello", "hello", False),
        ("", "", False),
    ],
)
def test_a_composer_shows_a_text_whole_whatever_the_screen_does_to_white_space(
    shown: str, text: str, whole: bool
) -> None:
    assert shows_whole(shown, text) is whole
