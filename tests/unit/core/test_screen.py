"""Frames from captured bytes, and frames to a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.screen import Cursor, Frame, frame_from_capture, render, self_contained_rows

ORIGIN = Cursor(0, 0)


def frame(raw: bytes, width: int = 20, height: int = 3, cursor: Cursor = ORIGIN) -> Frame:
    return frame_from_capture(raw, width=width, height=height, cursor=cursor, alternate=False)


def test_plain_rows_stay_as_they_are() -> None:
    made = frame(b"one\n  two  \n")
    assert made.rows == ("one", "  two", "")
    assert made.ansi == ("one", "  two  ", "")


def test_a_style_carries_over_to_the_next_row() -> None:
    made = frame(b"\x1b[1;32mone\ntwo\x1b[0m\nthree")
    assert made.ansi == ("\x1b[0;1;32mone\x1b[0m", "\x1b[0;1;32mtwo\x1b[0m", "three")


def test_a_style_carries_over_an_empty_row() -> None:
    assert frame(b"\x1b[44mone\n\nthree").ansi == ("\x1b[0;44mone\x1b[0m", "", "\x1b[0;44mthree\x1b[0m")


def test_background_of_trailing_blanks_is_kept() -> None:
    made = frame(b"\x1b[7m bar   \x1b[0m")
    assert made.ansi[0] == "\x1b[0;7m bar   \x1b[0m"
    assert made.rows[0] == " bar"


def test_line_drawing_becomes_unicode_and_carries_over() -> None:
    made = frame(b"\x0elqk\x0f q\n\x0ex\n`a\x0f`a")
    assert made.rows == ("┌─┐ q", "│", "◆▒`a")


@pytest.mark.parametrize(
    "hostile",
    [
        b"\x1b]0;title\x07",
        b"\x1b]8;;http://x\x1b\\",
        b"\x1b[2J",
        b"\x1b[?1049h",
        b"\x1b[10;10H",
        b"\x1bPq#0\x1b\\",
        b"\x1b_app\x1b\\",
        b"\x1bc",
        b"\x1b(0",
        b"\x9b31m",
        b"\xc2\x9b2J"[:2],
        b"\x08\x07\x00\x7f",
        b"\xe2\x80\xa8",
    ],
)
def test_only_text_and_styles_come_through(hostile: bytes) -> None:
    made = frame(b"a" + hostile + b"b")
    assert made.rows[0].replace("\ufffd", "").replace("31m", "") == "ab"
    assert "\x1b" not in made.ansi[0]


def test_a_tab_is_blanks_up_to_its_stop() -> None:
    assert frame(b"ab\tc\n\td").rows[:2] == ("ab      c", "        d")


def test_missing_rows_are_empty_and_surplus_rows_are_dropped() -> None:
    assert frame(b"1", height=3).rows == ("1", "", "")
    assert frame(b"1\n2\n3\n4", height=3).rows == ("1", "2", "3")


def test_a_cursor_outside_is_brought_inside() -> None:
    assert frame(b"", cursor=Cursor(99, 99)).cursor == Cursor(2, 19)
    assert frame(b"", cursor=Cursor(-1, -1)).cursor == Cursor(0, 0)


def test_the_revision_is_a_short_digest_of_what_can_be_seen() -> None:
    base = frame(b"text")
    assert re.fullmatch("[0-9a-f]{16}", base.revision)
    assert frame(b"text\x1b[1m").revision == base.revision  # a style without a character is not seen
    assert frame(b"\x1b[0mtext").revision == base.revision
    others = [
        frame(b"texT"),
        frame(b"\x1b[1mtext"),
        frame(b"text "),
        frame(b"text", width=21),
        frame(b"text", height=4),
        frame(b"text", cursor=Cursor(0, 1)),
        frame(b"text", cursor=Cursor(0, 0, visible=False)),
        frame_from_capture(b"text", width=20, height=3, cursor=Cursor(0, 0), alternate=True),
    ]
    assert len({each.revision for each in [base, *others]}) == len(others) + 1


def test_a_frame_is_one_write_that_erases_each_row_before_it() -> None:
    written = render(frame(b"a\n\x1b[1mb", height=2, cursor=Cursor(1, 3)))
    assert written == (
        "\x1b[?2026h\x1b[?7l"
        "\x1b[1;1H\x1b[0m\x1b[2Ka"
        "\x1b[2;1H\x1b[0m\x1b[2K\x1b[0;1mb\x1b[0m"
        "\x1b[0m\x1b[2;4H\x1b[?25h"
        "\x1b[?7h\x1b[?2026l"
    )


def test_a_hidden_cursor_is_hidden() -> None:
    assert "\x1b[?25l" in render(frame(b"", cursor=Cursor(0, 0, visible=False)))


def test_plain_rows_of_a_history_carry_line_drawing_over() -> None:
    assert self_contained_rows(b"\x1b[1ma \x0eq\nq\x0fb  \n")[0] == ["a ─", "─b", ""]


# --- whatever comes ---

SGR = re.compile(r"\x1b\[[0-9;:]*m")
PIECES = st.one_of(
    st.sampled_from(
        [b"\x1b[", b"\x1b", b"\x1b]", b"\x1b\\", b"\x07", b"\n", b"\x0e", b"\x0f", b"m", b"\x9b"]
    ),
    st.sampled_from(
        [b"\x1b[1m", b"\x1b[0m", b"\x1b[38;2;1;2;3m", b"\x1b[4:3m", b"\x1b[48;5;7m", b"\t", b"  "]
    ),
    st.text("abq%~ é漢", max_size=8).map(str.encode),
    st.binary(max_size=8),
)
RAW = st.lists(PIECES, max_size=40).map(b"".join)


@given(RAW)
def test_plain_is_ansi_without_its_styles(raw: bytes) -> None:
    made = frame(raw, height=5)
    assert len(made.rows) == len(made.ansi) == 5
    assert tuple(SGR.sub("", row).rstrip(" ") for row in made.ansi) == made.rows


@given(RAW)
def test_no_other_control_leaks(raw: bytes) -> None:
    for row in frame(raw, height=5).ansi:
        rest = SGR.sub("", row)
        assert not re.search("[\x00-\x1f\x7f-\x9f]", rest)


def cells(text: str) -> list[tuple[str, str]]:
    """(character, style in force) of a text as a terminal would draw it, beginning plain."""
    drawn, style = [], "\x1b[0m"
    for part in re.split(r"(\x1b\[[0-9;:]*m)", text):
        if part.startswith("\x1b"):
            style = part
        else:
            drawn += [(character, style) for character in part]
    return drawn


@given(RAW)
def test_a_row_alone_is_drawn_as_in_the_whole(raw: bytes) -> None:
    """Each style in a row is whole, so a row needs nothing from the rows above."""
    made = frame(raw, height=5)
    for row in made.ansi:
        assert all(code.startswith("\x1b[0") for code in SGR.findall(row))
        assert not row or cells(row)[0][1] == (SGR.match(row) or ["\x1b[0m"])[0]
        assert SGR.findall(row)[-1:] in ([], ["\x1b[0m"])


@given(
    st.lists(
        st.sampled_from(["\x1b[1m", "\x1b[0m", "\x1b[31m", "\x1b[39m", "\x1b[4m", "\x1b[24m", "a", "b", "\n"])
    )
)
def test_styles_are_those_that_the_stream_had(pieces: list[str]) -> None:
    raw = "".join(pieces)
    wanted: list[list[tuple[str, bool, bool, bool]]] = [[]]
    bold = red = line = False
    for piece in pieces:
        match piece:
            case "\x1b[0m":
                bold = red = line = False
            case "\x1b[1m":
                bold = True
            case "\x1b[31m" | "\x1b[39m":
                red = piece == "\x1b[31m"
            case "\x1b[4m" | "\x1b[24m":
                line = piece == "\x1b[4m"
            case "\n":
                wanted.append([])
            case _:
                wanted[-1].append((piece, bold, red, line))
    made = frame(raw.encode(), height=len(wanted))
    drawn = [
        [(c, ";1" in s.replace(";31", ""), ";31" in s, ";4" in s) for c, s in cells(row)] for row in made.ansi
    ]
    assert drawn == wanted


@given(RAW, st.integers(0, 30), st.integers(0, 30))
def test_a_render_holds_only_what_a_mirror_needs(raw: bytes, row: int, column: int) -> None:
    written = render(frame(raw, height=4, cursor=Cursor(row, column)))
    codes = re.findall(r"\x1b\[[?0-9;:]*[A-Za-z]", written)
    assert written.count("\x1b") == len(codes)
    assert {code[-1] for code in codes} <= set("hlHmK")
    assert written.endswith("\x1b[?2026l")
