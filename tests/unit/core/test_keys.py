"""The allowlist of keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.keys import MAX_KEYS, NAMES, Key, parse_key, parse_keys


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_is_itself_in_any_case(name: str) -> None:
    assert parse_key(name) == parse_key(name.lower()) == parse_key(name.upper()) == Key(name)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Esc", "Escape"),
        ("Return", "Enter"),
        ("Shift+Tab", "BTab"),
        ("S-Tab", "BTab"),
        ("shift-tab", "BTab"),
        ("Backtab", "BTab"),
        ("Backspace", "BSpace"),
        ("Delete", "DC"),
        ("Insert", "IC"),
        ("PgUp", "PageUp"),
        ("PPage", "PageUp"),
        ("PgDn", "PageDown"),
        ("NPage", "PageDown"),
        ("ArrowDown", "Down"),
        ("Ctrl-C", "C-c"),
        ("Ctrl+C", "C-c"),
        ("^C", "C-c"),
        ("control-left", "C-Left"),
        ("Shift+Up", "S-Up"),
        ("Alt+Enter", "M-Enter"),
        ("Option-b", "M-b"),
        ("Meta+Return", "M-Enter"),
        ("Ctrl+Space", "C-Space"),
        (" ", "Space"),
    ],
)
def test_other_names_are_understood(said: str, meant: str) -> None:
    assert parse_key(said) == Key(meant)


@pytest.mark.parametrize("character", list("aZ0;-~^#$\"'\\é漢🙂"))
def test_one_printable_character_is_typed_as_it_is(character: str) -> None:
    assert parse_key(character) == Key(character, literal=True)


@pytest.mark.parametrize(
    "text",
    [
        *("", "ab", "S-Enter", "C-Enter", "Entr", "F13", "F0", "Enter ", "\n", "\x1b", "\x7f"),
        *("C-", "-C", "C-C-c", "C-é", "C-1", "M-;", "\u0301", "\u200d", "\ud83d"),
        *("send-keys", "Up;kill-server"),
    ],
)
def test_anything_else_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"^There is no key .*\. Use one character, or a name such as Enter"):
        parse_key(text)


@given(st.text(st.characters(), max_size=300))
def test_a_key_is_a_name_of_the_list_or_one_printable_character(text: str) -> None:
    try:
        key = parse_key(text)
    except ValueError as error:
        assert str(error).isprintable() and len(str(error)) < 400
        return
    assert (key.name in NAMES and not key.literal) or (len(key.name) == 1 and key.name.isprintable())


def test_one_bad_key_refuses_all() -> None:
    with pytest.raises(ValueError, match="'Entr'"):
        parse_keys(["Down", "Entr"])


def test_there_must_be_keys_but_not_too_many() -> None:
    assert len(parse_keys(["a"] * MAX_KEYS)) == MAX_KEYS
    with pytest.raises(ValueError, match="at least one"):
        parse_keys([])
    with pytest.raises(ValueError, match="send a text as a message"):
        parse_keys(["a"] * (MAX_KEYS + 1))
