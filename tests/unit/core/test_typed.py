"""What a terminal sends, as keys and pastes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.keys import MAX_KEYS, NAMES, parse_keys
from controlroom.core.typed import LONGEST_PASTE, Keys, NotKeys, Paste, Typed, TypedInput


def keys(*names: str) -> Keys:
    return Keys(names)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("hi there\r", [keys("h", "i", "Space", "t", "h", "e", "r", "e", "Enter")]),
        (" ", [keys("Space")]),
        ("\x1b", [keys("Escape")]),
        ("\x1b\x1b", [keys("Escape", "Escape")]),
        ("\t\x1b[Z", [keys("Tab", "BTab")]),
        ("\x03\x04\n\x08\x00", [keys("C-c", "C-d", "C-j", "C-h", "C-Space")]),
        ("\x7f", [keys("BSpace")]),
        ("\x1b[A\x1b[B\x1bOC\x1bOD", [keys("Up", "Down", "Right", "Left")]),
        ("\x1b[H\x1bOF\x1b[1~\x1b[4~", [keys("Home", "End", "Home", "End")]),
        ("\x1b[2~\x1b[3~\x1b[5~\x1b[6~", [keys("IC", "DC", "PageUp", "PageDown")]),
        ("\x1bOP\x1b[15~\x1b[24~", [keys("F1", "F5", "F12")]),
        ("\x1b[1;2A\x1b[1;3B\x1b[1;5C\x1b[5;5~", [keys("S-Up", "M-Down", "C-Right", "C-PageUp")]),
        ("\x1bb\x1b1\x1b\r", [keys("M-b", "M-1", "M-Enter")]),
        ("é𝄞", [keys("é", "𝄞")]),
        ("e\u0301", [Paste("e\u0301")]),
        ("👩\u200d💻\r", [Paste("👩\u200d💻"), keys("Enter")]),
        ("x" * (MAX_KEYS + 1) + "\r", [Paste("x" * (MAX_KEYS + 1)), keys("Enter")]),
        ("\x1b[200~a\r\nb\x1b[201~\r", [Paste("a\nb"), keys("Enter")]),
        ("\x1b[200~\x1b[31mred\x03\x1b[201~", [Paste("[31mred")]),
        ("\x1b[200~\x1b[201~", []),
        ("", []),
    ],
)
def test_input_becomes_keys_and_pastes(data: str, expected: list[Typed]) -> None:
    assert list(TypedInput().feed(data)) == expected


@pytest.mark.parametrize(
    "data",
    [
        "\x1b[99~",  # no key
        "\x1b[1;6A",  # two modifiers
        "\x1b[<0;1;1M",  # a mouse
        "\x1b[I",  # focus
        "\x1b[?1;2c",  # a terminal's answer
        "\x1b]0;title\x07",
        "\x1b[",  # half a sequence
        "\x1bO",
        "\x1b\x1b[A",  # Escape and Up, or Alt and Up
        "\x1c",
        "\x85",
        "\u202e",
        "\x1bX",
        "\x1b[201~",  # a paste that never began
    ],
)
def test_what_is_no_key_is_refused_and_nothing_of_it_is_typed(data: str) -> None:
    with pytest.raises(NotKeys):
        TypedInput().feed("hello" + data + "\r")


def test_a_paste_may_come_in_several_messages() -> None:
    typed = TypedInput()
    assert typed.feed("a\x1b[200~one ") == (keys("a"),)
    assert typed.feed("two\x1b[20") == ()
    assert typed.feed("1~\r") == (Paste("one two"), keys("Enter"))


def test_a_paste_that_is_too_long_is_refused_as_a_whole() -> None:
    typed = TypedInput()
    assert typed.feed("\x1b[200~" + "x" * LONGEST_PASTE) == ()
    with pytest.raises(NotKeys, match="262,144"):
        typed.feed("x")


@given(
    st.lists(st.text(st.characters(codec="utf-8") | st.sampled_from("\x1b[O~0123;ABZ\r\x7f"), max_size=90))
)
def test_whatever_comes_only_keys_of_the_allowlist_and_clean_pastes_go_on(messages: list[str]) -> None:
    typed = TypedInput()
    for message in messages:
        try:
            done = typed.feed(message)
        except NotKeys:
            continue
        for one in done:
            if isinstance(one, Paste):
                assert one.text and not any(c < " " and c not in "\n\t" for c in one.text)
            else:
                assert 0 < len(one.names) <= MAX_KEYS
                assert all(key.literal or key.name in NAMES for key in parse_keys(one.names))
