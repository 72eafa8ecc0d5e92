"""Texts for the composer stay texts. Each case was seen with the real program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.delivery import Intent, same_message
from controlroom.node.agents.claude.words import harmless, visible


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("/clear now", "\\/clear now"),
        ("!ls", "\\!ls"),
        ("@README.md", "\\@README.md"),
        ("# note", "\\# note"),
        ("  /clear", "\\/clear"),
        ("\n/clear", "\\/clear"),
        ("\u00a0/clear", "\\/clear"),
        ("\u2060/clear", "\\/clear"),  # the program takes the word joiner away, then runs the command
        ("\u200b!ls", "\\!ls"),
        ("exit", "\\exit"),
        (" Quit ", "\\Quit"),
        (":wq", "\\:wq"),
        ("exit the loop", "exit the loop"),
        ("row one\n/clear row two", "row one\n/clear row two"),
        ("hello\r\nthere\n\n", "hello\nthere"),
        ("  two blanks", "  two blanks"),
    ],
)
def test_a_text_is_never_a_command(text: str, typed: str) -> None:
    assert harmless(text, "text") == typed


@pytest.mark.parametrize("text", ["/clear", "!ls", "exit", "@file", "/model opus"])
def test_a_command_stays_one(text: str) -> None:
    assert harmless(text, "command") == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("soft\u00adhyphen", "softhyphen"),
        ("a\ufeffb\u200fc\u2066d\u2069", "abcd"),
        ("e\u0301", "é"),
        ("a\u2028b\x85c", "a\nb\nc"),
        ("👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3", "👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("a\u00a0b\u3000c", "a\u00a0b\u3000c"),
    ],
)
def test_invisible_characters_are_what_the_program_would_take_away(text: str, kept: str) -> None:
    assert visible(text) == kept


@given(st.text(max_size=60))
def test_what_is_typed_begins_harmless_and_typing_it_again_changes_nothing(text: str) -> None:
    typed = harmless(text, "text")
    assert not typed.lstrip().startswith(("/", "!", "@", "#"))
    assert harmless(typed, "text") == typed
    assert visible(typed) == typed


@given(st.text(min_size=1, max_size=60))
def test_what_is_typed_is_recognised_in_the_row(text: str) -> None:
    typed = harmless(text, "text")
    if typed.strip():
        assert same_message(
            visible(typed.replace("\t", "    ")), Intent(session_id=None, position="", text=typed)
        )
