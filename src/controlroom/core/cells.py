"""Cells of a terminal's grid: where the multiplexer put a character, whatever another terminal thinks.

Terminals disagree on the width of emoji (a heart with its emoji selector is one cell for tmux 3.3a and two
for many others; a family of three is two cells or six). The multiplexer's grid decides (field-lessons.md
section 8): behind each such character the column is named, so that the rest of the row stays in its place.
Measured with tmux 3.3a: selectors and joiners have no width, what follows a joiner belongs to the cell
before, and skin tones are cells of their own.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_JOINER = "\u200d"
_SGR = re.compile("(\x1b\\[[0-9;:]*m)")
# Characters whose width depends on the terminal, and the marks that change a width. Of the symbols these are
# the wide ones: lines of boxes, which stand in nearly every screen, are not among them.
_WIDE_SYMBOLS = "".join(
    symbol for symbol in map(chr, range(0x2300, 0x2C00)) if unicodedata.east_asian_width(symbol) in "WF"
)
_DOUBTFUL = re.compile(f"[\u200d\u20e3\ufe0e\ufe0f{_WIDE_SYMBOLS}\U0001f000-\U0001faff]")
_ZERO_WIDTH = {"Mn", "Me", "Cf", "Cc", "Cs"}


@lru_cache(maxsize=4096)
def _width(character: str) -> int:
    if unicodedata.category(character) in _ZERO_WIDTH or "\u1160" <= character <= "\u11ff":
        return 0
    # Emoji newer than this Python's tables are wide like their block.
    if unicodedata.east_asian_width(character) in "WF" or "\U0001f900" <= character <= "\U0001faff":
        return 2
    return 1


def grid_width(text: str) -> int:
    """How many cells this text without escape codes takes in the multiplexer's grid."""
    if text.isascii():
        return len(text)
    cells, joined = 0, False
    for character in text:
        cells += 0 if joined else _width(character)
        joined = character == _JOINER
    return cells


@lru_cache(maxsize=1024)  # most rows of a screen are the same at the next look
def placed(row: str) -> str:
    """A row (text with SGR codes, drawn from the first column) that stays in the multiplexer's grid."""
    if not _DOUBTFUL.search(row):
        return row
    parts: list[str] = []
    column, doubtful, joined = 0, False, False
    for part in _SGR.split(row):
        if part.startswith("\x1b"):
            parts.append(part)
            continue
        for character in part:
            width = 0 if joined else _width(character)
            if doubtful and width:
                parts.append(f"\x1b[{column + 1}G")
                doubtful = False
            doubtful = doubtful or _DOUBTFUL.match(character) is not None
            parts.append(character)
            column += width
            joined = character == _JOINER
    return "".join(parts)
