"""Which processes are interactive Claude Code agents, and which one a pane belongs to.

Seen: the npm package's native binary (``…/claude-code/bin/claude.exe``), node running ``cli.js`` of older
packages, and a node wrapper whose direct child is the native binary. One-shot runs (``-p``), SDK children and
subcommands are not agents. A claude inside another agent's tool call belongs to that agent: the outermost one
of a pane counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from controlroom.kit.process import Process, Processes

_NATIVE = re.compile(
    r"(?:/claude(?:\.exe)?|/claude/versions/[^/]+|/claude-code[^/]*/(?:.*/)?claude(?:\.exe)?)$"
)
_SCRIPT = re.compile(r"(?:/claude-code/(?:cli\.m?js|bin/[^/]+)|/bin/claude)$")
_RUNTIMES = frozenset({"node", "nodejs", "bun", "deno"})
_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "tmux", "sudo", "su", "env"})
_OTHER_AGENTS = frozenset({"codex"})
_ONE_SHOT = frozenset({"-p", "--print", "--version", "-v", "--help", "-h"})
_SUBCOMMANDS = frozenset(
    {
        *("mcp", "update", "upgrade", "doctor", "agents", "install", "setup-token", "config", "plugin"),
        *("plugins", "auth", "migrate-installer", "api", "auto-mode", "remote-control", "server"),
    }
)
_WITH_SESSION = ("--resume", "-r", "--session-id")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)


class Start(msgspec.Struct, frozen=True):
    """How an agent was started, by its arguments."""

    session_id: str | None = None
    resumed: bool = False  # it was asked to go on with a session that must exist


def base_name(path: str) -> str:
    return path.removesuffix(" (deleted)").rpartition("/")[2]


def is_claude(process: Process) -> bool:
    """Is this Claude Code at all, whatever for? A name alone is no proof where the program's path is known:
    a shell script called claude is not."""
    exe = process.exe.removesuffix(" (deleted)")  # an update replaces the binary of a running agent
    if _NATIVE.search(exe):
        return True
    name = base_name(exe)
    if name in _SHELLS:
        return False
    if name in _RUNTIMES and any(_SCRIPT.search(argument) for argument in process.argv[1:4]):
        return True
    return bool(process.argv) and base_name(process.argv[0]) == "claude"


def is_interactive(process: Process) -> bool:
    """Meant for a person at a terminal: no one-shot run, no subcommand, not driven by another program."""
    arguments = arguments_of(process)
    if arguments and arguments[0] in _SUBCOMMANDS:
        return False
    for argument in arguments:
        if argument == "--":
            break
        if argument in _ONE_SHOT or argument.startswith(("--input-format", "--output-format")):
            return False
    return True


def start_of(process: Process) -> Start:
    """The session named by the arguments. ``/clear`` changes it later, so it is only a hint."""
    arguments = arguments_of(process)
    for at, argument in enumerate(arguments):
        name, _, value = argument.partition("=")
        if name in _WITH_SESSION:
            value = value or (arguments[at + 1] if at + 1 < len(arguments) else "")
            if _UUID.fullmatch(value):
                return Start(
                    value.lower(), resumed=name != "--session-id" and "--fork-session" not in arguments
                )
    return Start()


def arguments_of(process: Process) -> Sequence[str]:
    """Its arguments without the program (and, for a runtime, without the script)."""
    argv = process.argv
    if base_name(process.exe) in _RUNTIMES:
        for at, argument in enumerate(argv[1:4], start=1):
            if _SCRIPT.search(argument):
                return argv[at + 1 :]
    return argv[1:]


def agents_below(processes: Processes, pid: int) -> tuple[Process, ...]:
    """The outermost agents in a pane's process tree. More than one only when a shell there runs several."""
    found: list[Process] = []
    covered: set[int] = set()  # agents, and everything that runs inside them
    for process in processes.below(pid):
        if process.ppid in covered:
            covered.add(process.pid)
        elif is_claude(process):
            covered.add(process.pid)
            found.append(_behind_wrapper(processes, process))
        elif base_name(process.exe) in _OTHER_AGENTS or _runs_other_agent(process):
            covered.add(process.pid)
    return tuple(process for process in found if is_interactive(process))


def _runs_other_agent(process: Process) -> bool:
    return base_name(process.exe) in _RUNTIMES and any(
        base_name(argument) in _OTHER_AGENTS or base_name(argument) == "codex.js"
        for argument in process.argv[1:3]
    )


def _behind_wrapper(processes: Processes, process: Process) -> Process:
    """The native program behind a runtime that only started it."""
    if base_name(process.exe) not in _RUNTIMES:
        return process
    for child in processes.children(process.pid):
        if _NATIVE.search(child.exe.removesuffix(" (deleted)")) and child.argv[1:] == tuple(
            arguments_of(process)
        ):
            return child
    return process
