"""Herdr's rules and ours over the same recorded screens: where they differ, and who is right.

The table is ``docs/explain/herdr-and-us.md``; it is printed anew when it does not fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from controlroom.core.facts import ScreenReading
from controlroom.core.screen import Frame
from controlroom.node.agents.claude.screens import read_screen as read_claude
from controlroom.node.agents.codex.screens import read_screen as read_codex
from tests.unit.node.agents.claude import samples as claude
from tests.unit.node.agents.codex import samples as codex
from tests.unit.node.mux.herdr_rules import CLAUDE, CODEX, Shown, judge

PAGE = Path(__file__).parents[4] / "docs" / "explain" / "herdr-and-us.md"
_SIZE = re.compile(r"^\d+x\d+-|-\d+x\d+$")


class Compared(NamedTuple):
    """One screen: what Herdr says and by which rule, and what we say."""

    screen: str
    herdr: str
    rule: str
    ours: str


def ours(reading: ScreenReading) -> str:
    """Our reading in few words."""
    dialog = reading.dialog
    match reading.look:
        case "ready":
            return "idle"
        case "limit_wait":
            return "waits for its limit"
        case "other":
            return "not recognised"
        case "dialog" | "startup" if dialog is not None and dialog.kind == "limit":
            return "asks: limit"
        case "dialog" | "startup":
            return f"asks: {'other' if dialog is None else dialog.kind}"
    return reading.look


def compared() -> Iterator[Compared]:
    for kind, names, frame, read, rules in (
        ("claude", claude.SCREENS, claude.frame, read_claude, CLAUDE),
        ("codex", codex.SCREENS, codex.frame, read_codex, CODEX),
    ):
        for name in names:
            shown: Frame = frame(name)
            status, rule = judge(rules, Shown(shown.rows, shown.title))
            yield Compared(f"{kind} {_SIZE.sub('', name)}", status, rule, ours(read(shown)))


def differs(each: Compared) -> bool:
    same = {"working": ("working",), "idle": ("idle",), "keep": ("not recognised",)}
    if each.herdr == "blocked":
        return not each.ours.startswith("asks") or each.ours == "asks: limit"
    return each.ours not in same[each.herdr]


def table() -> list[str]:
    """Each difference once, whatever the size of the screen."""
    rows = dict.fromkeys(
        f"| {each.screen} | {each.herdr}: {each.rule} | {each.ours} |" for each in compared() if differs(each)
    )
    return sorted(rows)


def test_the_page_shows_where_herdr_and_we_differ() -> None:
    page = [line for line in PAGE.read_text().splitlines() if line.startswith(("| claude ", "| codex "))]
    print("\n".join(table()))
    assert page == table()
