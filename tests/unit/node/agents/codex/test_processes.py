"""Which processes are agents, and what their command lines say."""

from __future__ import annotations

import pytest

from controlroom.kit.process import Process
from controlroom.node.agents.codex.processes import CommandLine, agents_in, daemons_in, read_command_line

EXE = "/opt/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
ID = "01a22c23-2da6-7350-9a9f-ed920651468b"


def process(pid: int, ppid: int, *argv: str, exe: str = EXE, name: str = "codex") -> Process:
    return Process(
        pid=pid,
        ppid=ppid,
        start=f"{pid}0",
        started_at_ms=pid,
        name=name,
        argv=argv or ("codex",),
        exe=exe,
        uid=1,
    )


SHELL = process(1, 0, "bash", exe="/bin/bash", name="bash")
NODE = process(2, 1, "node", "/usr/bin/codex", exe="/usr/bin/node", name="node")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("", CommandLine()),
        ("--no-daemon", CommandLine(without_daemon=True)),
        ("fix the gate", CommandLine()),
        (f"resume {ID}", CommandLine(session_id=ID)),
        (f"--no-daemon resume {ID}", CommandLine(session_id=ID, without_daemon=True)),
        (f"resume --no-daemon {ID}", CommandLine(session_id=ID, without_daemon=True)),
        (f"-m exec resume {ID}", CommandLine(session_id=ID)),
        ("resume --last", CommandLine()),
        ("resume my-thread-name", CommandLine()),
        (f"fork {ID}", CommandLine(session_id=ID, is_fork=True)),
        ("-C /home/kim/garden", CommandLine(folder="/home/kim/garden")),
        ("--cd=/home/kim/garden --search", CommandLine(folder="/home/kim/garden")),
        ("--remote unix:///x", CommandLine(remote=True)),
        ("-c model=x -i a.png -- exec", None),
        ("exec say hi", None),
        ("-m gpt-6-sol exec say hi", None),
        ("app-server --listen unix://", None),
        ("agents", None),
        ("login", None),
        ("--version", None),
    ],
)
def test_command_lines(words: str, line: CommandLine | None) -> None:
    assert read_command_line(["codex", *words.split()]) == line


def test_the_same_file_under_another_name_is_no_agent() -> None:
    for name in ("codex-linux-sandbox", "/x/apply_patch"):
        assert read_command_line([name, "--sandbox-policy", "{}"]) is None


def test_the_native_process_below_shell_and_wrapper_is_the_agent() -> None:
    native = process(3, 2, EXE, "--no-daemon")
    found = agents_in([SHELL, NODE, native])
    assert [(agent.pid, line.without_daemon) for agent, line in found] == [(3, True)]


def test_nothing_below_an_agent_is_an_agent() -> None:
    native = process(3, 2)
    below = [
        process(4, 3, EXE, "app-server", "--listen", "unix://", "--managed-daemon"),
        process(5, 3, "bash", exe="/bin/bash", name="bash"),
        process(6, 5, EXE),
        process(7, 3, "codex-linux-sandbox", "--x"),
    ]
    assert [agent.pid for agent, _ in agents_in([SHELL, NODE, native, *below])] == [3]


def test_a_process_is_known_by_its_file_and_not_by_its_name() -> None:
    assert agents_in([SHELL, process(3, 1, "something", name="renamed")])
    assert agents_in([SHELL, process(3, 1, exe=EXE + " (deleted)")])
    assert not agents_in([SHELL, process(3, 1, exe="/usr/bin/vim", name="codex")])
    assert not agents_in([SHELL, process(3, 1, exe="/x/codex-code-mode-host")])


def test_a_process_that_hides_its_file_is_known_by_its_name() -> None:
    assert agents_in([SHELL, NODE, process(3, 2, exe="")])


def test_codex_exec_is_no_agent() -> None:
    assert agents_in([SHELL, process(3, 1, EXE, "exec", "say hi")]) == []


def test_background_servers() -> None:
    server = process(4, 1, EXE, "app-server", "--listen", "unix://", "--managed-daemon")
    loop = process(5, 1, EXE, "app-server", "daemon", "pid-update-loop")
    assert daemons_in([SHELL, process(3, 1), server, loop]) == [server]
