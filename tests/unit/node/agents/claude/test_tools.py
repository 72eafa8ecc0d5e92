"""Tool calls as people read them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from controlroom.node.agents.claude.protocol import Block, RowDecoder
from controlroom.node.agents.claude.tools import TOOL_LIMIT, changes, clip, outcome, shown_input, title


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Bash", {"command": "git status\ngit log"}, "Bash: git status"),
        ("Edit", {"file_path": "/home/dev/work/src/a.py"}, "Edit src/a.py"),
        ("Read", {"file_path": "/etc/hosts"}, "Read /etc/hosts"),
        ("Agent", {"description": "Count pears"}, "Agent: Count pears"),
        ("Grep", {"pattern": "pears", "path": "/x"}, "Grep: pears"),
        ("WebFetch", {"url": "https://example.org"}, "WebFetch: https://example.org"),
        ("TodoWrite", {"todos": [1, 2]}, "Todos: 2"),
        ("ExitPlanMode", {"plan": "# A plan"}, "Plan"),
        ("AskUserQuestion", {"questions": [{"question": "Ship?", "options": []}]}, "Question: Ship?"),
        ("mcp__fleet__restart_agent", {}, "fleet: restart_agent"),
        ("Odd", {"command": 5}, "Odd"),
        ("Bash", {"command": "\x1b[31mred\x07"}, "Bash: red"),
    ],
)
def test_titles_are_one_line(name: str, given: dict[str, object], expected: str) -> None:
    assert title(name, given, "/home/dev/work") == expected


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Bash", {"command": "a\nb"}, "a\nb"),
        ("Write", {"content": "text"}, "text"),
        ("Edit", {"old_string": "a", "new_string": "b\nc"}, "- a\n+ b\n+ c"),
        ("MultiEdit", {"edits": [{"old_string": "a", "new_string": "b"}, "odd"]}, "- a\n+ b"),
        ("Agent", {"prompt": "count them"}, "count them"),
        ("Odd", {"a": [1]}, '{\n  "a": [\n    1\n  ]\n}'),
    ],
)
def test_inputs_are_what_would_be_done(name: str, given: dict[str, object], expected: str) -> None:
    shown = shown_input(name, given)
    assert shown is not None and shown.text == expected


@pytest.mark.parametrize(
    ("name", "given"), [("Read", {"file_path": "/x"}), ("Bash", {}), ("Edit", {"old_string": 1})]
)
def test_no_input_when_the_title_says_it_all(name: str, given: dict[str, object]) -> None:
    assert shown_input(name, given) is None


def test_a_long_text_is_cut_and_says_so() -> None:
    assert clip("x" * (TOOL_LIMIT + 1), TOOL_LIMIT).cut
    assert not clip("x" * TOOL_LIMIT, TOOL_LIMIT).cut
    huge = clip("x" * 12_000_000, TOOL_LIMIT)
    assert huge.cut and len(huge.text) == TOOL_LIMIT


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("\x1b[2mdim\x1b[22m", "dim"),
        ("\x1b]0;title\x07text", "text"),
        ("a\x00b\x07c", "abc"),
        ("tab\tstays", "tab\tstays"),
    ],
)
def test_terminal_codes_are_taken_out(text: str, clean: str) -> None:
    assert clip(text, 100).text == clean


def result(block: Mapping[str, object], **row: object) -> tuple[str, str] | None:
    raw = RowDecoder().decode(msgspec.json.encode({"type": "user", **row}))
    told = outcome(raw, msgspec.json.decode(msgspec.json.encode(block), type=Block))
    return None if told is None else (told.state, told.output.text)


class TestOutcomes:
    def test_done_failed_and_refused(self) -> None:
        block = {"tool_use_id": "t", "content": "out"}
        assert result(block) == ("done", "out")
        assert result({**block, "is_error": True}) == ("failed", "out")
        assert result({**block, "is_error": True}, toolDenialKind="permission-rule") == ("refused", "out")
        older = {
            "tool_use_id": "t",
            "content": "The user doesn't want to proceed with this tool use. The",
            "is_error": True,
        }
        told = result(older)
        assert told is not None and told[0] == "refused"

    def test_a_helper_in_the_background_runs_on(self) -> None:
        launched = {"status": "async_launched", "agentId": "a1"}
        assert result({"tool_use_id": "t", "content": "x"}, toolUseResult=launched) == ("running", "")

    def test_a_block_without_its_call_says_nothing(self) -> None:
        assert result({"content": "x"}) is None


class TestChanges:
    def test_lines_of_all_hunks_are_counted(self) -> None:
        patch = [{"lines": [" a", "-b", "+c", "+d"]}, {"lines": ["-e"]}, "odd"]
        (change,) = changes({"filePath": "/w/a.py", "structuredPatch": patch}, "/w")
        assert (change.path, change.added, change.removed) == ("a.py", 2, 2)

    def test_a_new_file_adds_its_lines(self) -> None:
        told = {"type": "create", "filePath": "/x/n.md", "content": "a\nb\n", "structuredPatch": []}
        (change,) = changes(told, "/w")
        assert (change.path, change.added, change.removed) == ("/x/n.md", 2, 0)

    @pytest.mark.parametrize("told", [{}, {"filePath": "/x"}, {"filePath": 5, "structuredPatch": []}])
    def test_other_results_change_no_file(self, told: dict[str, object]) -> None:
        assert changes(told, None) == ()
