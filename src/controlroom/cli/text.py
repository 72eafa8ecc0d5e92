"""Outside text made safe for a terminal, and its width in cells.

Names, titles, screens and replies were written by programs and models: an escape code in them must never
reach the person's terminal, and a newline must never make a second row. Widths follow the grapheme, not the
code point (field lesson 42); the table is the one of ``rich.cells``.
"""

from __future__ import annotations

import re

from rich.cells import cell_len, split_graphemes

from controlroom.core.text import clean_block

# CSI and OSC/DCS/APC/PM/SOS sequences in full, then any other escape with its one byte.
_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
# Invisible fillers that core.text leaves, line separators of Unicode, and tag characters.
_HIDDEN = re.compile("[\u00ad\u180e\u200b\u2028\u2029\u2060-\u2064\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]")
_FRAME = re.compile(r"[\u2500-\u257f\u2594]+")
_BLANKS = re.compile(r"[ \t\n\u00a0\u3000]+")
TAB = "    "


def block(text: str, limit: int = 200_000) -> str:
    """Several lines of outside text, safe to print: of control characters only newlines stay."""
    whole = _SEQUENCE.sub("", text[: limit * 8])
    return _HIDDEN.sub("", clean_block(whole, limit)).replace("\t", TAB)


def line(text: str, limit: int = 2_000) -> str:
    """Outside text as one line, runs of blanks made one."""
    return _BLANKS.sub(" ", block(text, limit)).strip()


def summary(text: str, limit: int = 2_000) -> str:
    """A dialog or reply as one line: frames and rules are left out too."""
    return line(_FRAME.sub(" ", block(text, limit)), limit)


def cells(text: str) -> int:
    """How many terminal cells the text takes."""
    return cell_len(text)


def clip(text: str, width: int) -> str:
    """At most ``width`` cells; what is cut ends in an ellipsis, and no character is cut in half."""
    if cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    return _head(text, width - 1).rstrip() + "…"


def clip_left(text: str, width: int) -> str:
    """As ``clip``, but the end is kept: for paths."""
    if cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    spans, _ = split_graphemes(text)
    start = len(text)
    room = width - 1
    for begin, _end, size in reversed(spans):
        if size > room:
            break
        room -= size
        start = begin
    return "…" + text[start:]


def pad(text: str, width: int) -> str:
    """Clipped and filled with blanks to exactly ``width`` cells."""
    text = clip(text, width)
    return text + " " * (width - cell_len(text))


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` cells, broken between words where possible; line breaks stay.

    Leading blanks of a line are kept for its continuation, so that code and lists stay readable.
    """
    lines: list[str] = []
    for raw in text.split("\n"):
        lines += _wrap_one(raw.rstrip(), max(width, 2))
    return lines


def _wrap_one(text: str, width: int) -> list[str]:
    if cell_len(text) <= width:
        return [text]
    body = text.lstrip(" ")
    indent = " " * min(len(text) - len(body), width // 2)
    lines: list[str] = []
    current = ""
    for word in re.findall(r" *[^ ]+", body):
        if cell_len(indent + current + word) <= width:
            current += word
            continue
        if current:
            lines.append(indent + current.rstrip())
        current = word.lstrip(" ")
        while cell_len(indent + current) > width:
            head = _head(current, width - len(indent)) or current[:1]
            lines.append(indent + head)
            current = current[len(head) :]
    if current:
        lines.append(indent + current)
    return lines


def _head(text: str, width: int) -> str:
    spans, _ = split_graphemes(text)
    end = used = 0
    for _begin, stop, size in spans:
        if used + size > width:
            break
        used += size
        end = stop
    return text[:end]
