"""Outside text: what is taken out, what stays, where it is cut."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.text import clean_block, clean_line, limited, line_ends, split_lines, strip_controls

ANY = st.text(st.characters())  # lone surrogates too


@pytest.mark.parametrize(
    ("text", "typed", "removed"),
    [
        ("plain", "plain", 0),
        ("two\nlines\tand a tab", "two\nlines\tand a tab", 0),
        ("a\r\nb\rc\n", "a\nb\nc\n", 0),
        ("end\x1b[201~early", "end[201~early", 1),
        ("\x00\x03\x08\x0b\x0c\x0e\x1f\x7f\x80\x9b\x9f", "", 11),
        ("é — 漢 🙂 \u200d \u202e", "é — 漢 🙂 \u200d \u202e", 0),
        ("half \ud83d pair", "half  pair", 1),
    ],
)
def test_what_may_be_typed(text: str, typed: str, removed: int) -> None:
    assert strip_controls(text) == (typed, removed)


@given(ANY)
def test_nothing_typed_can_steer_a_terminal(text: str) -> None:
    typed, removed = strip_controls(text)
    assert all(c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs") for c in typed)
    assert len(typed) + removed == len(line_ends(text))
    assert strip_controls(typed) == (typed, 0)
    typed.encode()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two  words ", "two  words"),
        ("a\nb\tc\x1b[31md", "a b c [31md"),
        ("safe\u202egpj.exe\u2066\u200f", "safegpj.exe"),
        ("x" * 201, "x" * 199 + "…"),
        ("x" * 200, "x" * 200),
        ("", ""),
    ],
)
def test_a_line_for_people(text: str, line: str) -> None:
    assert clean_line(text) == line


@given(ANY, st.integers(0, 300))
def test_a_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = clean_line(text, limit)
    assert len(line) <= limit
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in line)
    assert not any(
        c in line for c in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
    )


def test_a_block_keeps_its_lines() -> None:
    assert clean_block("a\r\n\tb\x1b[2J\x07", 100) == "a\n\tb[2J"
    assert clean_block("line\n" * 100, 10) == "line\nline…"


def test_a_hostile_megabyte_is_cut_before_it_is_searched() -> None:
    assert clean_line("\x1b" * 1_000_000 + "end") == ""
    assert clean_line("ab" * 1_000_000, 4) == "aba…"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("ab👨\u200d👩\u200d👧 family", 5, "ab…"),
        ("abe\u0301f", 4, "ab…"),
        ("❤\ufe0f and more", 2, "…"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
    ],
)
def test_a_cut_leaves_no_half_characters(text: str, limit: int, cut: str) -> None:
    assert limited(text, limit) == cut


def test_lines_end_at_line_ends_only() -> None:
    assert split_lines("a\nb\r\nc\rd\x0ce\u2028f\x1cg") == ["a", "b", "c", "d\x0ce\u2028f\x1cg"]
    assert split_lines("") == [""]
    assert split_lines("a\n") == ["a", ""]
