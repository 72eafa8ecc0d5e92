"""A row of a screen as pieces of text with their style: programs tell hints from words by colour."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from controlroom.core.sgr import PLAIN, Style, after

_SGR = re.compile("\x1b\\[([0-9;:]*)m")


class Piece(msgspec.Struct, frozen=True):
    """Neighbouring cells with the same style."""

    text: str
    style: Style


@lru_cache(maxsize=512)  # most rows of a screen are the same at the next look
def styled_row(ansi: str) -> tuple[Piece, ...]:
    """The pieces of one row of ``Frame.ansi`` (each row there is complete in itself)."""
    pieces: list[Piece] = []
    style, at = PLAIN, 0
    for match in _SGR.finditer(ansi):
        if match.start() > at:
            pieces.append(Piece(ansi[at : match.start()], style))
        style, at = after(style, match[1]), match.end()
    if at < len(ansi):
        pieces.append(Piece(ansi[at:], style))
    return tuple(pieces)
