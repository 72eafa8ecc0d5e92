"""How Herdr decides the status of an agent, as data: its rules of August 2026 for Claude Code and Codex.

Written in our own words from what is known of it, to be compared with ours; the adapter does not use them.
The rule of the highest priority wins, none is ``idle``. ``keep`` leaves the former status.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

Status = Literal["working", "blocked", "idle", "keep"]
_ARROWS = ("tab/arrow keys to navigate", "arrow keys to navigate", "↑/↓ to navigate")
_GLYPHS = "*·✢✶✻✽"


class Shown(NamedTuple):
    """The bottom screenful and the title."""

    rows: tuple[str, ...]
    title: str = ""

    @property
    def filled(self) -> list[str]:
        return [row for row in self.rows if row.strip()]

    @property
    def whole(self) -> str:
        return "\n".join(self.rows).lower()

    def last(self, count: int) -> list[str]:
        return self.filled[-count:]

    def _rules(self) -> list[int]:
        return [at for at, row in enumerate(self.rows) if row.startswith("─")]

    @property
    def after_rule(self) -> str:
        rules = self._rules()
        return "\n".join(self.rows[rules[-1] + 1 :]).lower() if rules else ""

    @property
    def prompt_box(self) -> list[str]:
        rules = self._rules()
        return list(self.rows[rules[-2] + 1 : rules[-1]]) if len(rules) > 1 else []

    @property
    def above_box(self) -> str:
        """The line above the box."""
        rules = self._rules()
        above = [row for row in self.rows[: rules[-2]] if row.strip()] if len(rules) > 1 else []
        return above[-1] if above else ""

    @property
    def after_marker(self) -> str:
        marks = [at for at, row in enumerate(self.rows) if row == "›" or row.startswith("› ")]
        return "\n".join(self.rows[marks[-1] :]).lower() if marks else ""


class Rule(NamedTuple):
    status: Status
    name: str
    fits: Callable[[Shown], bool]


def _has(text: str, *words: str) -> bool:
    return all(word in text for word in words)


def _any(text: str, *words: str) -> bool:
    return any(word in text for word in words)


def _option(text: str, *labels: str) -> bool:
    return any(re.search(rf"(?m)^\W*(?:\d+\. )?{label}\b", text) for label in labels)


def _is_spinner(row: str) -> bool:
    return row[:1] in _GLYPHS and re.search(r"^. \w.*…(?:$| \()", row) is not None


CLAUDE = (
    Rule("working", "title with a spinner", lambda s: "\u2800" <= s.title[:1] <= "\u28ff"),
    Rule("keep", "transcript viewer", lambda s: _has("\n".join(s.last(3)), "Showing detailed transcript")),
    Rule(
        "blocked",
        "footer of a dialog",
        lambda s: (
            _has(s.after_rule, "esc to cancel")
            and (
                _has(s.after_rule, "enter to confirm")
                or (_has(s.after_rule, "enter to select") and _any(s.after_rule, *_ARROWS))
            )
        ),
    ),
    Rule(
        "working",
        "mode line or spinner",
        lambda s: any(
            (row.strip()[:1] in ("⏸", "⏵") and "esc to interrupt" in row) or _is_spinner(row)
            for row in s.last(12)
        ),
    ),
    Rule(
        "working",
        "a shell in the mode line",
        lambda s: any(re.search(r"· [1-9]\d* shells?\b", row) is not None for row in s.last(5)),
    ),
    Rule(
        "working",
        "background agents above the box",
        lambda s: re.search(r"^. Waiting for \d+ background agents? to finish", s.above_box) is not None,
    ),
    Rule(
        "idle",
        "prompt in its box",
        lambda s: (
            any(row.startswith("❯") for row in s.prompt_box)
            and not _any("\n".join(s.prompt_box).lower(), "enter to select", "esc to cancel", *_ARROWS)
        ),
    ),
    Rule(
        "keep",
        "model picker",
        lambda s: _has(s.whole, "select model", "enter to set as default", "esc to cancel"),
    ),
    Rule(
        "blocked",
        "permission of a command",
        lambda s: (
            _has(s.whole, "do you want to proceed?")
            and _any(
                s.whole, "bash command", "bash(", "contains expansion", "tab to amend", "ctrl+e to explain"
            )
            and _option(s.whole, "yes", "no")
        ),
    ),
    Rule(
        "blocked",
        "permission",
        lambda s: (
            _has(s.after_rule, "do you want to proceed?", "esc to cancel")
            and _option(s.after_rule, "yes", "no")
        ),
    ),
    Rule(
        "blocked",
        "words of a question",
        lambda s: (
            not any(row.strip() == "❯" for row in s.rows)
            and (
                (_any(s.whole, "do you want to", "would you like to") and _any(s.whole, "yes", "❯"))
                or _any(
                    s.whole,
                    *("waiting for permission", "tab to amend", "ctrl+e to explain", "review your answers"),
                    *("skip interview and plan immediately", "do you want to allow this connection?"),
                )
            )
        ),
    ),
)

CODEX = (
    Rule("blocked", "title asks", lambda s: "Action Required" in s.title),
    Rule(
        "working",
        "title with a spinner",
        lambda s: any(word in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" for word in s.title.split()),
    ),
    Rule(
        "keep",
        "pager",
        lambda s: (
            _has(s.after_marker, "esc to edit prev")
            and _any(s.after_marker, "↑/↓ to scroll", "pgup/pgdn to", "home/end to jump", "q to quit")
        ),
    ),
    Rule(
        "blocked",
        "trust of older versions",
        lambda s: _has(s.whole, "do you trust the contents of this directory?"),
    ),
    Rule(
        "blocked",
        "footer of a dialog",
        lambda s: _any(
            s.after_marker,
            *("press enter to confirm or esc to cancel", "enter to submit answer", "enter to submit all"),
            "allow command?",
        ),
    ),
    Rule(
        "blocked",
        "words of a question",
        lambda s: (
            _any(s.whole, "[y/n]", "yes (y)")
            or (_any(s.whole, "do you want to", "would you like to") and _any(s.whole, "yes", "❯"))
        ),
    ),
    Rule(
        "working",
        "its line",
        lambda s: (
            any(re.match(r"[•◦] Working \(.*esc to interrupt\)", row) is not None for row in s.last(3))
            and "■ Conversation interrupted" not in "\n".join(s.rows)
        ),
    ),
    Rule("idle", "any title", lambda s: bool(s.title)),
)


def judge(rules: Sequence[Rule], shown: Shown) -> tuple[Status, str]:
    """The status and the rule that decided."""
    for rule in rules:
        if rule.fits(shown):
            return rule.status, rule.name
    return "idle", "nothing recognised"
