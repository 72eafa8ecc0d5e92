"""A row of a screen as pieces of text with the few attributes that tell Codex's marks apart."""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

from controlroom.core.sgr import PLAIN, after

_SGR = re.compile("\x1b\\[([0-9;:]*)m")


class Piece(msgspec.Struct, frozen=True):
    """Neighbouring cells with the same attributes."""

    text: str
    bold: bool = False
    dim: bool = False
    reverse: bool = False


Styled = tuple[Piece, ...]


@lru_cache(maxsize=512)  # most rows of a screen are the same at the next look
def styled_row(ansi: str) -> Styled:
    """The pieces of one row of ``Frame.ansi`` (each row there is complete in itself)."""
    pieces: list[Piece] = []
    style, at = PLAIN, 0
    for match in _SGR.finditer(ansi):
        _add(pieces, ansi[at : match.start()], bool(style.bold), bool(style.dim), bool(style.reverse))
        style, at = after(style, match[1]), match.end()
    _add(pieces, ansi[at:], bool(style.bold), bool(style.dim), bool(style.reverse))
    return tuple(pieces)


def _add(pieces: list[Piece], text: str, bold: bool, dim: bool, reverse: bool) -> None:
    if not text:
        return
    last = pieces[-1] if pieces else None
    if last is not None and (last.bold, last.dim, last.reverse) == (bold, dim, reverse):
        pieces[-1] = Piece(last.text + text, bold, dim, reverse)
    else:
        pieces.append(Piece(text, bold, dim, reverse))
