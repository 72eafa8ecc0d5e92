"""The mirror: colours get through, nothing else; what does not fit is cut at cells and said."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.cli import text
from controlroom.cli.mirror_view import Mirror, cut_row, first_row, frame_rows, render, safe_row
from controlroom.core.cells import grid_width
from controlroom.wire.client import ScreenFrame
from controlroom.wire.model import ScreenCursor

RED, OFF = "\x1b[31m", "\x1b[0m"


def frame(rows: list[str], width: int = 20, **more: Any) -> ScreenFrame:
    given: dict[str, Any] = {
        "cursor": ScreenCursor(row=0, column=0, visible=False),
        "data": "\r\n".join(rows),
    }
    return ScreenFrame(agent_id="agt_1", revision="r1", width=width, height=len(rows), **(given | more))


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("a\r\nb", ["a", "b"]),
        (f"{RED}a{OFF}\r\n", [f"{RED}a{OFF}", ""]),
        ("\x1b[H\x1b[2Ja\x1b[K\x1b[2;1Hb", ["a", "b"]),
        ("\x1b[1;1Ha\x1b[3;1Hc\x1b[?25h", ["a", "", "c"]),
        ("⏳\x1b[3Ga\r\nb", ["⏳a", "b"]),
        ("a\x1b]0;owned\x07b\x1b[6n\x1bc", ["ab"]),
    ],
)
def test_a_frame_becomes_rows_with_colours_only(data: str, rows: list[str]) -> None:
    assert frame_rows(data) == rows


@pytest.mark.parametrize(
    ("row", "left", "width", "cut"),
    [
        ("abcdef", 0, 4, "abcd"),
        ("abcdef", 2, 3, "cde"),
        (f"a{RED}bc{OFF}d", 1, 2, f"{RED}bc{OFF}"),
        ("漢字x", 0, 3, "漢 "),
        ("漢字x", 1, 4, " 字x"),
        ("abc", 5, 4, ""),
        ("⏳ab", 0, 3, "⏳\x1b[3Ga"),
        ("👨\u200d👩\u200d👧ab", 2, 2, "ab"),
        ("e\u0301ab", 0, 2, "e\u0301a"),
    ],
)
def test_cutting_is_by_cells(row: str, left: int, width: int, cut: str) -> None:
    assert cut_row(row, left, width) == cut


@given(st.text(alphabet="ab漢é⏳ ", max_size=40), st.integers(0, 20), st.integers(1, 20))
def test_a_cut_row_is_never_too_wide(row: str, left: int, width: int) -> None:
    assert grid_width(re.sub(r"\x1b\[\d+G", "", cut_row(row, left, width))) <= width


def test_a_row_for_print_keeps_colours_and_ends_them() -> None:
    assert safe_row(f"{RED}a\x1b[2J", True) == f"{RED}a{OFF}"
    assert safe_row(f"{RED}a\tb", False) == "a    b"


def test_all_of_a_small_pane_is_shown_with_its_size() -> None:
    drawn = render(frame(["one", "two"]), Mirror(width=40, height=5), "orchard", False)
    assert drawn == ["one", "two", "", "", "", "orchard · 20×2                  q leaves"]


def test_what_is_cut_is_said() -> None:
    rows = [f"row {n}" for n in range(30)]
    drawn = render(frame(rows, width=90), Mirror(width=80, height=10, top=0), "orchard", False)
    assert len(drawn) == 11
    assert "90×30, cut to columns 1–80, rows 1–10" in drawn[-1]
    assert all(text.cells(entry) <= 80 for entry in drawn)


@pytest.mark.parametrize(
    ("cursor", "top"),
    [
        (ScreenCursor(row=0, column=0, visible=True), 0),
        (ScreenCursor(row=29, column=0, visible=True), 20),
        (ScreenCursor(row=15, column=0, visible=True), 8),
        (ScreenCursor(row=0, column=0, visible=False), 20),
    ],
)
def test_it_follows_the_cursor_else_the_end(cursor: ScreenCursor, top: int) -> None:
    """Agents' dialogs and input lines stand at the end of the screen."""
    shown = frame([""] * 30, cursor=cursor)
    assert first_row(shown, Mirror(width=80, height=10)) == top


def test_a_chosen_place_stays_inside_the_pane() -> None:
    shown = frame([""] * 30)
    assert first_row(shown, Mirror(width=80, height=10, top=99)) == 20
    assert first_row(shown, Mirror(width=80, height=10, top=-3)) == 0
