"""The terminal's palette: roles, not colours (design language: amber means *waits for you* and nothing else).

Lines are lists of spans, so that widths are measured on plain text and colour comes last.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from controlroom.cli import text

Role = Literal["plain", "name", "head", "meta", "lamp", "fault", "good", "work", "rest", "mine"]
Span = tuple[str, Role]

_SGR: dict[Role, str] = {
    "plain": "",
    "name": "1",
    "head": "1",
    "meta": "2",
    "lamp": "1;33",
    "fault": "1;31",
    "good": "32",
    "work": "36",
    "rest": "2",
    "mine": "36",
}
RESET = "\x1b[0m"


def paint(piece: str, role: Role, colour: bool) -> str:
    """One piece of plain text in its role."""
    code = _SGR[role]
    return f"\x1b[{code}m{piece}{RESET}" if colour and code and piece else piece


def cut(spans: Iterable[Span], width: int) -> list[Span]:
    """The spans within ``width`` cells; the one that crosses the edge ends in an ellipsis."""
    kept: list[Span] = []
    room = width
    for piece, role in spans:
        size = text.cells(piece)
        if size > room:
            kept.append((text.clip(piece, room), role))
            break
        kept.append((piece, role))
        room -= size
    return kept


def compose(spans: Iterable[Span], width: int, colour: bool) -> str:
    """Spans side by side, cut to ``width`` cells, without blanks at the end."""
    kept = cut(spans, width)
    while kept and not kept[-1][0].rstrip(" "):
        kept.pop()
    if kept:
        kept[-1] = (kept[-1][0].rstrip(" "), kept[-1][1])
    return "".join(paint(piece, role, colour) for piece, role in kept)


def between(left: Iterable[Span], right: Iterable[Span], width: int, colour: bool) -> str:
    """Left and right part of one row; the left gives way."""
    end = cut(right, width)
    taken = sum(text.cells(piece) for piece, _ in end)
    start = cut(left, max(width - taken - 2, 0))
    gap = width - taken - sum(text.cells(piece) for piece, _ in start)
    return compose([*start, (" " * gap, "plain"), *end], width, colour)
