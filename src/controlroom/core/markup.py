"""Lines, headings and list items of the Markdown that agents write, as far as our blocks need them.

A heading may carry marks: ``**Status:** x``, ``**Status**: x``, ``### Status: x``, ``**Status: x**``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
_LINE_END = re.compile(r"\r\n|\r|\n")
_BULLET = re.compile(
    r"^(?P<indent>[ \t]*)(?:[-*+•–—]|\(?(?:\d{1,2}|[A-Za-z])[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<rest>\S.*)$"
)


class Line(msgspec.Struct, frozen=True):
    """One line of a reply. ``code``: quoted (``>``) or fenced, so nothing in it means anything to us."""

    text: str
    code: bool = False

    @property
    def blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        """Columns of white space before the first character."""
        wide = self.text.expandtabs(4)
        return len(wide) - len(wide.lstrip(" "))


class Heading(msgspec.Struct, frozen=True):
    """``key`` in lower case, and what stands behind its colon."""

    key: str
    rest: str


class Headings:
    """Finds lines that begin with one of these keys and a colon (any case; ``：`` counts too)."""

    def __init__(self, *keys: str) -> None:
        names = "|".join(re.escape(key) for key in keys)
        self._pattern = re.compile(
            rf"(?i)^ {{0,3}}(?:\#{{1,6}}[ \t]+)?(?P<open>[*_]{{0,3}})(?P<key>{names})(?P<close>[*_]{{0,3}})"
            r"[ \t]*[:：](?P<rest>.*)$"
        )

    def find(self, line: Line, *, indented: bool = False) -> Heading | None:
        """``indented`` allows any white space before the key. Four columns are code otherwise."""
        if line.code:
            return None
        found = self._pattern.match(line.text.lstrip(" \t") if indented else line.text)
        if found is None:
            return None
        rest, opened = found["rest"].strip(), found["open"]
        if opened and found["close"] != opened:
            rest = rest.removeprefix(opened) if rest.startswith(opened) else rest.removesuffix(opened)
        return Heading(found["key"].lower(), rest.strip())


def split_lines(text: str) -> tuple[Line, ...]:
    """All lines. A fence that is never closed runs to the end, as in Markdown; a comment that is never closed
    is none."""
    found: list[Line] = []
    fence = ""
    lines = _LINE_END.split(text)
    in_comment = _comments(lines) if "<!--" in text else frozenset()
    for at, line in enumerate(lines):
        mark = _FENCE.match(line)
        if at in in_comment and not fence:
            found.append(Line(line, code=True))
        elif fence:
            found.append(Line(line, code=True))
            if mark is not None and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
        elif mark is not None:
            fence = mark["mark"]
            found.append(Line(line, code=True))
        else:
            found.append(Line(line, code=line.lstrip(" \t").startswith(">")))
    return tuple(found)


def _comments(lines: Sequence[str]) -> frozenset[int]:
    """The lines of HTML comments that begin a line and are closed."""
    found: set[int] = set()
    begin: int | None = None
    for at, line in enumerate(lines):
        if begin is None and line.lstrip(" ").startswith("<!--"):
            begin = at
        if begin is not None and "-->" in line:
            found.update(range(begin, at + 1))
            begin = None
    return frozenset(found)


def list_item(line: Line) -> str | None:
    """The text behind a bullet, number or letter, None when the line is no list item."""
    found = None if line.code else _BULLET.match(line.text)
    return None if found is None else found["rest"].strip()


def joined(lines: Sequence[Line]) -> str:
    """The lines as they were written, without blank lines around them."""
    return "\n".join(line.text for line in lines).strip("\n")


def all_blank(lines: Sequence[Line]) -> bool:
    return all(line.blank for line in lines)
