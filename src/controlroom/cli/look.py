"""Rows of a terminal picture: spans in their roles, measured as plain text, coloured at the end."""

from __future__ import annotations

from collections.abc import Iterable

from controlroom.cli import text
from controlroom.cli.palette import Role, paint

Span = tuple[str, Role]


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
