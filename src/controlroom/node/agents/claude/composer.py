"""The input line of Claude Code's screen, and the rules (long lines) between which it stands. Pure.

It stands between two full-width rules near the bottom; below it is only the footer. The upper rule may carry
the session's name, or ``↑ 24 more`` when a tall draft is scrolled. The prompt mark is ``❯`` (``!`` in shell
mode) and a no-break space, which nothing else on the screen has (seen); where blanks were stripped the mark
stands alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import msgspec

from controlroom.core.facts import Composer
from controlroom.core.screen import Frame
from controlroom.node.agents.styled import Piece, styled_row

PASTE_MARK = re.compile(r"\[(?:Pasted text|\.\.\.Truncated text) #\d+(?: \+(\d+) lines)?(?:\.\.\.)?\]")
_SCROLLED = re.compile(r"─ [↑↓] \d+ more ─")
_LABEL_SLACK = 4  # a name in a rule may hold wide characters that terminals count differently


class Place(msgspec.Struct, frozen=True):
    """Where the composer stands: the rows of its two rules."""

    top: int
    bottom: int


def is_rule(row: str, width: int) -> bool:
    """A line over the whole width, perhaps with a label in it. Conversation text is indented, so it cannot
    make one."""
    if row[:3] not in ("───", "▔▔▔") or row[-1] not in "─▔":
        return False
    return abs(cell_width(row) - width) <= _LABEL_SLACK


def cell_width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def find_composer(frame: Frame) -> Place | None:
    """The lowest two rules, when prompt rows and nothing else stand between them."""
    rules = [at for at, row in enumerate(frame.rows) if row.startswith("─") and is_rule(row, frame.width)]
    if len(rules) < 2:
        return None
    top, bottom = rules[-2], rules[-1]
    rows = frame.rows[top + 1 : bottom]
    if not rows or any(row.strip() and not row.startswith("  ") for row in rows[1:]):
        return None
    first_is_prompt = rows[0][:1] in ("❯", "!") and rows[0][1:2] in ("", "\xa0")
    if not first_is_prompt and not (_SCROLLED.search(frame.rows[top]) and rows[0].startswith("  ")):
        return None
    return Place(top, bottom)


def read_composer(frame: Frame, place: Place) -> Composer:
    """The draft. Suggestions in dim style are none; a draft in shell mode begins with ``!``, even an empty
    one, because what is typed there runs as a command."""
    lines = [typed_words(styled_row(row)) for row in frame.ansi[place.top + 1 : place.bottom]]
    shell = frame.rows[place.top + 1].startswith("!")
    lines = [line[2:] for line in lines]
    text = "\n".join(line.rstrip() for line in lines).rstrip()
    if shell:
        text = f"!{text}"
    scrolled = any(_SCROLLED.search(frame.rows[at]) for at in (place.top, place.bottom))
    return Composer(text, collapsed=scrolled or PASTE_MARK.search(text) is not None)


def typed_words(pieces: Sequence[Piece]) -> str:
    """A row of an input without suggestions: dim text, and the cursor cell that stands on its beginning."""
    words = []
    for at, piece in enumerate(pieces):
        follower = pieces[at + 1].style.dim if at + 1 < len(pieces) else ""
        if piece.style.dim or (piece.style.reverse and follower and len(piece.text) == 1):
            continue
        words.append(piece.text)
    return "".join(words)
