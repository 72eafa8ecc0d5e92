"""A dialog as it stands on Claude Code's screen. Pure.

A dialog takes the composer's place: from a full-width rule (perhaps scrolled away above the screen) to the
bottom, where only a rule with the session's name may follow. It is read from below, so that nothing in the
conversation or in the dialog's own text can pass for its options:

* the keys it takes (``Enter to confirm · Esc to cancel``),
* its options: the last run of lines numbered 1, 2, 3 …, or a block of lines beside the mark ``❯``,
* above them its text.

What changes while it is being answered (ticks, the cursor, text typed into a line) is kept apart from the
``Dialog``, whose digest is its identity.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import msgspec

from controlroom.core.facts import Dialog, DialogKind, Option
from controlroom.core.screen import Frame
from controlroom.node.agents.claude.composer import is_rule, typed_words
from controlroom.node.agents.styled import styled_row

TYPE_SOMETHING = "Type something."
PLAN_FEEDBACK = "Tell Claude what to change"
SUBMIT = "submit"  # the pointer's place on the row that ends a multiple choice

_NUMBERED = re.compile(
    r"^(?P<lead> *(?:❯ *)?)(?P<number>\d{1,2})\. (?:\[(?P<tick>[ ✔xX])\] ?)?(?P<label>.*)$"
)
_POINTED = re.compile(r"^(?P<lead> *)❯ +(?P<label>\S.*)$")
_SUBMIT_ROW = re.compile(r"^(?P<pointer>❯)? +(?:Submit|Next)$")
_MORE = re.compile(r"^ *[↑↓] \d+ more lines?$")
_TABS = re.compile(r"^(?:← .* →| *[☐☒✔] .*)$")
_KEY = r"(?:Enter|Esc|Tab|Space|shift\+Tab|Tab/Arrow keys|↑/↓|←/→|[Cc]trl\+\w|ctrl\+x ctrl\+k twice|Type)"
_HINTS = re.compile(rf"^ *(?:.* · )?{_KEY} to \w")
_HINT = re.compile(rf"^({_KEY}) to (.+)$")
_HINT_KEYS = {"Enter": "Enter", "Esc": "Escape", "shift+Tab": "BTab", "Tab": "Tab", "Space": "Space"}
_MARK_ROW = re.compile(r"^ *[╌─]{3,}$")
_GRAY = "38;5;246"  # the colour of descriptions and numbers

# Words that only one dialog has, in its text (lower case).
_STARTUP = (
    "quick safety check",
    "accessing workspace:",
    "running in bypass permissions mode",
    "detected a custom api key",
    "new mcp server found",
    "new mcp servers found",
    "allow external claude.md file imports",
    "choose the text style",
    "select login method",
    "let's get started",
    "make auto mode",
    "resume from summary",
    "do you trust the files in this folder",
)
_PLAN = ("claude has written up a plan", "ready to code?")
_LASTING = re.compile(
    r"don.t ask again|always|bypass|auto mode|accept edits|auto-accept|for this session|all future|i trust"
    r"|i accept|\bexit\b|allow external|stop tasks|upgrade|never",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"^(?:no\b|cancel|stay|keep|close|back|continue without|stop and wait|esc\b)", re.IGNORECASE
)


class Panel(msgspec.Struct, frozen=True, kw_only=True):
    """A dialog and the state of answering it."""

    dialog: Dialog
    numbered: bool = False
    ticked: frozenset[str] = frozenset()
    pointer: str = ""  # the key of the option where the cursor stands, or SUBMIT
    typing: bool = False  # the cursor stands in a line of free text
    typed: str = ""  # what stands in that line
    amendable: bool = False  # Tab opens such a line on the option where the cursor stands
    by_hint: bool = False  # the options are the keys that the dialog names
    partial: bool = False  # part of its text is scrolled away


class _Line(msgspec.Struct):
    """One option as gathered from its rows."""

    key: str
    label: str
    column: int  # where the label begins
    row: int
    tick: str | None = None
    pointed: bool = False
    more: list[str] = msgspec.field(default_factory=list)  # descriptions
    edited: bool = False  # the text cursor stands in it


def read_panel(frame: Frame) -> Panel | None:
    """The dialog at the bottom of the screen; None when what stands there is none."""
    end = _last_row(frame)
    if end < 0:
        return None
    end, hints = _take_hints(frame.rows, end)
    rows = frame.rows[: end + 1]
    lines = _numbered_lines(frame, rows)
    if lines:
        return _build(frame, rows, lines, hints, numbered=True)
    lines = _pointed_lines(rows)
    if lines:
        return _build(frame, rows, lines, hints, numbered=False)
    return _by_hints(frame, rows, hints)


def _last_row(frame: Frame) -> int:
    """The last row with something in it, without the rule that carries the session's name."""
    at = len(frame.rows) - 1
    while at >= 0 and not frame.rows[at].strip():
        at -= 1
    if at >= 0 and is_rule(frame.rows[at], frame.width):
        at -= 1
        while at >= 0 and not frame.rows[at].strip():
            at -= 1
    return at


def _take_hints(rows: Sequence[str], end: int) -> tuple[int, str]:
    """Index of the last row above the lines that name keys, and those lines joined."""
    first = None
    for at in range(end, max(end - 4, -1), -1):
        if not rows[at].strip() or _NUMBERED.match(rows[at]) or _MORE.match(rows[at]):
            break
        if _HINTS.match(rows[at]):
            first = at
    if first is None:
        return end, ""
    joined = " ".join(row.strip() for row in rows[first : end + 1])
    at = first - 1
    while at >= 0 and (not rows[at].strip() or _MORE.match(rows[at])):
        at -= 1
    return at, joined


# --- options -----------------------------------------------------------------------------------------


def _numbered_lines(frame: Frame, rows: Sequence[str]) -> list[_Line]:
    """The last run of lines numbered from 1, each with the rows that belong to it."""
    run: list[tuple[int, re.Match[str]]] = []
    for at in range(len(rows) - 1, -1, -1):
        match = _NUMBERED.match(rows[at])
        if match is None:
            continue
        if run and not _precedes(match, run[0][1]):
            continue
        run.insert(0, (at, match))
        if match["number"] == "1":
            break
    if not run or run[0][1]["number"] != "1":
        return []
    lines = []
    for place, (at, match) in enumerate(run):
        stop = run[place + 1][0] if place + 1 < len(run) else len(rows)
        lines.append(_gather(frame, rows, at, stop, match))
    has_pointer = any(line.pointed for line in lines) or any(
        (found := _SUBMIT_ROW.match(row)) and found["pointer"] for row in rows[run[0][0] :]
    )
    return lines if has_pointer else []


def _precedes(match: re.Match[str], following: re.Match[str]) -> bool:
    return int(match["number"]) == int(following["number"]) - 1 and match.start("number") == following.start(
        "number"
    )


def _gather(frame: Frame, rows: Sequence[str], at: int, stop: int, match: re.Match[str]) -> _Line:
    """An option with its wrapped label and its description (which stands in gray)."""
    column = match.start("label")
    line = _Line(
        key=match["number"],
        label=match["label"].strip(),
        column=column,
        row=at,
        tick=match["tick"],
        pointed="❯" in match["lead"],
        edited=_has_cursor(frame, at, column),
    )
    if line.edited:
        line.label = typed_words(styled_row(frame.ansi[at]))[column:].strip()
    for row in range(at + 1, stop):
        text = rows[row].strip()
        if not text or is_rule(rows[row], frame.width) or _SUBMIT_ROW.match(rows[row]):
            break
        if not rows[row].startswith(" " * min(column, 5)):
            break
        line.edited = line.edited or _has_cursor(frame, row, column)
        if line.more or _is_gray(frame, row):
            line.more.append(text)
        else:
            line.label = f"{line.label} {text}"
    return line


def _pointed_lines(rows: Sequence[str]) -> list[_Line]:
    """The block of lines beside the lowest pointer, without numbers (start-up prompts)."""
    for at in range(len(rows) - 1, -1, -1):
        pointed = _POINTED.match(rows[at])
        if pointed is None or rows[at].startswith("❯"):
            continue
        column = pointed.start("label")
        first = last = at
        while first > 0 and _beside(rows[first - 1], column):
            first -= 1
        while last + 1 < len(rows) and _beside(rows[last + 1], column):
            last += 1
        if last != len(rows) - 1 or first == last:
            return []
        return [
            _Line(str(number), rows[row][column:].strip(), column, row, pointed=row == at)
            for number, row in enumerate(range(first, last + 1), start=1)
        ]
    return []


def _beside(row: str, column: int) -> bool:
    return row[:column].strip() == "" and row[column : column + 1].strip() != ""


def _has_cursor(frame: Frame, row: int, column: int) -> bool:
    """Does the text cursor (a reversed cell) stand in this row, behind the column?"""
    at = 0
    for piece in styled_row(frame.ansi[row]):
        at += len(piece.text)
        if piece.style.reverse and at > column:
            return True
    return False


def _is_gray(frame: Frame, row: int) -> bool:
    """Is the first word of this row written as a description?"""
    for piece in styled_row(frame.ansi[row]):
        if piece.text.strip():
            return piece.style.foreground == _GRAY or bool(piece.style.dim)
    return False


# --- the whole ---------------------------------------------------------------------------------------


def _top(frame: Frame, before: int) -> int:
    """The first row of the dialog: behind the nearest rule above."""
    for at in range(before - 1, -1, -1):
        if is_rule(frame.rows[at], frame.width):
            return at + 1
    return 0


def _text(rows: Sequence[str]) -> str:
    """The rows of a dialog's text without its frame: marks, bars, tabs and common indentation."""
    kept = []
    for row in rows:
        if _MORE.match(row) or _TABS.match(row):
            continue
        bare = "" if _MARK_ROW.match(row) else row.rstrip("↓↑ \xa0")
        mark = bare.lstrip()[:1]  # a bar beside a long text, the cursor of a list
        kept.append(bare.replace(mark, " ", 1) if mark in ("│", "❯") else bare)
    indent = min((len(row) - len(row.lstrip()) for row in kept if row.strip()), default=0)
    return "\n".join(row[indent:].rstrip() for row in kept).strip("\n")


def _build(frame: Frame, rows: Sequence[str], lines: list[_Line], hints: str, *, numbered: bool) -> Panel:
    top = _top(frame, lines[0].row)
    text = _text(rows[top : lines[0].row])
    multi = any(line.tick is not None for line in lines)
    kind = _kind(text, lines)
    if kind == "startup" and top > 0 and frame.rows[top - 1].startswith("▔"):
        kind = "other"  # laid over a session that runs: /login
    free = _free_line(frame, rows, lines, kind)
    typed = ""
    amending = False
    for line in lines:
        if line is free:
            typed = _typed(line)
            line.label, line.more = (TYPE_SOMETHING if kind == "picker" else PLAN_FEEDBACK), []
        elif kind == "permission" and line.edited:
            amending = True
            word, _, typed = line.label.partition(",")
            line.label, typed = word, typed.strip()
    described = [f"{line.label}: {' '.join(line.more)}" for line in lines if line.more]
    if described:
        text = f"{text}\n\n" + "\n".join(described) if text else "\n".join(described)
    submit = next((m for row in rows[lines[0].row :] if (m := _SUBMIT_ROW.match(row))), None)
    pointer = SUBMIT if submit and submit["pointer"] else next((x.key for x in lines if x.pointed), "")
    return Panel(
        dialog=Dialog(
            kind=kind,
            text=text,
            options=tuple(
                Option(line.key, line.label, _is_risky(kind, line.label), line.pointed) for line in lines
            ),
            multi=multi,
            free_text=free is not None or (kind == "permission" and _takes_words(lines)),
        ),
        numbered=numbered,
        ticked=frozenset(line.key for line in lines if line.tick is not None and line.tick.strip()),
        pointer=pointer,
        typing=amending or (free is not None and free.pointed),
        typed=typed,
        amendable="Tab to amend" in hints,
        partial=top == 0 or any(_MORE.match(row) for row in frame.rows[lines[-1].row :]) or _scrolls(rows),
    )


def _takes_words(lines: list[_Line]) -> bool:
    """Words can be added to Yes and No; whether the dialog says so depends on where the cursor stands."""
    return lines[0].label == "Yes" and lines[-1].label == "No"


def _typed(line: _Line) -> str:
    return "" if line.label.rstrip(".") in (TYPE_SOMETHING.rstrip("."), PLAN_FEEDBACK) else line.label


def _scrolls(rows: Sequence[str]) -> bool:
    return any(row.endswith(("  ↓", "  ↑")) for row in rows)


def _free_line(frame: Frame, rows: Sequence[str], lines: list[_Line], kind: DialogKind) -> _Line | None:
    """The line of a dialog that takes text; its words change while somebody types."""
    if kind == "picker":
        for line, following in pairwise(lines):
            between = rows[line.row + 1 : following.row]
            if any(is_rule(row, frame.width) for row in between):
                return line
    if kind == "plan":
        for line in lines:
            if line.label == PLAN_FEEDBACK or line.edited:
                return line
    return None


def _kind(text: str, lines: list[_Line]) -> DialogKind:
    words = text.lower()
    labels = [line.label.lower() for line in lines]
    if any(mark in words for mark in _STARTUP):
        return "startup"
    if any(mark in words for mark in _PLAN):
        return "plan"
    if "chat about this" in labels or (
        words.startswith("review your answers") and "submit answers" in labels
    ):
        return "picker"
    if words.startswith("what do you want to do?") and any("limit" in label for label in labels):
        return "limit"
    last = text.rsplit("\n\n", 1)[-1].replace("\n", " ").lower()
    asks = "do you want to " in last or "do you want to proceed" in words
    if asks and any(label == "no" or label.startswith("no,") for label in labels):
        return "permission"
    return "other"


def _is_risky(kind: DialogKind, label: str) -> bool:
    """Lasting or dangerous, or unknown. What an agent's own question offers is not a right."""
    if kind == "picker":
        return False
    if _LASTING.search(label):
        return True
    return kind in ("other", "startup") and not _HARMLESS.match(label)


def _by_hints(frame: Frame, rows: Sequence[str], hints: str) -> Panel | None:
    """A dialog without a list: the keys that it names are its options, and Esc closes it."""
    top = _top(frame, len(rows))
    if top == 0 or not (hints or frame.alternate):
        return None
    text = _text(rows[top:])
    if not text:
        return None
    options = []
    for part in hints.split(" · "):
        named = _HINT.match(part.strip())
        if named is not None and named[1] in _HINT_KEYS:
            key = _HINT_KEYS[named[1]]
            options.append(Option(key, part.strip(), _is_risky("other", part.strip())))
    if not any(option.key == "Escape" for option in options):
        options.append(Option("Escape", "Esc to close"))
    words = text.lower()
    kind: DialogKind = "startup" if any(mark in words for mark in _STARTUP) else "other"
    return Panel(
        dialog=Dialog(kind=kind, text=text, options=tuple(options)),
        by_hint=True,
        partial=_scrolls(rows),
    )
