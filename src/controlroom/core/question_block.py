"""One ``Question for Founder:`` block: its options, default and other fields (spec section 5)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from controlroom.core.markup import Headings, Line, joined, list_item, split_lines

QUESTION_KEYS = ("question for founder", "question for the founder")
"""What opens a block; only the first is as it should be."""

_HEADING = Headings(*QUESTION_KEYS)
_FIELD = Headings("Default", "Blocking", "Context", "Doc", "Options")
_WORD = (
    r"recommended|recommandée?|empfohlen|empfehlung|recomendad[oa]|consigliat[oa]|推荐|推薦|推奨|おすすめ|추천"
    r"|рекомендуется"
)
_RECOMMENDED = re.compile(
    rf"(?i)(?P<mark>[*_]{{0,3}})(?:[(（]\s?(?:{_WORD})\s?[)）]|\[(?:{_WORD})\])(?P=mark)[.!]?$"
)
_RECOMMENDED_FIRST = re.compile(
    rf"(?i)^(?P<mark>[*_]{{0,3}})(?:[(（]\s?(?:{_WORD})\s?[)）]|\[(?:{_WORD})\])(?P=mark)[\s:]+(?=\S)"
)
_BY = re.compile(r"(?i)(?<=[\s,(（])by\s")
_TIME = re.compile(
    r"(?i)[\s*_`(\"'“~]*(?:(?:the|about|around|at|on|in|within|next|this|early|late) )*(?:\d|half an hour"
    r"|(?:an? (?:hour|day|week|minute)|noon|midday|midnight|today|tonight|tomorrow|day after|morning"
    r"|afternoon|evening|night|eod|eow|cob|end of|start of|close of"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|mon|tue|wed|thu|fri|sat|sun|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b)"
)
_IDENTIFIER = re.compile(r"^_+[a-z0-9_]+_+$")
_LINK = re.compile(r"^(?:\[[^\]]*\]\(([^()\s]+)\)|<([^<>\s]+)>)$")
_COLON = re.compile(r"[:](?=\s|$)|：")
_COLON_IN_MARKS = re.compile(r"^(\*\*|__)([^*_:：]+)([:：])\1")
_WHOLE_MARKS = re.compile(r"^(\*{1,3}|_{1,3})(?P<inner>[^*_]+)\1$")
_SPANS = re.compile(
    r"`[^`]+`|\*\*[^*]+\*\*|\[[^\[\]]*\]\([^()]*\)|\([^()]*\)|（[^（）]*）"
    r'|"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」|『[^『』]*』'
)
_UNSAID = re.compile(r"(?i)^(?:no|false|none)\b")

LONGEST_NAME = 5_000  # characters in which the colon behind an option's name is looked for
LONGEST_DEFAULT = 5_000  # characters after which no further line belongs to a default


class Choice(msgspec.Struct, frozen=True):
    """One option of a question. ``label`` is whole; ``what`` happens when it is chosen ("" = not said)."""

    key: str  # its place, from "1"
    label: str
    what: str = ""
    recommended: bool = False


class Default(msgspec.Struct, frozen=True):
    """What the agent will do without an answer. ``by`` is the time as it was written ("" = none)."""

    text: str
    by: str = ""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A ``Question for Founder:`` block. ``problem`` says how it departs from the form."""

    question: str
    options: tuple[Choice, ...] = ()
    default: Default | None = None
    blocking: bool = False
    context: str = ""
    doc: str = ""
    raw: str
    problem: str | None = None


class _Draft(msgspec.Struct):
    """The parts of a question while its lines are read."""

    question: list[str]
    options: list[str]
    fields: list[tuple[str, str]]
    option_indent: int = 0


def read_question(lines: Sequence[Line]) -> tuple[Question, int]:
    """The question whose heading is the first line, and how many lines are part of it."""
    heading = _HEADING.find(lines[0])
    assert heading is not None
    draft = _Draft([heading.rest] if heading.rest else [], [], [])
    length, after_blank = 1, False
    for at, line in enumerate(lines[1:], start=1):
        if line.blank:
            after_blank = True
        elif line.code or not _take(draft, line, after_blank):
            break
        else:
            length, after_blank = at + 1, False
    return _finish(draft, joined(lines[:length])), length


def _take(draft: _Draft, line: Line, after_blank: bool) -> bool:
    """Add one written line to the question; False when it cannot belong to it."""
    field = _FIELD.find(line, indented=not after_blank)
    if field is not None and field.key == "options" and not field.rest:
        return True  # a heading of the list; nothing is lost with it
    if field is not None:
        draft.fields.append((field.key, field.rest))
        return True
    item = list_item(line)
    if item is None or (after_blank and draft.fields):
        return _continue(draft, line, after_blank)
    if draft.options and draft.fields and draft.fields[-1][0] == "context":
        return _continue(draft, line, after_blank)
    if draft.options and not draft.fields and line.indent >= draft.option_indent + 2:
        draft.options[-1] += "\n" + line.text.strip()  # a list below an option says more about it
        return True
    if not draft.options:
        draft.option_indent = line.indent
    draft.options.append(item)
    return True


def _continue(draft: _Draft, line: Line, after_blank: bool) -> bool:
    """Add a line that is neither option nor field to the part before it, where it can only mean that."""
    text = line.text.strip()
    if after_blank and (draft.question or draft.options or draft.fields):
        return False
    if draft.fields:
        key, value = draft.fields[-1]
        is_open = len(value) < LONGEST_DEFAULT and not _default(value).by
        goes_on = key == "context" or (key == "default" and is_open)
        if goes_on:
            draft.fields[-1] = (key, f"{value} {text}".strip())
        return goes_on
    if draft.options:
        goes_on = line.indent > draft.option_indent  # else a label would swallow the sentence behind the list
        if goes_on:
            draft.options[-1] += " " + text
        return goes_on
    draft.question.append(text)
    return True


def _finish(draft: _Draft, raw: str) -> Question:
    values = dict(draft.fields)
    if "context" in values:
        values["context"] = " ".join(value for key, value in draft.fields if key == "context" and value)
    heading = _HEADING.find(split_lines(raw)[0])
    question = Question(
        question=" ".join(draft.question),
        options=choices(draft.options),
        default=_default(values["default"]) if values.get("default") else None,
        blocking="blocking" in values and not _UNSAID.match(values["blocking"]),
        context=values.get("context", ""),
        doc=_link(values.get("doc", "")),
        raw=raw,
    )
    times = Counter(key for key, _ in draft.fields)
    problems = [*_question_problems(question), *_option_problems(question.options)]
    if heading is None or heading.key != QUESTION_KEYS[0]:
        problems.insert(0, "It does not begin with “Question for Founder:”.")
    if "options" in values:
        problems.append("Each option has to stand on a line of its own.")
    problems += [f"{key.capitalize()} is given twice." for key in sorted(times) if times[key] > 1]
    return msgspec.structs.replace(question, problem=" ".join(problems) or None)


def _question_problems(question: Question) -> list[str]:
    default, found = question.default, []
    if not question.question:
        found.append("It asks nothing.")
    if default is None and not question.blocking:
        found.append("It has neither a default nor “Blocking: yes”.")
    if default is not None and question.blocking:
        found.append("It has both a default and “Blocking: yes”.")
    if default is not None and not default.by:
        found.append("Its default has no time (“by …”).")
    return found


def _option_problems(options: Sequence[Choice]) -> list[str]:
    labels = [choice.label.casefold() for choice in options]
    found = []
    if len(options) < 2:
        found.append("It has no options." if not options else "It has one option only.")
    if len(set(labels)) < len(labels):
        found.append("Two options have the same name.")
    if sum(choice.recommended for choice in options) > 1:
        found.append("More than one option is recommended.")
    found += [f"Option {choice.key} does not say what happens." for choice in options if not choice.what]
    return found


# --- the parts ---------------------------------------------------------------------------------------


def choices(texts: Sequence[str]) -> tuple[Choice, ...]:
    """Options from their texts, as a block or a command has them.

    Where the first colon would give two the same name, a later one ends their names.
    """
    found = [_choice(at, text, 0) for at, text in enumerate(texts, start=1)]
    for colon in (1, 2, 3):
        labels = [choice.label.casefold() for choice in found]
        times = Counter(labels)
        if len(times) == len(labels):
            break
        found = [
            _choice(at, text, colon) if times[label] > 1 else choice
            for at, (text, label, choice) in enumerate(zip(texts, labels, found, strict=True), start=1)
        ]
    return tuple(found)


def _choice(place: int, text: str, colon: int) -> Choice:
    head, _, more = text.partition("\n")
    head, recommended = without_recommended(head)
    label, what = split_at_colon(head, colon)
    label, too = without_recommended(label)
    whole = None if _IDENTIFIER.match(label) else _WHOLE_MARKS.match(label)
    return Choice(
        key=str(place),
        label=label if whole is None else whole["inner"].strip(),
        what="\n".join(filter(None, [what, more])),
        recommended=recommended or too,
    )


def without_recommended(text: str) -> tuple[str, bool]:
    """The text without a "(recommended)" at its end or its beginning, and whether there was one."""
    text = text.rstrip()
    if (found := _RECOMMENDED.search(text)) is not None and found.start():
        return text[: found.start()].rstrip(), True
    if (found := _RECOMMENDED_FIRST.match(text)) is not None:
        return text[found.end() :], True
    return text, False


def split_at_colon(text: str, which: int = 0) -> tuple[str, str]:
    """The text before and behind a colon: the first, or a later one (or the last, when there are fewer).

    A colon counts when white space follows, and not inside quotes, brackets, code or bold words:
    ``Restart http://a:80``, ``At 18:00`` and ``"Plan B: slow"`` are one name each.
    """
    text = _COLON_IN_MARKS.sub(r"\1\2\1\3", text)
    masked = _SPANS.sub(lambda span: "x" * len(span[0]), text[:LONGEST_NAME])
    colons = list(_COLON.finditer(masked))
    if not colons:
        return text.strip(), ""
    colon = colons[min(which, len(colons) - 1)]
    return text[: colon.start()].strip(), text[colon.end() :].strip()


def _default(text: str) -> Default:
    """“I will ship by hand by 18:00”: the last “by” that a time follows."""
    found = [by for by in _BY.finditer(text) if _TIME.match(text, by.end())]
    act = text[: found[-1].start()].rstrip(" ,;(（*_") if found else ""
    if not act:
        return Default(text)
    return Default(act, text[found[-1].end() :].strip(" \t*_`.)）"))


def _link(text: str) -> str:
    found = _LINK.match(text)
    return text if found is None else found[1] or found[2]
