"""A scripted agent's screen: always as many rows as the terminal has, none wider than it."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from controlroom.testing.scripted.dialogs import ask_permission, ask_person
from controlroom.testing.scripted.look import Look
from controlroom.testing.scripted.picture import draw, wrapped
from tests.unit.testing.test_scripted_dialogs import FRUIT, RUN

CODES = re.compile(r"\x1b\[[0-9;]*m")


def plain(look: Look, width: int = 80, height: int = 24) -> list[str]:
    return [CODES.sub("", row).rstrip(" ") for row in draw(look, width, height)]


def looks() -> dict[str, Look]:
    made = {
        name: Look("~/work/orchard") for name in ("idle", "busy", "permission", "picker", "limit", "full")
    }
    for look in made.values():
        look.add("prompt", "Make the report.")
        look.add("words", "I will do so. " * 20)
    made["busy"].spinner = "Sorting"
    made["permission"].dialog = ask_permission(RUN, "/work")
    made["picker"].dialog = ask_person(FRUIT)
    made["limit"].limit = "1:06pm"
    for n in range(80):
        made["full"].add("note", f"line {n}")
    made["full"].composer.type("漢字 " * 60)
    return made


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (40, 12), (20, 5)])
@pytest.mark.parametrize("name", looks())
def test_it_fits(name: str, size: tuple[int, int]) -> None:
    width, height = size
    rows = plain(looks()[name], width, height)
    assert len(rows) == height
    if width >= 80:  # a terminal that is narrower cuts the rows itself
        assert all(cell_len(row) <= width for row in rows)


def test_the_input_line_stands_between_rules_above_the_footer() -> None:
    look = looks()["idle"]
    look.composer.type("a draft")
    rows = plain(look)
    assert rows[-4:] == ["─" * 80, "❯\u00a0a draft", "─" * 80, "  ⏸ manual mode on · ? for shortcuts"]


def test_a_permission_dialog_replaces_the_input_line() -> None:
    rows = plain(looks()["permission"])
    assert rows[-6:] == [
        " Do you want to proceed?",
        " ❯ 1. Yes",
        "   2. Yes, and don't ask again for: rm commands in /work",
        "   3. No",
        "",
        " Esc to cancel · Tab to amend",
    ]


def test_a_long_paste_is_a_mark_and_is_sent_whole() -> None:
    look = Look("~")
    look.composer.type("See: ")
    look.composer.paste("1\n2\n3\n4")
    assert look.composer.shown == "See: [Pasted text #1 +3 lines]"
    assert look.composer.take() == (
        'See: \n\n<pasted_content id="1bd1">\n1\n2\n3\n4\n</pasted_content id="1bd1">\n'
    )


@given(st.text(alphabet="ab 漢\n", max_size=60), st.integers(10, 30))
@example("aaaaa漢漢漢 ", 10)
def test_wrapping_loses_nothing(text: str, width: int) -> None:
    lines = wrapped(text, width, "  ")
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
