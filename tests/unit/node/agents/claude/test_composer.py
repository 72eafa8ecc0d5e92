"""What stands in the input line: drafts, never suggestions."""

from __future__ import annotations

import pytest

from controlroom.core.facts import Composer
from controlroom.node.agents.claude.composer import PASTE_MARK, find_composer, is_rule, read_composer
from tests.unit.node.agents.claude.samples import drawn, frame

RULE = "─" * 80


@pytest.mark.parametrize(
    ("name", "text", "collapsed"),
    [
        ("80x24-welcome-idle", "", False),
        ("80x24-working-queued-message", "", False),  # "Press up to edit queued messages" is a suggestion
        ("80x24-api-error-401-final", "", False),  # so is "Once fixed, resend your message"
        ("120x40-api-429-apikey-final", "", False),
        ("80x24-slash-menu", "/exit", False),
        ("80x24-draft-slash-suggestion", "/cle", False),
        ("80x24-draft-cursor-inside", "hello world", False),
        ("80x24-draft-collapsed", "[Pasted text #1]", True),
        ("80x24-shell-mode", "!", False),  # what is typed there runs as a command
        ("80x24-shell-mode-draft", "!ls -la", False),
        ("80x24-draft-tall", "\n".join(f"line {n}" for n in range(23, 30)), True),
    ],
)
def test_recorded_drafts(name: str, text: str, collapsed: bool) -> None:
    screen = frame(name)
    place = find_composer(screen)
    assert place is not None
    assert read_composer(screen, place) == Composer(text, collapsed=collapsed)


def test_rows_of_a_wrapped_draft_are_joined_with_newlines() -> None:
    screen = frame("80x24-draft-wrapped")
    place = find_composer(screen)
    assert place is not None
    lines = read_composer(screen, place).text.split("\n")
    assert lines[0].startswith("This is one long line") and lines[1].startswith("longer than eighty")
    assert lines[-2:] == ["second", "fourth"]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ("❯\xa0", ""),
        ("❯", ""),  # where blanks were cut
        ("❯\xa0\x1b[7mP\x1b[0;2mress up\x1b[0m", ""),
        ("❯\xa0\x1b[7m \x1b[0m", ""),
        ("❯\xa0a\x1b[7mb\x1b[0mc", "abc"),
        ("❯\xa0ab\x1b[7mc\x1b[0;2md\x1b[0m", "ab"),  # the cursor stands on a suggestion
        ("❯\xa0\x1b[7mx\x1b[0m", "x"),
        ("❯\xa0  two blanks", "  two blanks"),
    ],
)
def test_the_cursor_and_suggestions(row: str, text: str) -> None:
    screen = drawn(RULE, row, RULE, "  ⏸ manual mode on")
    place = find_composer(screen)
    assert place is not None
    assert read_composer(screen, place).text == text


@pytest.mark.parametrize(
    "rows",
    [
        (RULE, "❯\xa0draft"),  # no rule below
        (RULE, "words", RULE),
        (RULE, "❯ 1. Yes", RULE),  # a list's cursor
        (RULE, "❯\xa0draft", "not indented", RULE),
        ("───", "❯\xa0draft", "───"),
    ],
)
def test_no_composer(rows: tuple[str, ...]) -> None:
    assert find_composer(drawn(*rows)) is None


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (RULE, True),
        (f"{'─' * 65} crate-sorter ─", True),
        (f"─── ↑ 24 more {'─' * 66}", True),
        (f"{'─' * 60} 漢字の名前 {'─' * 8}", True),
        ("▔" * 80, True),
        ("  " + "─" * 76, False),
        ("─" * 40, False),
        ("", False),
    ],
)
def test_rules(row: str, expected: bool) -> None:
    assert is_rule(row, 80) is expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("[Pasted text #1]", None),
        ("[Pasted text #12 +59 lines]", "59"),
        ("[...Truncated text #1 +20 lines...]", "20"),
    ],
)
def test_paste_marks(text: str, lines: str | None) -> None:
    match = PASTE_MARK.fullmatch(text)
    assert match is not None and match[1] == lines
