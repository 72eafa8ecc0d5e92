"""What a Codex screen shows: ready, working, a start-up prompt or a dialog (facts: codex.md section 5).

Seen with 0.171.0 and 0.60.1 from 30 to 120 columns. Pure. What decides is always at the bottom of the screen,
below everything that a person or a model wrote:

* A dialog hides the composer, and its footer (or its option list) is the last thing on the screen.
* The composer's prompt mark is bold; the same mark of earlier messages in the conversation is bold and dim,
  that of a chosen option is reversed. Below it stand the model line and a row of hints.
* Ready needs one of the known hint rows: the placeholder alone is drawn before the start-up prompts, and in
  modes where keys steer (browsing the transcript) the composer stays visible.
* The answer hides "esc to interrupt" while it streams: the spinner in the title stays for the whole turn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

from controlroom.core.facts import Composer, ScreenLook, ScreenReading
from controlroom.core.screen import Frame
from controlroom.core.text import clean_line
from controlroom.node.agents.codex.dialogs import FoundDialog, read_dialog
from controlroom.node.agents.styled import Piece, styled_row

_WORKING = re.compile(r"^\s{0,2}[•◦] \S.* ?\((?:\d+h )?(?:\d+m )?\d+s • esc to interrupt\)")
_PASTED = re.compile(r"\[(?:Pasted Content \d+ chars|Image #\d+|[^\]\n]* #\d+)\]")
_LIMIT = re.compile(r"^■ You.ve hit your usage limit")
_QUEUE = re.compile(r"^• (?:Queued follow-up inputs|Messages to be submitted after next tool call)")
_BELOW_WORKING = re.compile(r"^ {2}(?:[↳└] | {2}\S)")
_QUEUE_HINT = re.compile(r"^\s+(?:shift\+←|alt \+ ↑) edit")

# Hint rows under which text reaches the composer. The part at the right edge ("⚠ 1 warning …") is cut off.
_READY_HINTS = (  # "? for shortcuts" alone is drawn before the start-up prompts
    "← for agents",
    "esc again to edit previous message",
)
_MODEL_LINE = re.compile(r"^ {2}\S.* · \S")
_OLD_HINT = re.compile(r"^ {2}\d+% context left")
_RIGHT_PART = re.compile(r" {3,}\S.*$")
_MAX_FOOTER = 4  # a model line cut into two, and the hints
_OTHER_MODES = re.compile(
    r"^ {2}(?:Browsing transcript|\? help {2}esc back {2}↑/↓ move)|^ {0,2}↑/↓ to scroll|^ q to quit"
)


class TitleReading(msgspec.Struct, frozen=True):
    """A pane title set by Codex 0.171. ``sign`` "" = idle (or not set by Codex: older versions set none)."""

    sign: Literal["", "busy", "waiting"]
    thread: str  # the thread's name, "" while it has none
    project: str


def read_title(title: str) -> TitleReading:
    """Busy, waiting, or neither, with the names of thread and project.

    ``⠋ name | project`` while a turn runs; ``[ ! ] Action Required | name | project`` while it waits for an
    approval or an answer (blinking with ``[ . ]``). Start-up prompts and the rate-limit dialog do not show.
    """
    sign: Literal["", "busy", "waiting"] = ""
    rest = title.strip()
    if rest and "\u2800" <= rest[0] <= "\u28ff":
        sign, rest = "busy", rest[1:].strip()
    elif (found := re.match(r"\[ ?[!.] ?\] Action Required(?: \| |$)", rest)) is not None:
        sign, rest = "waiting", rest[found.end() :]
    thread, _, project = rest.rpartition(" | ")
    return TitleReading(sign, thread.strip(), project.strip())


def read_screen(frame: Frame) -> ScreenReading:
    """What one frame shows. ``frame.title`` counts too: it is the only sign of a turn while text streams."""
    rows = _without_blank_end(frame.rows)
    if not rows:
        return ScreenReading(look="other", detail="an empty screen")
    found = read_dialog(rows)
    if found is not None:
        look: ScreenLook = "startup" if found.dialog.kind == "startup" else "dialog"
        return ScreenReading(look=look, dialog=found.dialog, detail=_shown(found.heading))
    if _OTHER_MODES.match(rows[-1]):
        return ScreenReading(look="other", detail=_shown(rows[-1]))
    place = _find_composer(frame, rows)
    if place is None:
        return ScreenReading(look="other", detail=_shown(rows[-1]))
    composer = _read_composer(frame, rows, place)
    if not _is_ready(frame, rows, place, composer):
        return ScreenReading(look="other", detail="the composer without its hints")
    working = _working_row(rows, place.row)
    if working is not None:
        return ScreenReading(look="working", composer=composer, detail=_shown(working))
    if read_title(frame.title).sign == "busy":
        return ScreenReading(look="working", composer=composer, detail=_shown(frame.title))
    return ScreenReading(look="ready", composer=composer, detail=_shown(rows[place.row]))


def find_dialog(frame: Frame) -> FoundDialog | None:
    """The dialog of a frame with what a ``Dialog`` does not say."""
    rows = _without_blank_end(frame.rows)
    return read_dialog(rows) if rows else None


def limit_notice(frame: Frame) -> str | None:
    """The usage limit message when it is the last thing the agent said, with its rows joined.

    Codex does not wait for the limit: the turn has ended and the composer is free. Files of 0.60 do not
    mention it at all.
    """
    rows = _without_blank_end(frame.rows)
    place = _find_composer(frame, rows)
    if place is None:
        return None
    above = place.row - 1
    while above >= 0 and (not rows[above].strip() or rows[above].lstrip().startswith("⚠")):
        above -= 1
    start = above
    while start > 0 and rows[start].strip() and not rows[start].startswith("■"):
        start -= 1
    if start < 0 or not _LIMIT.match(rows[start]):
        return None
    return " ".join(row.strip() for row in rows[start : above + 1]).removeprefix("■ ")


def generation(frame: Frame) -> Literal["", "old", "new"]:
    """Which kind of interface draws this composer ("" = cannot be told): 0.171's, or that of 0.60."""
    place = _find_composer(frame, _without_blank_end(frame.rows))
    if place is None or not place.footer:
        return ""
    if _OLD_HINT.match(place.footer[-1]):
        return "old"
    return "new" if _hint(place.footer[-1]).startswith(_READY_HINTS[0]) else ""


def queued_texts(frame: Frame) -> tuple[str, ...]:
    """What waits in Codex's own queue: follow-ups (Tab) and text that goes in after the next tool call."""
    rows = _without_blank_end(frame.rows)
    place = _find_composer(frame, rows)
    if place is None:
        return ()
    start = next((at for at in range(place.row - 1, -1, -1) if _QUEUE.match(rows[at])), None)
    if start is None:  # 0.60 shows the waiting text without a heading
        start = next((at for at in range(place.row) if rows[at].startswith("  ↳ ")), place.row) - 1
    texts: list[str] = []
    for row in rows[start + 1 : place.row]:
        if row.startswith("  ↳ "):
            texts.append(row[4:])
        elif (
            texts
            and row.startswith("    ")
            and not _QUEUE_HINT.match(row)
            and not row.lstrip().startswith("⚠")
        ):
            texts[-1] += "\n" + row[4:]
        elif row.strip() and not _QUEUE.match(row) and not _QUEUE_HINT.match(row):
            break
    return tuple(texts)


# --- the composer -----------------------------------------------------------------------------------------


class _Place(msgspec.Struct, frozen=True):
    """Rows of the composer: from ``row`` (with the prompt mark) up to ``end``; then the footer's rows."""

    row: int
    end: int
    footer: tuple[str, ...]


def _find_composer(frame: Frame, rows: Sequence[str]) -> _Place | None:
    for row in range(len(rows) - 1, -1, -1):
        if rows[row][:1] in ("›", "!") and _is_prompt_mark(styled_row(frame.ansi[row])):
            footer_at = _footer_start(rows, row)
            end = footer_at
            while end > row + 1 and not rows[end - 1].strip():
                end -= 1
            return _Place(row, end, tuple(rows[footer_at:]))
    return None


def _is_prompt_mark(row: Sequence[Piece]) -> bool:
    if not row or row[0].text[:2].strip() not in "›!":
        return False
    style = row[0].style
    return bool(style.bold) and not style.dim and not style.reverse


def _footer_start(rows: Sequence[str], composer: int) -> int:
    """Where the rows below the composer begin. A tall draft hides them: then behind the last row."""
    start = len(rows)
    while start - 1 > composer and rows[start - 1].strip() and len(rows) - start < _MAX_FOOTER:
        start -= 1
    if start - 1 > composer and not rows[start - 1].strip() and _is_footer(rows[start:]):
        return start
    return len(rows)


def _is_footer(rows: Sequence[str]) -> bool:
    return any(_MODEL_LINE.match(row) or _hint(row) or _OLD_HINT.match(row) for row in rows)


def _hint(row: str) -> str:
    """The hint of a footer row without what stands at its right edge."""
    return _RIGHT_PART.sub("", row).strip() if row.startswith("  ") else ""


def _is_known(hint: str) -> bool:
    """Narrow panes cut the hints."""
    whole = any(hint.startswith(known) for known in _READY_HINTS)
    return whole or (len(hint) >= 12 and any(known.startswith(hint) for known in _READY_HINTS))


def _is_ready(frame: Frame, rows: Sequence[str], place: _Place, composer: Composer) -> bool:
    if not place.footer:
        return _holds_cursor(frame, place, len(rows))
    last = place.footer[-1]
    hint = _hint(last)
    if _OLD_HINT.match(last) or _is_known(hint):
        return True
    if not composer.text.strip():
        return False
    # With a draft the hints give way; what is left at the right edge is no hint, and a popup takes the row.
    return not hint or _MODEL_LINE.match(last) is not None or _MODEL_LINE.match(place.footer[0]) is not None


def _holds_cursor(frame: Frame, place: _Place, end: int) -> bool:
    """A tall draft pushes the footer off the screen: then the visible cursor must stand in the composer."""
    return frame.cursor.visible and place.row <= frame.cursor.row < end


def _read_composer(frame: Frame, rows: Sequence[str], place: _Place) -> Composer:
    lines: list[str] = []
    clipped = not place.footer
    for at in range(place.row, place.end):
        parts = styled_row(frame.ansi[at])
        clipped = clipped or any(
            part.style.dim and part.text.strip() in ("↑", "↓", "│", "┃") for part in parts
        )
        # Dim text is a placeholder or a suggestion, never what was typed.
        text = "".join(part.text for part in parts if not part.style.dim).rstrip()
        lines.append(text[2:] if text[:2].strip() in ("", "›") else text)
    text = "\n".join(lines).rstrip()
    if rows[place.row].startswith("!"):
        text = "!" + text.removeprefix("!").removeprefix(" ")
    return Composer(text=text, collapsed=clipped or _PASTED.search(text) is not None)


def _working_row(rows: Sequence[str], composer: int) -> str | None:
    """The row "• Working (3s • esc to interrupt)". Only its details, the queue and notices may stand between
    it and the composer, so that the same words in an answer do not count."""
    for row in reversed(rows[:composer]):
        if _WORKING.match(row):
            return row
        bare = row.strip()
        if bare and not _QUEUE.match(row) and not bare.startswith("⚠") and not _BELOW_WORKING.match(row):
            return None
    return None


def _without_blank_end(rows: Sequence[str]) -> list[str]:
    end = len(rows)
    while end and not rows[end - 1].strip():
        end -= 1
    return list(rows[:end])


def _shown(text: str) -> str:
    return clean_line(text)
