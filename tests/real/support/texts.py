"""Texts that have broken programs of this kind: many lines, many bytes, wide characters at the edges."""

from __future__ import annotations

EDGE = "é — 漢 🙂"


def text_of(size: int) -> str:
    """Exactly ``size`` bytes in many lines, with characters of two, three and four bytes at both ends and at
    every place where a program might cut."""
    rows = []
    length = 0
    room = size - 2 * len(EDGE.encode()) - 2
    number = 0
    while length < room - 80:
        number += 1
        row = f"{number:05d} {EDGE} the quick brown fox; tab-free 'quotes' \"$HOME\" `x` \\n %s"
        rows.append(row)
        length += len(row.encode()) + 1
    text = "\n".join([EDGE, *rows])
    missing = size - len(text.encode()) - 1 - len(EDGE.encode())
    text += "\n" + "x" * missing + EDGE
    assert len(text.encode()) == size
    return text
