"""Codex's dialogs as they stand on a screen: their kind, whole text and options (codex.md section 5).

A dialog replaces the composer, so its footer (or, for one of them, its option list) is the last thing on the
screen; the same words higher up are conversation. Options are numbered from 1; long labels and descriptions
wrap. The headings of known dialogs tell their kind; an unknown one is ``other``, all its options are risky.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from controlroom.core.facts import Dialog, DialogKind, Option

# What the last rows of a dialog say. The footer may be cut into two rows at narrow widths.
_FOOTERS = re.compile(
    r"[Pp]ress enter to confirm(?: or esc to (?:cancel|go back))?"
    r"|enter to submit (?:answer|all)"
    r"|enter(?:/esc)? (?:select|continue|confirm)\b.*(?:esc|\^c) \w+"
    r"|Press enter to continue(?: Press esc to go back)?"
    r"|enter/tab apply"
)
_LOCKED = re.compile(r"r retry +f fork\b.*\bexit\b")
_PICKER = re.compile(r"^ ?enter resume\b.*\^c quit")
_OLD_TRUST = re.compile(r"^> You are running Codex in ")  # 0.60; its options may be below the screen
_MORE = re.compile(r"^\s*[↓↑]\s*$")  # a list that scrolls
_OPTION = re.compile(r"^(?P<lead>\s{0,4}(?P<mark>[›>])?\s*)(?P<number>\d{1,2})\. (?P<rest>\S.*)$")
_CUT = re.compile(r"^\s*\[… \d+ lines?\]")  # "[… 53 lines] ^a view all"
_NOTES = re.compile(r"to clear notes")
_QUESTION = re.compile(r"^ {2}Question (?P<at>\d+)/(?P<of>\d+)(?: \(\d+ unanswered\))?")

_KINDS: tuple[tuple[re.Pattern[str], DialogKind], ...] = (
    (
        re.compile(r"Would you like to (?:run|make|grant|allow)|Do you want to (?:approve|allow)"),
        "permission",
    ),
    (re.compile(r"Allow (?:.+) to (?:run|use|call|access)"), "permission"),
    (_QUESTION, "picker"),
    (re.compile(r"Implement this plan\?"), "plan"),
    (re.compile(r"Approaching rate limits"), "limit"),
    (re.compile(r"Update available"), "startup"),
    (re.compile(r"Folder access|Trust this folder\?|Do you trust the contents"), "startup"),
    (re.compile(r"Hooks need review"), "startup"),
    (re.compile(r"Meet \S|Codex just got an upgrade|Introducing "), "startup"),
    (re.compile(r"Working directory · (?:resume|fork)"), "startup"),
    (re.compile(r"Background server has incompatible"), "startup"),
    (re.compile(r"Welcome to Codex|Choose how you want to use Codex|Sign in another way"), "startup"),
    (re.compile(r"You are running Codex in "), "startup"),  # 0.60
)
_MODEL_NEWS = re.compile(r"Try new model")

# Lasting, costly or dangerous consequences.
_RISKY = re.compile(
    r"don['’]t ask again|\balways\b|never show again|^switch to|update now|^trust\b|try new model"
    r"|restart with|without daemon|sign in|api key|bedrock|clear context|allow codex to work",
    re.IGNORECASE,
)

SIGN_IN = re.compile(r"Sign in with ChatGPT|Choose how you want to use Codex|Sign in another way")


class FoundDialog(msgspec.Struct, frozen=True):
    """A dialog and the row that told its kind."""

    dialog: Dialog
    heading: str
    is_cut: bool = False  # the screen shows only the beginning of its text
    has_notes: bool = False  # a field for notes is open below the options


class _Choice(msgspec.Struct):
    number: int
    row: int
    lead: int  # column of the number
    selected: bool
    lines: list[str]  # from the column of the label on


def read_dialog(rows: Sequence[str]) -> FoundDialog | None:
    """The dialog at the bottom of these rows (plain, without blank rows at the end), if there is one."""
    last = " ".join(row.strip() for row in rows[-3:])
    if _LOCKED.search(last):
        return _locked(rows)
    if any(_PICKER.match(row) for row in rows[-3:]):
        return _resume_picker(rows)
    if any(_OLD_TRUST.match(row) for row in rows[-8:]) and not any(_OPTION.match(row) for row in rows[-8:]):
        return FoundDialog(Dialog(kind="startup", text=_text(rows[-8:])), "Trust this folder?", is_cut=True)
    has_footer = _FOOTERS.search(last) is not None
    end = len(rows)
    while has_footer and end > 0 and not _OPTION.match(rows[end - 1]):
        end -= 1
    choices = _choices(rows[:end] if has_footer else rows, rows)
    if not choices or not any(choice.selected for choice in choices):
        return None
    start, heading, kind = _heading(rows, choices[0].row)
    if not has_footer and "incompatible feature settings" not in heading:
        return None  # a numbered list in an answer is no dialog
    return _found(rows, start, heading, kind, choices)


def _found(
    rows: Sequence[str], start: int, heading: str, kind: DialogKind, choices: Sequence[_Choice]
) -> FoundDialog:
    labels = [_joined(choice.lines) for choice in choices]
    told = [""] * len(choices)
    column = _description_column(choices)
    if SIGN_IN.search(heading):  # here the descriptions stand below the labels
        labels = [choice.lines[0].strip() for choice in choices]
        told = [_joined(choice.lines[1:]) for choice in choices]
    elif column:
        labels = [_joined(line[:column] for line in choice.lines) for choice in choices]
        told = [_joined(line[column:] for line in choice.lines) for choice in choices]
    text = _text(rows[start : choices[0].row])
    if any(told):
        said = [f"{label}: {what}" for label, what in zip(labels, told, strict=True) if what]
        text = "\n".join([text, "", *said])
    options = tuple(
        Option(
            key=str(choice.number),
            label=label,
            risky=kind == "other" or _RISKY.search(label) is not None,
            selected=choice.selected,
        )
        for choice, label in zip(choices, labels, strict=True)
    )
    dialog = Dialog(kind=kind, text=text, options=options, free_text=kind == "picker")
    return FoundDialog(
        dialog,
        heading,
        is_cut=any(_CUT.match(row) for row in rows[start : choices[0].row]),
        has_notes=any(_NOTES.search(row) for row in rows[-3:]),
    )


# --- options ----------------------------------------------------------------------------------------------


def _choices(above: Sequence[str], rows: Sequence[str]) -> list[_Choice]:
    """The last run of rows numbered 1, 2, 3 … (a list that scrolls may begin higher), oldest first."""
    found: list[_Choice] = []
    expected: int | None = None
    for at in range(len(above) - 1, -1, -1):
        match = _OPTION.match(rows[at])
        if match is None:
            continue
        number = int(match["number"])
        if expected is not None and number != expected:
            break
        lead = len(match["lead"])
        found.append(_Choice(number, at, lead, match["mark"] is not None, [match["rest"]]))
        expected = number - 1
        if number == 1:
            break
    found.reverse()
    for choice in found:
        _continue(choice, rows)
    return found


def _continue(choice: _Choice, rows: Sequence[str]) -> None:
    """Rows below an option that are indented at least as far as its label go on with it."""
    indent = choice.lead + len(str(choice.number)) + 2
    for row in rows[choice.row + 1 :]:
        if not row.strip() or row[:indent].strip() or _MORE.match(row):
            return
        choice.lines.append(row[indent:])


def _description_column(choices: Sequence[_Choice]) -> int:
    """Where the second column begins, counted from the labels; 0 = there is none.

    The column is the one place at which most options have text after two blanks; no label reaches into it.
    """
    counts: dict[int, int] = {}
    for choice in choices:
        for gap in re.finditer(r" {2,}(?=\S)", choice.lines[0]):
            counts[gap.end()] = counts.get(gap.end(), 0) + 1
    for column in sorted(counts, key=lambda at: (-counts[at], at)):
        if all(not line[max(column - 2, 0) : column].strip() for choice in choices for line in choice.lines):
            return column
    return 0


def _joined(parts: Iterable[str]) -> str:
    return " ".join(part.strip() for part in parts if part.strip())


# --- text -------------------------------------------------------------------------------------------------


def _heading(rows: Sequence[str], below: int) -> tuple[int, str, DialogKind]:
    """(first row, heading, kind) of the dialog whose options begin at row ``below``."""
    start = _block_start(rows, below)
    for at in range(below - 1, -1, -1):
        for pattern, kind in _KINDS:
            if rows[at].startswith(("  ", "> ")) and pattern.search(rows[at]):
                return min(at, start) if kind == "startup" else at, rows[at].strip(), kind
    heading = next((row.strip() for row in rows[start:below] if row.strip()), "")
    if any(_MODEL_NEWS.search(row) for row in rows[below:]):
        return start, heading, "startup"
    return start, heading, "other"


def _block_start(rows: Sequence[str], below: int) -> int:
    """The rows above the options up to two blank rows, which part a dialog from the conversation."""
    at = below
    while at > 0 and not rows[at - 1].strip():
        at -= 1
    while at > 0 and (rows[at - 1].strip() or (at > 1 and rows[at - 2].strip())):
        at -= 1
    return at


def _text(rows: Sequence[str]) -> str:
    """The rows as they stand, without the frame's margin and the blank rows around."""
    lines = [row[2:] if row.startswith("  ") else row for row in rows]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


# --- the two without numbers ------------------------------------------------------------------------------


def _locked(rows: Sequence[str]) -> FoundDialog:
    """Another process has the conversation open. Typed text acts as keys here: an "f" forks."""
    at = next((at for at, row in enumerate(rows) if "🔒" in row), len(rows) - 2)
    options = (
        Option(key="r", label="retry"),
        Option(key="f", label="fork", risky=True),
        Option(key="C-c", label="exit", risky=True),
    )
    text = "\n".join(" ".join(row.split()) for row in rows[at:-1] if row.strip())
    return FoundDialog(Dialog(kind="startup", text=text, options=options), rows[at].strip())


def _resume_picker(rows: Sequence[str]) -> FoundDialog:
    """A list of sessions; which one is chosen there is for a person at the screen."""
    options = (
        Option(key="Enter", label="resume the selected session", risky=True),
        Option(key="Escape", label="start a new session", risky=True),
        Option(key="C-c", label="quit", risky=True),
    )
    return FoundDialog(Dialog(kind="startup", text=_text(rows[:-2]), options=options), "Resume a session")
