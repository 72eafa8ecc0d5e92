"""Which processes are agents: told by program, arguments and ancestry, never by a window's title."""

from __future__ import annotations

import pytest

from controlroom.kit.process import Process
from controlroom.node.agents.claude.processes import agents_below, is_claude, is_interactive, start_of
from tests.support.fake_processes import FakeProcesses
from tests.unit.node.agents.claude.desk import NATIVE, process

ID = "5109abef-152e-44c3-b030-dc0e1234942b"
CLI = "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"


@pytest.mark.parametrize(
    ("exe", "argv", "expected"),
    [
        (NATIVE, ("claude",), True),
        (NATIVE, ("renamed-by-hand",), True),
        (f"{NATIVE} (deleted)", ("claude",), True),  # an update replaced the running program
        ("/home/dev/.local/share/claude/versions/2.1.332", ("claude",), True),
        ("/home/dev/.local/bin/claude", ("claude", "--resume", ID), True),
        ("/usr/bin/node", ("node", CLI), True),
        ("/usr/bin/node", ("node", "--no-warnings", "/home/dev/.npm/bin/claude"), True),
        ("/usr/bin/python3.11", ("claude", "-m", "scripted"), True),
        ("", ("claude",), True),  # its program cannot be read
        ("/bin/bash", ("claude", "wrapper"), False),
        ("/bin/bash", ("bash", "/usr/local/bin/claude"), False),
        ("/usr/bin/vim", ("vim", "claude"), False),
        ("/usr/bin/node", ("node", "server.js"), False),
        ("/usr/bin/claudette", ("claudette",), False),
    ],
)
def test_what_is_claude_code(exe: str, argv: tuple[str, ...], expected: bool) -> None:
    assert is_claude(process(2, 1, exe, *argv)) is expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), True),
        (("--resume", ID), True),
        (("fix the pears",), True),
        (("--model", "opus", "--permission-mode", "plan"), True),
        (("--", "-p"), True),
        (("-p", "hello"), False),
        (("--print",), False),
        (("--output-format", "stream-json"), False),
        (("--input-format=stream-json",), False),
        (("mcp", "serve"), False),
        (("update",), False),
        (("--version",), False),
    ],
)
def test_what_a_person_talks_to(arguments: tuple[str, ...], expected: bool) -> None:
    assert is_interactive(process(2, 1, NATIVE, "claude", *arguments)) is expected
    assert is_interactive(process(2, 1, "/usr/bin/node", "node", CLI, *arguments)) is expected


@pytest.mark.parametrize(
    ("arguments", "session_id", "resumed"),
    [
        ((), None, False),
        (("--resume", ID), ID, True),
        ((f"--resume={ID.upper()}",), ID, True),
        (("-r", ID), ID, True),
        (("--session-id", ID), ID, False),
        (("--resume", ID, "--fork-session"), ID, False),
        (("--resume",), None, False),
        (("--resume", "crate-sorter"), None, False),
        (("--continue",), None, False),
    ],
)
def test_the_session_in_the_arguments(
    arguments: tuple[str, ...], session_id: str | None, resumed: bool
) -> None:
    start = start_of(process(2, 1, NATIVE, "claude", *arguments))
    assert (start.session_id, start.resumed) == (session_id, resumed)


def below(*processes: Process) -> list[int]:
    machine = FakeProcesses(folder="/")
    machine.add(process(10, 1, "/bin/bash", "-bash"), *processes)
    return [each.pid for each in agents_below(machine, 10)]


class TestTrees:
    def test_a_shell_alone_holds_no_agent(self) -> None:
        assert below() == []

    def test_the_program_of_the_pane_itself(self) -> None:
        machine = FakeProcesses(folder="/")
        machine.add(process(10, 1, NATIVE, "claude"))
        assert [each.pid for each in agents_below(machine, 10)] == [10]

    def test_behind_any_wrapper(self) -> None:
        wrapper = process(11, 10, "/bin/sh", "sh", "start.sh")
        assert below(wrapper, process(12, 11, NATIVE, "claude")) == [12]

    def test_the_native_program_behind_its_node_wrapper(self) -> None:
        wrapper = process(11, 10, "/usr/bin/node", "node", "/usr/bin/claude", "--resume", ID)
        assert below(wrapper, process(12, 11, NATIVE, NATIVE, "--resume", ID)) == [12]

    def test_an_agent_that_another_one_started_is_not_the_panes(self) -> None:
        outer = process(11, 10, NATIVE, "claude")
        tool = process(12, 11, "/bin/bash", "bash", "-c", "claude")
        assert below(outer, tool, process(13, 12, NATIVE, "claude")) == [11]

    @pytest.mark.parametrize(
        "other",
        [
            process(11, 10, "/usr/bin/codex", "codex"),
            process(11, 10, "/usr/bin/node", "node", "/usr/bin/codex"),
        ],
    )
    def test_nor_one_that_an_agent_of_another_kind_started(self, other: Process) -> None:
        assert below(other, process(13, 11, NATIVE, "claude")) == []

    def test_a_child_that_runs_as_another_program_is_covered(self) -> None:
        assert below(process(11, 10, NATIVE, "claude"), process(12, 11, NATIVE, "rg", "pears")) == [11]

    def test_a_one_shot_run_is_no_agent(self) -> None:
        assert below(process(11, 10, NATIVE, "claude", "-p", "count")) == []

    def test_two_in_one_shell_are_both_named(self) -> None:
        assert below(process(11, 10, NATIVE, "claude"), process(12, 10, NATIVE, "claude")) == [11, 12]
