"""The blocks that agents write in their replies (spec section 5, api.md "The blocks that agents write").

Only the forms live here; what becomes of a question is decided elsewhere. We read tolerantly (Markdown
marks, other bullets, blank lines between the parts, fields in any order) and report strictly: a block that
departs from its form has a ``problem`` for people, and its ``raw`` text is always kept.

What never counts: quoted lines (``>``), fenced code, HTML comments, and a heading indented by four or more
columns.
A block begins with its heading at the start of a line and ends before the first line that cannot belong to
it; nothing that follows is swallowed, so a reply that goes on after a question does not end in one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from controlroom.core.markup import Headings, Line, all_blank, joined, list_item, split_lines
from controlroom.core.question_block import QUESTION_KEYS, Question, read_question, split_at_colon

_RESOLVED, _RESULT = "resolved for founder", "result"
_STATUS = Headings("Status")
_BLOCK = Headings(*QUESTION_KEYS, _RESOLVED, _RESULT)
_PART = Headings("Changed", "Checked", "Not done", "Look at")
_WORDS = ("status", "founder", "result")  # the last words of what opens a form
_COLON = re.compile(r"[*_]{0,3}[ \t]*[:：]")
_QUESTION_END = re.compile(r"(?P<mark>[?？؟][*_\"”»]{0,3})\s*[:：]")


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """A ``Resolved for Founder: <text>: <why>`` line."""

    text: str
    why: str
    raw: str
    problem: str | None = None


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A ``Result:`` block. The named parts and ``body`` (all other lines) are Markdown; "" = not there."""

    text: str
    changed: str = ""
    checked: str = ""
    not_done: str = ""
    look_at: str = ""
    body: str = ""
    raw: str
    problem: str | None = None


class ParsedReply(msgspec.Struct, frozen=True, kw_only=True):
    """What one reply holds. ``status`` is given only when nothing else stands in the reply."""

    status: str | None = None
    questions: tuple[Question, ...] = ()
    resolved: tuple[Resolved, ...] = ()
    result: Result | None = None
    ends_in_question: bool = False


@lru_cache(maxsize=128)
def parse_reply(text: str) -> ParsedReply:
    """Everything that one reply says in the agreed forms. Never raises, whatever the text.

    Remembered, because the last reply of each agent is looked at every second.
    """
    if not _may_hold_forms(text.lower()):
        return ParsedReply()
    lines = split_lines(text)
    if (status := _status(lines)) is not None:
        return ParsedReply(status=status)
    questions: list[Question] = []
    resolved: list[Resolved] = []
    result: Result | None = None
    ends_in_question = False
    at = 0
    while at < len(lines):
        heading = _BLOCK.find(lines[at])
        key = "" if heading is None else heading.key
        end = at + 1
        if key in QUESTION_KEYS:
            question, length = read_question(
                lines[at : _next_block(lines, at + 1, *QUESTION_KEYS, _RESOLVED, _RESULT)]
            )
            questions.append(question)
            end = at + length
            ends_in_question = all_blank(lines[end:])
        elif key == _RESOLVED:
            while end < len(lines) and lines[end].indent and not lines[end].blank and not lines[end].code:
                end += 1
            resolved.append(_resolved(lines[at:end]))
        elif key == _RESULT and result is None and _is_result(lines, at):
            end = _next_block(lines, at + 1, *QUESTION_KEYS, _RESOLVED)
            result = _result(lines[at:end])
        at = end
    return ParsedReply(
        questions=tuple(questions),
        resolved=tuple(resolved),
        result=result,
        ends_in_question=ends_in_question,
    )


def _may_hold_forms(lower: str) -> bool:
    """Whether a closer look is worth while: a word that opens a form, and its colon. Cheap on any text."""
    for word in _WORDS:
        at = lower.find(word)
        while at >= 0:
            if _COLON.match(lower, at + len(word)):
                return True
            at = lower.find(word, at + len(word))
    return False


def _next_block(lines: Sequence[Line], start: int, *keys: str) -> int:
    """Index of the next heading with one of these keys, else the end."""
    for at in range(start, len(lines)):
        heading = _BLOCK.find(lines[at])
        if heading is not None and heading.key in keys:
            return at
    return len(lines)


def _status(lines: Sequence[Line]) -> str | None:
    """The header's text when one line ``Status: …`` is the entire reply: anything more is a reply to read."""
    written = [line for line in lines if not line.blank]
    heading = _STATUS.find(written[0]) if len(written) == 1 else None
    return None if heading is None else heading.rest or None


def _resolved(lines: Sequence[Line]) -> Resolved:
    """A question often ends in a question mark, and may hold colons: the mark decides first."""
    heading = _BLOCK.find(lines[0])
    assert heading is not None
    said = " ".join([heading.rest, *(line.text.strip() for line in lines[1:])]).strip()
    asked = _QUESTION_END.search(said)
    if asked is not None:
        text, why = said[: asked.end("mark")].strip(), said[asked.end() :].strip()
    else:
        text, why = split_at_colon(said)
    problem = None
    if not text:
        problem = "It does not say which question is resolved."
    elif not why:
        problem = "It does not say why."
    return Resolved(text=text, why=why, raw=joined(lines), problem=problem)


def _is_result(lines: Sequence[Line], at: int) -> bool:
    """``Result:`` opens a reply, or one of the block's parts follows. Else it is an ordinary sentence."""
    if all_blank(lines[:at]):
        return True
    end = _next_block(lines, at + 1, *QUESTION_KEYS, _RESOLVED, _RESULT)
    return any(_PART.find(line) is not None for line in lines[at + 1 : end])


def _result(lines: Sequence[Line]) -> Result:
    """A part goes on over a blank line only into a list, code or an indented line, or while it is empty."""
    heading = _BLOCK.find(lines[0])
    assert heading is not None
    body: list[str] = []
    parts: dict[str, list[str]] = {}
    current, after_blank = body, False
    for line in lines[1:]:
        part = _PART.find(line)
        if part is not None:
            current = parts.setdefault(part.key, [])
            current += [part.rest] if part.rest else []
        elif not line.blank:
            goes_on = line.code or line.indent > 0 or list_item(line) is not None
            if after_blank and current is not body and current and not goes_on:
                current = body
            current += [""] if after_blank and current else []
            current.append(line.text)
        after_blank = line.blank
    said = {key: "\n".join(texts) for key, texts in parts.items()}
    return Result(
        text=heading.rest,
        changed=said.get("changed", ""),
        checked=said.get("checked", ""),
        not_done=said.get("not done", ""),
        look_at=said.get("look at", ""),
        body="\n".join(body),
        raw=joined(lines),
        problem=None if heading.rest else "It does not say the result in one sentence.",
    )
