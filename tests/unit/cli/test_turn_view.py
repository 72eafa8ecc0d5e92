"""Who has a turn and who waits, in words."""

from __future__ import annotations

from typing import Any

import pytest

from controlroom.cli.turn_view import describe, held_by, noun, ordinal, render_queue
from controlroom.core.turns import Ticket

NOW, MIN = 1_796_000_000_000, 60_000


def ticket(**more: Any) -> Ticket:
    usual: dict[str, Any] = {
        "number": 1,
        "pid": 4312,
        "started": "7",
        "program": "npx",
        "folder": "/home/kim/shop",
        "space": "",
        "since_ms": NOW - 4 * MIN,
    }
    return Ticket(**(usual | more))


def said(one: Ticket, who: str = "", left: str = "") -> str:
    return describe(one, NOW, lambda _: who, lambda _: left)


def test_one_ticket() -> None:
    assert said(ticket()) == "npx in ~/shop (process 4312), for 4 min"
    assert said(ticket(), "orchard") == "npx of orchard in ~/shop (process 4312), for 4 min"
    assert said(ticket(), left="adb (process 9)").endswith(
        "; that has ended, and adb (process 9), which it started, keeps it"
    )
    assert said(ticket(pid=0)) == "npx in ~/shop (inside a sandbox), for 4 min"
    assert said(ticket(pid=0, program="", folder="")) == "a process that cannot be named"


def test_outside_text_is_made_safe() -> None:
    assert (
        said(ticket(program="np\x1b[31mx\n", folder="/srv/\x1b]0;a\x07b"))
        == "npx in /srv/b (process 4312), for 4 min"
    )


@pytest.mark.parametrize(
    ("number", "word"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (111, "111th"),
    ],
)
def test_ordinals(number: int, word: str) -> None:
    assert ordinal(number) == word


def test_sentences() -> None:
    assert noun("lock", "browser", 1) == "the browser lock"
    assert noun("slot", "heavy", 2) == "a heavy slot (2 at once)"
    two = held_by([ticket(), ticket(pid=5)], NOW, lambda _: "", lambda _: "")
    assert two == (
        "Held by npx in ~/shop (process 4312), for 4 min; and by npx in ~/shop (process 5), for 4 min."
    )
    assert held_by([], NOW, lambda _: "", lambda _: "") == "It is free, and others are before you."


def test_a_whole_queue() -> None:
    tickets = [ticket(has_turn=True), ticket(number=2, pid=5, program="make", since_ms=NOW)]
    assert render_queue("heavy", 1, tickets, NOW, lambda _: "", lambda _: "") == [
        "heavy: 1 of 1 in use",
        "  has it  npx in ~/shop (process 4312), for 4 min",
        "  1st     make in ~/shop (process 5), for 0 s",
    ]
    assert render_queue("browser", None, [], NOW, lambda _: "", lambda _: "") == ["browser: free"]
