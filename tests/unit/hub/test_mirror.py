"""Frames for terminals."""

from __future__ import annotations

import re

from controlroom.hub.mirror import terminal_data
from controlroom.wire.node import FrameAnswer


def frame(*rows: str, row: int = 0, column: int = 0, visible: bool = True) -> FrameAnswer:
    return FrameAnswer(
        agent_id="agt_1",
        revision="r",
        width=10,
        height=len(rows),
        row=row,
        column=column,
        cursor_visible=visible,
        rows=rows,
        ansi=rows,
        at_ms=0,
    )


def draw(data: str, width: int, height: int) -> tuple[list[str], tuple[int, int]]:
    """A terminal that knows what frames use: places, erasing a row, colours, the cursor."""
    cells = [["?"] * width for _ in range(height)]
    row = column = 0
    for places, erases, char in re.findall(r"\x1b\[(\d+;\d+)H|\x1b\[(2K)|\x1b\[[?\d;]*[mhl]|([^\x1b])", data):
        if places:
            row, column = (int(number) - 1 for number in places.split(";"))
        elif erases:
            cells[row] = [" "] * width
        elif char:
            cells[row][min(column, width - 1)] = char
            column += 1
    return ["".join(line) for line in cells], (row, column)


def test_a_frame_replaces_whatever_the_terminal_showed() -> None:
    rows = ("full width", "\x1b[31mred", "")
    shown, cursor = draw(terminal_data(frame(*rows, row=1, column=2)), 10, 3)
    assert shown == ["full width", "red       ", "          "]
    assert cursor == (1, 2)


def test_colours_end_with_their_row() -> None:
    assert terminal_data(frame("\x1b[31mred", "plain")).count("\x1b[0m") == 4


def test_the_cursor_is_hidden_while_drawing_and_shown_only_when_it_is() -> None:
    assert terminal_data(frame("a")).startswith("\x1b[?25l")
    assert terminal_data(frame("a")).endswith("\x1b[?25h")
    assert "\x1b[?25h" not in terminal_data(frame("a", visible=False))
