"""Questions that an agent asks in a dialog of its own: as cards, and how they were answered at the pane.

Claude Code asks with its tool ``AskUserQuestion``, Codex with ``request_user_input``. Both show one question
at a time; each page is a dialog with an id of its own, and so a card of its own. What stands on the card are
the agent's own options. The rows that the program adds are no options: "Type something." is the card's free
text, "Chat about this" is the way out, which ends the dialog without a decision. Codex has no such row: there
it is "None of the above", with a note that says that nobody decided.

A page of Claude Code that only shows the answers once more ("Review your answers") is a card too: until
somebody confirms it, the agent has heard nothing. Where it shows just what the person chose on cards
(``confirms``), it needs no second word of theirs.

Keys of options are the dialog's own, because that is what an answer names. The screen wraps texts where it
likes, so questions are compared without white space.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Protocol

import msgspec

from controlroom.core.question_block import Choice, without_recommended

PICKER_TOOLS = frozenset({"AskUserQuestion", "request_user_input"})
"""The tools whose rows ``answer_in`` understands."""

LONGEST_QUESTION, LONGEST_LABEL, LONGEST_WHAT, MOST_OPTIONS = 2_000, 500, 1_000, 50

SEND_THEM = "Send these answers to the agent?"
"""The question of the card for the page that shows the answers once more."""

SKIPPED = "Nobody decided this, and it is no approval."

_FREE_TEXT = "type something"
_WAY_OUT = "chat about this"
_NONE_OF_THEM = "none of the above"
_NOTES_HINT = "Optionally, add details in notes"  # Codex, of the row that it adds
_REVIEW = re.compile(r"^review your answers\b", re.IGNORECASE)
_PLACE = re.compile(r"^Question (?P<at>\d+)/(?P<of>\d+)(?: \(\d+ unanswered\))?$")
_NOTE = "user_note:"
_CANCELLED = re.compile(r"^(?:request_user_input was cancel|aborted by user|rejected by user)", re.IGNORECASE)


class ShownOption(Protocol):
    """An option of a dialog that stands."""

    @property
    def key(self) -> str: ...
    @property
    def label(self) -> str: ...


class Shown(Protocol):
    """A dialog that stands (``waiting_for`` of an agent)."""

    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def options(self) -> Sequence[ShownOption] | None: ...
    @property
    def multi(self) -> bool: ...
    @property
    def free_text(self) -> bool: ...


class ToolRow(Protocol):
    """A tool call of a chat, as people see it."""

    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def input(self) -> str | None: ...
    @property
    def output(self) -> str | None: ...


class PickerCard(msgspec.Struct, frozen=True, kw_only=True):
    """What a card says of a dialog. ``context`` is "" when there is none."""

    question: str
    options: tuple[Choice, ...]
    multi: bool = False
    free_text: bool = False
    context: str = ""
    way_out: str | None = None  # the key that ends the dialog without a decision
    is_review: bool = False  # it only asks whether the answers that were given shall be sent
    problem: str | None = None


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a person answered on a card: the labels that they chose, and their own words."""

    question: str
    labels: tuple[str, ...] = ()
    text: str = ""


class PickerAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How a question was answered. ``declined``: the dialog was closed without an answer."""

    keys: tuple[str, ...] = ()
    text: str = ""
    declined: bool = False


# ---- cards -------------------------------------------------------------------------------------------------


def card_of(shown: Shown) -> PickerCard | None:
    """The card of a dialog that stands; None when it is no question of the agent (a permission, a plan …)."""
    if shown.kind != "picker":
        return None
    rows = [(option.key, option.label) for option in shown.options or ()]
    text, told = _told(shown.text, [label for _, label in rows])
    if _REVIEW.match(text):
        return _review(text, rows)
    question, context = _placed(text)
    own = [(key, label) for key, label in rows if not _is_programs(label)]
    ends = {label.strip().lower(): key for key, label in rows}
    way_out = ends.get(_WAY_OUT) or ends.get(_NONE_OF_THEM)
    problem = None
    if len(own) > MOST_OPTIONS:
        problem = f"It has {len(own)} options; the first {MOST_OPTIONS} are shown."
    return PickerCard(
        question=_cut(question, LONGEST_QUESTION) or "The agent asks for a choice.",
        options=tuple(_option(key, label, told.get(label, "")) for key, label in own[:MOST_OPTIONS]),
        multi=shown.multi,
        free_text=shown.free_text,
        context=context,
        way_out=way_out,
        problem=problem,
    )


def confirms(review: PickerCard, said: Sequence[Said]) -> bool:
    """Whether the page shows just what was said on cards, and nothing else."""
    rest = _plain(review.context)
    if not review.is_review or not rest:
        return False
    for one in said:
        answers = {", ".join(filter(None, [*one.labels, one.text])), ": ".join([*one.labels, one.text])}
        for answer in answers:
            shown = _plain(f"● {one.question} → {answer}")
            if answer and shown in rest:
                rest = rest.replace(shown, "", 1)
                break
    return not rest


def _plain(text: str) -> str:
    """Without what the page adds: quotes around labels with a comma, its wrapping, "(Recommended)"."""
    return _squeezed(text).replace('"', "").casefold().replace("(recommended)", "")


def way_out_note(options: Sequence[ShownOption], way_out: str, *, free_text: bool) -> str | None:
    """What has to be written beside the way out: one that is an option says nothing by itself."""
    return SKIPPED if free_text and any(option.key == way_out for option in options) else None


def _is_programs(label: str) -> bool:
    bare = label.strip().rstrip(".…").lower()
    return bare in (_FREE_TEXT, _WAY_OUT)


def _told(text: str, labels: Sequence[str]) -> tuple[str, dict[str, str]]:
    """The question and what is said of each option: the last lines, each of which begins with a label."""
    lines = text.split("\n")
    told: dict[str, str] = {}
    at = len(lines)
    while at > 0:
        label = _label_of(lines[at - 1], [one for one in labels if one not in told])
        if label is None:
            break
        told[label] = lines[at - 1][len(label) + 1 :].strip()
        at -= 1
    if at > 0 and lines[at - 1].strip():
        return text, {}  # no blank line parts them from the question: they are a part of it
    return "\n".join(lines[:at]).strip("\n"), told


def _label_of(line: str, labels: Sequence[str]) -> str | None:
    """The longest of the labels that this line begins with: one may be the beginning of another."""
    fitting = [label for label in labels if line.startswith(f"{label}: ")]
    return max(fitting, key=len, default=None)


def _placed(text: str) -> tuple[str, str]:
    """The question on one line, and which one of several it is."""
    first, _, rest = text.partition("\n")
    found = _PLACE.match(first.strip())
    if found is None:
        return " ".join(text.split()), ""
    of_several = f"Question {found['at']} of {found['of']}." if found["of"] != "1" else ""
    return " ".join(rest.split()), of_several


def _option(key: str, label: str, what: str) -> Choice:
    bare, recommended = without_recommended(label)
    if bare.strip().lower() == _NONE_OF_THEM and (not what or what.startswith(_NOTES_HINT)):
        what = "Something else: say it in your own words."
    return Choice(
        key=key,
        label=_cut(bare.strip() or label, LONGEST_LABEL),
        what=_cut(what, LONGEST_WHAT),
        recommended=recommended,
    )


def _review(text: str, rows: Sequence[tuple[str, str]]) -> PickerCard:
    """Claude Code shows the answers once more; only "Submit answers" tells the agent."""
    given = text.partition("\n")[2].strip("\n")
    return PickerCard(
        question=SEND_THEM,
        options=tuple(_option(key, label, "") for key, label in rows[:MOST_OPTIONS]),
        context=_cut(given, LONGEST_QUESTION),
        way_out=next((key for key, label in rows if label.strip().lower() == "cancel"), None),
        is_review=True,
    )


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


# ---- answers given at the pane -----------------------------------------------------------------------------


def answer_in(tool: ToolRow, question: str, options: Sequence[Choice], *, multi: bool) -> PickerAnswer | None:
    """How the tool's row says that this question was answered; None when it does not tell.

    ``question`` and ``options`` are the card's. A row of another question, a call that still runs and a
    result that cannot be read tell nothing.
    """
    if tool.state == "running" or tool.name not in PICKER_TOOLS:
        return None
    if question == SEND_THEM:
        return _of_review(tool, options)
    if tool.name == "AskUserQuestion":
        return _of_claude(tool, question, options, multi=multi)
    return _of_codex(tool, question, options)


def _of_review(tool: ToolRow, options: Sequence[Choice]) -> PickerAnswer | None:
    """The page that only sends the answers: any answer of the tool shows that it was confirmed."""
    if tool.name != "AskUserQuestion" or not options:
        return None
    if tool.state == "refused":
        return PickerAnswer(declined=True)
    return PickerAnswer(keys=(options[0].key,)) if " → " in (tool.output or "") else None


def _of_claude(
    tool: ToolRow, question: str, options: Sequence[Choice], *, multi: bool
) -> PickerAnswer | None:
    if tool.state == "refused":
        asked = _squeezed(question) in _squeezed(tool.input or "")
        return PickerAnswer(declined=True) if asked else None
    said = _behind(tool.output or "", question)
    if not said:
        return None
    if multi:
        return _several(said, options)
    key = _key(said, options)
    return PickerAnswer(text=said) if key is None else PickerAnswer(keys=(key,))


def _behind(output: str, question: str) -> str | None:
    """The answer behind "question → ", up to the next line that has such an arrow."""
    kept = [at for at, letter in enumerate(output) if not letter.isspace()]
    squeezed = "".join(output[at] for at in kept)
    wanted = _squeezed(question)
    start = squeezed.find(wanted + "→") if wanted else -1
    if start < 0:
        return None
    lines = output[kept[start + len(wanted)] + 1 :].split("\n")
    end = next((at for at, line in enumerate(lines) if at and " → " in line), len(lines))
    return "\n".join(lines[:end]).strip()


def _several(said: str, options: Sequence[Choice]) -> PickerAnswer:
    """Labels joined by commas, in quotes where they hold a comma; what is no label is the person's text."""
    keys: list[str] = []
    rest = said
    while rest:
        found = _first_of(rest, [option for option in options if option.key not in keys])
        if found is None:
            return PickerAnswer(keys=tuple(keys), text=rest)
        key, rest = found
        keys.append(key)
    return PickerAnswer(keys=tuple(keys))


def _first_of(said: str, options: Sequence[Choice]) -> tuple[str, str] | None:
    """The key of the option whose label stands first in the text, and what follows it."""
    best: tuple[int, str] | None = None
    for option in options:
        marks = ("", " (Recommended)", " (recommended)") if option.recommended else ("",)
        for label in (f"{option.label}{mark}" for mark in marks):
            for written in (label, f'"{label}"'):
                if said == written or said.startswith(f"{written}, "):
                    best = max(best or (0, ""), (len(written), option.key))
    return None if best is None else (best[1], said[best[0] :].removeprefix(", "))


def _of_codex(tool: ToolRow, question: str, options: Sequence[Choice]) -> PickerAnswer | None:
    asked = _codex_id(tool.input or "", question)
    if asked is None:
        return None
    if tool.state == "refused" or _CANCELLED.match(tool.output or ""):
        return PickerAnswer(declined=True)
    answers = _dict(_dict(_loaded(tool.output or "")).get("answers"))
    given = _dict(answers.get(asked)).get("answers")
    if not isinstance(given, list):
        return None
    said = [one for one in given if isinstance(one, str)]
    notes = [one.removeprefix(_NOTE).strip() for one in said if one.startswith(_NOTE)]
    chosen = [one for one in said if not one.startswith(_NOTE)]
    keys = tuple(key for one in chosen if (key := _key(one, options)) is not None)
    texts = [one for one in chosen if _key(one, options) is None] + notes
    return PickerAnswer(keys=keys, text="\n".join(texts), declined=not said)


def _codex_id(given: str, question: str) -> str | None:
    """The id by which the call's answer names this question."""
    asked = _dict(_loaded(given)).get("questions")
    for one in asked if isinstance(asked, list) else []:
        fields = _dict(one)
        text, id = fields.get("question"), fields.get("id")
        if isinstance(text, str) and isinstance(id, str) and _squeezed(text) == _squeezed(question):
            return id
    return None


def _key(said: str, options: Sequence[Choice]) -> str | None:
    bare, _ = without_recommended(said)
    wanted = _squeezed(bare)
    return next((option.key for option in options if _squeezed(option.label) == wanted), None)


def _loaded(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _squeezed(text: str) -> str:
    return "".join(text.split())
