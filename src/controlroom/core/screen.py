"""What one terminal screen shows, whoever captured it: from captured bytes, and to a terminal again."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from controlroom.core.cells import grid_width, placed
from controlroom.core.sgr import PLAIN, Style, after, sgr


class Cursor(msgspec.Struct, frozen=True):
    """Zero-based position in the frame."""

    row: int
    column: int
    visible: bool = True


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """One self-contained screen of a pane.

    ``rows`` is plain text without escape codes, trailing blanks removed; ``ansi`` is the same with
    SGR codes, each row complete in itself (spikes.md section 2: colours carry over from row to row in
    what tmux prints, so each row here begins with the style it inherits). Both have ``height`` entries.
    ``revision`` is an opaque digest: equal means that nothing a person could see differs (the title, which
    is not part of the drawn screen, does not count).
    """

    revision: str
    width: int
    height: int
    cursor: Cursor
    rows: tuple[str, ...]
    ansi: tuple[str, ...]
    alternate: bool
    title: str = ""


# One escape sequence, or one character that must not reach a terminal. Order matters: whole sequences first.
_TOKEN = re.compile(
    "\x1b\\[(?P<sgr>[0-9;:]*)m"
    "|(?P<charset>[\x0e\x0f])"
    "|(?P<tab>\t)"
    "|\x1b\\[[0-?]*[ -/]*[@-~]"  # any other CSI
    "|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?"  # OSC, DCS, SOS, PM, APC up to their end
    "|\x1b[ -/]*[0-~]?"  # two-character escapes, charset designations, a lone ESC
    "|[\x00-\x1f\x7f-\x9f\u2028\u2029]"
)

# DEC special graphics, as ncurses programs draw with between SO and SI.
_LINE_DRAWING = str.maketrans(
    "+,-.0`afghijklmnopqrstuvwxyz{|}~",
    "→←↑↓█◆▒°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·",
)
_TAB_STOP = 8


def frame_from_capture(
    raw: bytes, *, width: int, height: int, cursor: Cursor, alternate: bool, title: str = ""
) -> Frame:
    """The frame that ``capture-pane -e -p -N`` printed, rows separated by newlines.

    Styles and line drawing carry over from row to row in ``raw``; nothing does in the frame. Only text and
    SGR codes come through. Missing rows are empty, surplus rows are dropped.
    """
    rows, ansi = self_contained_rows(b"\n".join(raw.split(b"\n")[:height]))
    missing = height - len(rows)
    rows += [""] * missing
    ansi += [""] * missing
    cursor = Cursor(
        row=min(max(cursor.row, 0), max(height - 1, 0)),
        column=min(max(cursor.column, 0), max(width - 1, 0)),
        visible=cursor.visible,
    )
    return Frame(
        revision=_revision(ansi, width, height, cursor, alternate),
        width=width,
        height=height,
        cursor=cursor,
        rows=tuple(rows),
        ansi=tuple(ansi),
        alternate=alternate,
        title=title,
    )


def self_contained_rows(raw: bytes) -> tuple[list[str], list[str]]:
    """(plain, ansi) of captured rows, as in ``Frame``, however many they are."""
    rows: list[str] = []
    ansi: list[str] = []
    style, drawing = PLAIN, False
    for line in raw.decode("utf-8", "replace").split("\n"):
        plain, styled, style, drawing = _row(line, style, drawing)
        rows.append(plain)
        ansi.append(styled)
    return rows, ansi


@lru_cache(maxsize=1024)  # most rows of a screen are the same at the next look
def _row(line: str, style: Style, drawing: bool) -> tuple[str, str, Style, bool]:
    """(plain, self-contained ansi, style behind it, line drawing behind it) of one captured row."""
    plain: list[str] = []
    styled: list[str] = []
    written = PLAIN  # a row starts plain, so that it may stand alone
    at = 0
    for match in _TOKEN.finditer(line):
        if match.start() > at:
            written = _put(line[at : match.start()], style, written, drawing, plain, styled)
        at = match.end()
        if match["sgr"] is not None:
            style = after(style, match["sgr"])
        elif match["charset"]:
            drawing = match["charset"] == "\x0e"
        elif match["tab"]:  # newer tmux may keep tabs as such
            blanks = _TAB_STOP - grid_width("".join(plain)) % _TAB_STOP
            written = _put(" " * blanks, style, written, False, plain, styled)
    if at < len(line):
        written = _put(line[at:], style, written, drawing, plain, styled)
    if written != PLAIN:
        styled.append("\x1b[0m")
    return "".join(plain).rstrip(" "), "".join(styled), style, drawing


def _put(
    text: str, style: Style, written: Style, drawing: bool, plain: list[str], styled: list[str]
) -> Style:
    if drawing:
        text = text.translate(_LINE_DRAWING)
    if style != written:
        styled.append(sgr(style))
    plain.append(text)
    styled.append(text)
    return style


def _revision(ansi: list[str], width: int, height: int, cursor: Cursor, alternate: bool) -> str:
    digest = hashlib.blake2b("\n".join(ansi).encode(), digest_size=8)
    digest.update(f"\n{width} {height} {cursor.row} {cursor.column} {cursor.visible} {alternate}".encode())
    return digest.hexdigest()


def render(frame: Frame) -> str:
    """The frame as one write to a terminal of its size."""
    return drawn(frame.ansi, frame.cursor)


def drawn(ansi: Sequence[str], cursor: Cursor) -> str:
    """Self-contained rows as one write to a terminal of their size (spikes.md section 2).

    Each row is erased *before* it is written (ESC[K behind a full row deletes its last cell). Wrapping is
    off meanwhile: where a terminal thinks a character wider than the multiplexer did, the last row would
    scroll the screen. Characters stand in the multiplexer's columns (``core.cells``).
    """
    parts = ["\x1b[?2026h\x1b[?7l"]
    parts += [f"\x1b[{y};1H\x1b[0m\x1b[2K{placed(row)}" for y, row in enumerate(ansi, start=1)]
    visibility = "h" if cursor.visible else "l"
    parts.append(f"\x1b[0m\x1b[{cursor.row + 1};{cursor.column + 1}H\x1b[?25{visibility}")
    parts.append("\x1b[?7h\x1b[?2026l")
    return "".join(parts)
