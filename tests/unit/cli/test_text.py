"""Outside text in a terminal: nothing steers it, and its width is what the terminal shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.cli import text

FAMILY, HEART, ONE = "👨\u200d👩\u200d👧", "❤\ufe0f", "1\ufe0f\u20e3"


@pytest.mark.parametrize(
    ("shown", "cells"),
    [
        ("⏳", 2),
        ("✅", 2),
        (FAMILY, 2),
        (HEART, 2),
        (ONE, 2),
        ("漢", 2),
        ("e\u0301", 1),
        ("é", 1),
        ("─", 1),
        ("⣿", 1),
        ("orchard", 7),
        ("", 0),
        ("■◐○⊘▲", 5),
    ],
)
def test_a_grapheme_is_as_wide_as_the_terminal_draws_it(shown: str, cells: int) -> None:
    """Field lesson 42."""
    assert text.cells(shown) == cells


@pytest.mark.parametrize(
    ("hostile", "clean"),
    [
        ("red\x1b[31m name", "red name"),
        ("title\x1b]0;owned\x07 end", "title end"),
        ("title\x1b]0;owned\x1b\\ end", "title end"),
        ("two\nrows\r\nand\ttabs", "two rows and tabs"),
        ("c1 \x9b31m csi", "c1 csi"),
        ("exe\u202etxt", "exetxt"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("bell\x07 del\x7f null\x00", "bell del null"),
        ("half \x1b", "half"),
        ("\x1bPqsixel\x1b\\after", "after"),
        (f"{FAMILY} stays", f"{FAMILY} stays"),
    ],
)
def test_a_hostile_name_becomes_one_harmless_line(hostile: str, clean: str) -> None:
    assert text.line(hostile) == clean


def test_a_name_of_ten_kilobytes_is_cut() -> None:
    assert len(text.line("x" * 10_000, 100)) == 100


def test_a_block_keeps_its_lines_and_tabs_become_blanks() -> None:
    assert text.block("a\r\n\tb\x1b[2J\n") == "a\n    b\n"


def test_a_summary_leaves_frames_out() -> None:
    assert text.summary("──────\n Bash command\n │ rm -r x\n╌╌╌╌") == "Bash command rm -r x"


@pytest.mark.parametrize(
    ("whole", "width", "cut"),
    [
        ("orchard", 7, "orchard"),
        ("orchard", 4, "orc…"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),
        (FAMILY * 3, 5, FAMILY * 2 + "…"),
        ("orchard", 1, "…"),
        ("orchard", 0, ""),
    ],
)
def test_cutting_never_halves_a_character(whole: str, width: int, cut: str) -> None:
    assert text.clip(whole, width) == cut


def test_cutting_from_the_left_keeps_the_end() -> None:
    assert text.clip_left("~/work/漢字/src", 8) == "…字/src"
    assert text.clip_left("~/src", 8) == "~/src"


def test_padding_counts_cells() -> None:
    assert text.pad("漢", 4) == "漢  "


def test_wrapping_keeps_indents_and_breaks_long_words() -> None:
    assert text.wrap("  - one two three", 10) == ["  - one", "  two", "  three"]
    assert text.wrap("abcdefgh", 3) == ["abc", "def", "gh"]
    assert text.wrap("a\n\nb", 5) == ["a", "", "b"]
    assert text.wrap("漢字漢字", 4) == ["漢字", "漢字"]


ANY = st.text(alphabet=st.characters(codec="utf-8"), max_size=80)


@given(ANY, st.integers(0, 40))
def test_nothing_is_wider_than_allowed(anything: str, width: int) -> None:
    assert text.cells(text.clip(text.line(anything), width)) <= width
    assert text.cells(text.clip_left(text.line(anything), width)) <= width


@given(ANY, st.integers(4, 40))
def test_wrapped_lines_fit_and_lose_no_word(anything: str, width: int) -> None:
    clean = text.line(anything)
    lines = text.wrap(clean, width)
    assert all(text.cells(entry) <= width for entry in lines)
    assert "".join(lines).replace(" ", "") == clean.replace(" ", "")


@given(ANY)
def test_no_control_character_survives(anything: str) -> None:
    assert all(
        char.isprintable() or char in "\u200c\u200d" or not char.isascii() for char in text.line(anything)
    )
    assert "\x1b" not in text.block(anything)
    assert not any("\x80" <= char < "\xa0" for char in text.block(anything))
