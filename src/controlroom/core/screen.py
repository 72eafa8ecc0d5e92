"""What one terminal screen shows, whoever captured it."""

from __future__ import annotations

import msgspec


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
    ``revision`` is an opaque digest: equal means that nothing a person could see differs.
    """

    revision: str
    width: int
    height: int
    cursor: Cursor
    rows: tuple[str, ...]
    ansi: tuple[str, ...]
    alternate: bool
    title: str = ""
