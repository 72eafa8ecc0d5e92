"""One frame of an agent's screen cut to the terminal it is shown in: pure.

A frame is outside text: only colours (SGR) get through, every other control is dropped, whatever the hub
did already. The pane's own size is never touched; what does not fit is cut and said.
"""

from __future__ import annotations

import re

import msgspec

from controlroom.cli import text
from controlroom.cli.look import Span, between
from controlroom.core.cells import grid_width, placed
from controlroom.wire.client import ScreenFrame

_TOKEN = re.compile(
    r"\x1b\[([0-?]*)([ -/]*[@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -~]?|\r\n|[\r\n]"
)
JOINER = "\u200d"
_SGR_ONLY = re.compile(r"[0-9;:]*")


class Mirror(msgspec.Struct, frozen=True):
    """How a frame is looked at: the terminal's size, and where its first cell lies in the pane."""

    width: int
    height: int  # of the picture, the status row not counted
    top: int | None = None  # None: follow the cursor
    left: int = 0


def frame_rows(data: str) -> list[str]:
    """The rows in a frame's data, each with its colours only."""
    rows: list[str] = [""]
    at = 0
    for match in _TOKEN.finditer(data):
        rows[-1] += data[at : match.start()]
        at = match.end()
        parameters, final = match[1], match[2]
        if final == "m" and _SGR_ONLY.fullmatch(parameters or ""):
            rows[-1] += match[0]
        elif final in ("H", "f"):
            row = int((parameters or "1").split(";")[0] or 1)
            rows += [""] * min(row - len(rows), 1000)
        elif match[0] in ("\r\n", "\n"):
            rows.append("")
    rows[-1] += data[at:]
    return rows


def safe_row(row: str, coloured: bool) -> str:
    """One row of a screen as it may be printed, its colours ended at its end."""
    clean = " ".join(frame_rows(row)) if coloured else text.block(row)
    return f"{clean}\x1b[0m" if "\x1b" in clean else clean


def cut_row(row: str, left: int, width: int) -> str:
    """The cells ``left`` to ``left + width`` of a coloured row; a wide character at an edge is a blank.

    Cells are those of the multiplexer's grid (``core.cells``), and characters stay in its columns.
    """
    cut: list[str] = []
    column = at = 0
    for match in [*_TOKEN.finditer(row), None]:
        for cluster, size in _clusters(row[at : match.start() if match else len(row)]):
            if column >= left and column + size <= left + width:
                cut.append(cluster)
            elif column < left + width and column + size > left:
                cut.append(" " * (min(column + size, left + width) - max(column, left)))
            column += size
        if match:
            cut.append(match[0])
            at = match.end()
    return placed("".join(cut))


def _clusters(piece: str) -> list[tuple[str, int]]:
    """Characters with what belongs to their cell: marks, and whatever a joiner ties to them."""
    found: list[tuple[str, int]] = []
    for character in piece:
        size = grid_width(character)
        if found and (size == 0 or found[-1][0].endswith(JOINER)):
            found[-1] = (found[-1][0] + character, found[-1][1])
        else:
            found.append((character, size))
    return found


def first_row(frame: ScreenFrame, mirror: Mirror) -> int:
    """Which row of the pane is on top: chosen, or so that the cursor (else the end) can be seen."""
    most = max(frame.height - mirror.height, 0)
    if mirror.top is not None:
        return min(max(mirror.top, 0), most)
    if not frame.cursor.visible:
        return most
    return min(max(frame.cursor.row - mirror.height + 1 + min(3, mirror.height // 4), 0), most)


def render(frame: ScreenFrame, mirror: Mirror, name: str, colour: bool, note: str = "") -> list[str]:
    """The rows of the picture and one status row."""
    top = first_row(frame, mirror)
    rows = frame_rows(frame.data)[: frame.height]
    rows += [""] * (frame.height - len(rows))
    shown = [cut_row(row, mirror.left, mirror.width) for row in rows[top : top + mirror.height]]
    shown += [""] * (mirror.height - len(shown))
    return [*shown, status_row(frame, mirror, top, name, colour, note)]


def status_row(frame: ScreenFrame, mirror: Mirror, top: int, name: str, colour: bool, note: str) -> str:
    """Who this is, what is cut, and how to leave."""
    size = f"{frame.width}×{frame.height}"
    cut = []
    if frame.width > mirror.width:
        cut.append(f"columns {mirror.left + 1}–{min(mirror.left + mirror.width, frame.width)}")
    if frame.height > mirror.height:
        cut.append(f"rows {top + 1}–{min(top + mirror.height, frame.height)}")
    said = f"{size}, cut to {', '.join(cut)}" if cut else size
    left: list[Span] = [(text.line(name, 60), "name"), (f" · {said}", "meta")]
    keys = "arrows move · q leaves" if cut else "q leaves"
    if sum(text.cells(piece) for piece, _ in left) + text.cells(keys) + 2 > mirror.width:
        keys = "q leaves"
    return between(left, [(note or keys, "lamp" if note else "meta")], mirror.width, colour)
