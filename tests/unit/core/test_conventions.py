"""The conventions: what they teach can be read, and they come and go without a trace."""

from __future__ import annotations

import re
import shlex
from datetime import UTC
from importlib import import_module

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.core.blocks import parse_reply
from controlroom.core.conventions import (
    FILES,
    VERSION,
    BrokenMarkers,
    conventions,
    difference,
    find,
    install,
    remove,
)
from controlroom.core.due import read_due

BODY = conventions("controlroom")
OLDER = "Older words.\n"
EXAMPLES = re.findall(r"```\n(.*?)```", BODY, re.DOTALL)
NOW_MS = 1_796_000_000_000


def blocked(text: str, body: str = BODY) -> tuple[str, str, str]:
    """What stands before, in and behind the markers of an installed text."""
    whole = install(text, body)
    found = find(whole)
    assert found is not None
    return whole[: found.start], whole[found.start : found.end], whole[found.end :]


# ---- what they teach ---------------------------------------------------------------------------------------


def test_every_form_is_in_them_and_is_read_without_a_problem() -> None:
    question, resolved, status, result = (parse_reply(example) for example in EXAMPLES[:4])
    assert [entry.problem for entry in question.questions] == [None]
    assert question.ends_in_question
    assert question.questions[0].options[1].recommended
    assert question.questions[0].doc == "https://docs.example/invoices"
    assert [entry.problem for entry in resolved.resolved] == [None]
    assert resolved.resolved[0].text == question.questions[0].question
    assert status.status == "3 of 9 packages are done"
    assert result.result is not None
    assert result.result.problem is None
    assert all((result.result.changed, result.result.checked, result.result.not_done, result.result.look_at))


def test_the_blocking_form_they_name_is_read() -> None:
    assert "`Blocking: yes`" in BODY
    (question,) = parse_reply(
        EXAMPLES[0].replace("Default: I move only this year's by 18:00", "Blocking: yes")
    ).questions
    assert (question.blocking, question.default, question.problem) == (True, None, None)


@pytest.mark.parametrize("said", ["18:00", "tomorrow 09:00", "2026-12-31 18:00 UTC", "90 min"])
def test_each_time_they_name_is_clear(said: str) -> None:
    assert f"`{said}`" in BODY
    (question,) = parse_reply(EXAMPLES[0].replace("by 18:00", f"by {said}")).questions
    assert question.default is not None
    assert question.default.by == said
    due = read_due(said, asked_at_ms=NOW_MS, zone=UTC, zone_of=lambda _name: None)
    assert due.at_ms is not None
    assert due.problem is None or "next day" in due.problem


@pytest.mark.parametrize("words", ["lock browser -- npx playwright test", "slot heavy -- make simulations"])
def test_the_queues_they_name_are_commands(words: str) -> None:
    assert f"\ncontrolroom {words}\n" in BODY
    name, *rest = words.split()
    found = import_module(f"controlroom.cli.{name}").command
    with found.make_context(name, rest) as context:
        assert context.params["name"] == rest[0]
        assert context.meta["controlroom.command"] == tuple(rest[2:])
    assert "75" in found.help


def test_nothing_in_them_counts_when_an_agent_recites_them() -> None:
    """The examples are fenced, so that an agent that prints its instructions asks nobody."""
    said = parse_reply(BODY)
    assert (said.questions, said.resolved, said.result, said.status) == ((), (), None, None)


def test_the_command_can_be_typed_as_it_stands() -> None:
    command = conventions("/opt/room/controlroom --home '/home/kim/a b'")
    words = shlex.split(re.findall(r"```\n(.*?)```", command, re.DOTALL)[4])
    assert words[:4] == ["/opt/room/controlroom", "--home", "/home/kim/a b", "ask"]


def test_they_are_short() -> None:
    assert len(BODY) < 3_000
    assert BODY.isascii()
    assert max(len(line) for line in BODY.splitlines()) < 160


# ---- in and out --------------------------------------------------------------------------------------------

TEXTS = [
    "",
    "# Mine\n",
    "# Mine\n\n",
    "# Mine",
    "# Mine\r\nmore\r\n",
    "# Mine\r\nmore",
    "\ufeff# Mine\n",
    "\ufeff",
    "\n",
    "\n\n\n",
    "a\r\nb\n",
    "bytes \udcff that are no text\n",
    "\x0c\x1c\u2028 lines that are none\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_what_was_there_is_byte_for_byte_there_after(text: str) -> None:
    assert remove(install(text, BODY)) == text


@given(st.text(st.sampled_from("ab \t\r\n\ufeff#<!-\udc80é"), max_size=60))
def test_any_text_comes_back(text: str) -> None:
    whole = install(text, BODY)
    assert remove(whole) == text
    assert install(whole, BODY) == whole
    assert remove(install(whole, OLDER)) == text


def test_a_file_that_was_made_for_them_goes_with_them() -> None:
    whole = install(None, BODY)
    assert remove(whole) is None
    assert remove(whole + "Mine.\n") == "Mine.\n"
    assert remove(install("", BODY)) == ""


def test_they_take_the_line_ends_of_the_file() -> None:
    before, ours, behind = blocked("one\r\ntwo\r\n")
    assert (before, behind) == ("one\r\ntwo\r\n\r\n", "")
    assert ours.count("\n") == ours.count("\r\n") > 30
    found = find(before + ours)
    assert found is not None
    assert not found.is_edited


def test_an_older_text_is_replaced_where_it_stands() -> None:
    old = install("first\n", OLDER) + "\nlast\n"
    new = install(old, BODY)
    assert new.startswith("first\n\n<!-- controlroom conventions: begin")
    assert new.endswith("<!-- controlroom conventions: end -->\n\nlast\n")
    assert OLDER not in new
    assert remove(new) == "first\n\nlast\n"


def test_a_line_written_below_does_not_join_the_one_above() -> None:
    assert remove(install("first", BODY) + "last") == "first\nlast"


def test_lines_written_right_above_are_kept_whole() -> None:
    whole = install("first\n", BODY).replace("first\n\n", "first\n\nmore\n")
    assert remove(whole) == "first\n\nmore\n"


def test_a_hand_that_changed_them_is_seen() -> None:
    whole = install("first\n", BODY)
    for text, is_edited in ((whole, False), (whole.replace("18:00", "19:00"), True)):
        found = find(text)
        assert found is not None
        assert found.is_edited is is_edited


# ---- markers that cannot be trusted ------------------------------------------------------------------------

WHOLE = install("first\n", BODY)
LINES = WHOLE.splitlines(keepends=True)
BEGIN = next(line for line in LINES if "begin" in line)
END = LINES[-1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (WHOLE.replace(END, ""), "the begin marker of the conventions without the end"),
        (WHOLE.replace(BEGIN, ""), "the end marker of the conventions without the begin"),
        (WHOLE + WHOLE, "more than once"),
        (WHOLE + END, "more than once"),
        (BEGIN + WHOLE, "more than once"),
        (END + "x\n" + BEGIN, "before the begin"),
        (WHOLE.replace("joint=1", "joint=9"), "begin marker of the conventions is damaged"),
        (WHOLE.replace(f"version={VERSION} ", ""), "begin marker of the conventions is damaged"),
        (WHOLE.replace(BEGIN, "x " + BEGIN), "begin marker of the conventions is damaged"),
        (WHOLE.replace(END, "x " + END), "Other text stands in the line of the end marker"),
    ],
)
def test_broken_markers_are_said_and_nothing_is_guessed(text: str, said: str) -> None:
    for work in (lambda: install(text, BODY), lambda: remove(text), lambda: find(text)):
        with pytest.raises(BrokenMarkers, match=said) as caught:
            work()
        assert "nothing was changed" in str(caught.value)


def test_white_space_around_a_marker_is_no_damage() -> None:
    text = WHOLE.replace(BEGIN, f"  {BEGIN.rstrip()}  \n")
    assert remove(text) == "first\n"


# ---- the rest ----------------------------------------------------------------------------------------------


def test_the_difference_shows_what_is_written_and_nothing_else() -> None:
    lines = difference("first\n", WHOLE, "CLAUDE.md")
    assert lines[:2] == ["--- CLAUDE.md", "+++ CLAUDE.md"]
    assert not [line for line in lines[2:] if line.startswith("-")]
    assert difference(None, WHOLE, "CLAUDE.md")[0] == "--- (no file)"
    assert difference(WHOLE, None, "CLAUDE.md")[1] == "+++ (no file)"
    assert difference(WHOLE, WHOLE, "CLAUDE.md") == []


def test_each_agent_has_its_file() -> None:
    assert (FILES["claude"].name, FILES["codex"].name) == ("CLAUDE.md", "AGENTS.md")
