"""The multiplexer's grid. Widths are those that tmux 3.3a gave on Debian 12 (cursor behind the text)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.cells import grid_width, placed

MEASURED = {
    "plain": 5,
    "⏳": 2,
    "✅": 2,
    "👨\u200d👩\u200d👧": 2,
    "❤\ufe0f": 1,
    "❤": 1,
    "1\ufe0f\u20e3": 1,
    "漢": 2,
    "é": 1,
    "e\u0301": 1,
    "─": 1,
    "⠋": 1,
    "🙂": 2,
    "🇩🇪": 2,
    "👍🏽": 4,
    "⚠\ufe0f": 1,
    "…": 1,
    "●": 1,
    "⏺": 1,
    "✻": 1,
    "★": 1,
    "ｱ": 1,
    "한": 2,
    "\u1100\u1161": 2,
    "🏳\ufe0f\u200d🌈": 1,
    "⭐": 2,
    "🤖": 2,
}


@pytest.mark.parametrize(("text", "cells"), MEASURED.items(), ids=ascii)
def test_widths_are_those_of_the_grid(text: str, cells: int) -> None:
    assert grid_width(text) == cells
    assert grid_width(text + "|" + text) == 2 * cells + 1


@pytest.mark.parametrize(
    ("row", "drawn"),
    [
        ("│ plain │ 漢字 ● ✻ │", "│ plain │ 漢字 ● ✻ │"),
        ("⏳ wait", "⏳\x1b[3G wait"),
        ("a❤\ufe0fb", "a❤\ufe0f\x1b[3Gb"),
        ("👨\u200d👩\u200d👧 family", "👨\u200d👩\u200d👧\x1b[3G family"),
        ("\x1b[0;1m✅\x1b[0m done", "\x1b[0;1m✅\x1b[0m\x1b[3G done"),
        ("漢✅✅", "漢✅\x1b[5G✅"),
        ("1\ufe0f\u20e3 one", "1\ufe0f\u20e3\x1b[2G one"),
        ("end ✅", "end ✅"),
    ],
)
def test_behind_a_doubtful_character_the_column_is_named(row: str, drawn: str) -> None:
    assert placed(row) == drawn


@given(st.lists(st.sampled_from([*MEASURED, " ", "\x1b[0;1m", "\x1b[0m"])).map("".join))
def test_the_text_and_its_styles_stay(row: str) -> None:
    drawn = placed(row)
    assert re.sub(r"\x1b\[\d+G", "", drawn) == row
    for match in re.finditer(r"\x1b\[(\d+)G", drawn):
        before = re.sub(r"\x1b\[[0-9;]*[mG]", "", drawn[: match.start()])
        assert grid_width(before) == int(match[1]) - 1
