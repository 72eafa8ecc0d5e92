"""Which processes are interactive Codex agents, and what their command lines say (codex.md section 3).

In a pane stand shell > ``node …/codex`` > the native ``codex``; the native process is the agent. The same
program also serves as sandbox, patch tool, background server and ``codex exec``: those are no agents, nor is
anything below an agent. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from controlroom.kit.process import Process

_NATIVE = re.compile(r"^codex(?:-(?:x86_64|aarch64)[\w-]*)?$")
_ARG0_TOOLS = (
    "codex-linux-sandbox",
    "codex-execve-wrapper",
    "apply_patch",
    "applypatch",
    "codex-code-mode-host",
)
_NOT_AGENTS = frozenset(
    [
        *("agents", "exec", "e", "review", "login", "logout", "mcp", "mcp-server", "plugin", "app-server"),
        *("remote-control", "completion", "update", "doctor", "sandbox", "debug", "apply", "a", "queue"),
        *("archive", "unarchive", "delete", "migrate-rollouts", "migrate-nfs-db", "cloud", "exec-server"),
        *("features", "help", "proto", "responses-api-proxy", "execpolicy", "stdio-to-uds", "app"),
    ]
)
WITH_VALUE = frozenset(
    [
        *("-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env", "-i", "--image"),
        *("-m", "--model", "--local-provider", "-p", "--profile", "-s", "--sandbox", "-C", "--cd"),
        *("--add-dir", "-a", "--ask-for-approval"),
    ]
)
_NO_TUI = frozenset({"-h", "--help", "-V", "--version"})
UUID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")


class CommandLine(msgspec.Struct, frozen=True):
    """What an interactive ``codex`` was asked for. ``session_id`` only where a whole id was named."""

    session_id: str | None = None
    is_fork: bool = False
    folder: str = ""
    without_daemon: bool = False
    remote: bool = False


def read_command_line(argv: Sequence[str]) -> CommandLine | None:
    """None when this is not the interactive program."""
    if argv and _base(argv[0]) in _ARG0_TOOLS:
        return None
    words: list[str] = []
    folder, without_daemon, remote = "", False, False
    rest = list(argv[1:])
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            words += rest
            break
        if name in _NO_TUI:
            return None
        if name in WITH_VALUE and not equals and rest:
            value = rest.pop(0)
        if name in ("-C", "--cd"):
            folder = value
        elif name == "--remote":
            remote = True
        elif name == "--no-daemon":
            without_daemon = True
        elif not word.startswith("-"):
            words.append(word)
    command = words[0] if words else ""
    if command in _NOT_AGENTS:
        return None
    session_id = None
    if command in ("resume", "fork"):
        session_id = next((word for word in words[1:2] if UUID.match(word)), None)
    return CommandLine(session_id, command == "fork", folder, without_daemon, remote)


def agents_in(below_pane: Iterable[Process]) -> list[tuple[Process, CommandLine]]:
    """The agents among a pane's processes (parents first): the topmost native ones that are interactive."""
    found: list[tuple[Process, CommandLine]] = []
    inside: set[int] = set()  # the native processes and everything below them
    for process in below_pane:
        if process.ppid in inside:
            inside.add(process.pid)
        elif is_native(process):
            inside.add(process.pid)
            line = read_command_line(process.argv)
            if line is not None:
                found.append((process, line))
    return found


def is_wrapper(process: Process) -> bool:
    """The npm script that waits for the native program (Node.js without ``execve``; others become it)."""
    return _base(process.exe) == "node" and any(
        _base(word) in ("codex", "codex.js") for word in process.argv[1:2]
    )


def is_native(process: Process) -> bool:
    """By its file where that can be read: the name a process shows can be changed."""
    if process.exe:
        return _NATIVE.match(_base(process.exe.removesuffix(" (deleted)"))) is not None
    return _NATIVE.match(process.name) is not None


def daemons_in(processes: Iterable[Process]) -> list[Process]:
    """Background servers: ``codex app-server --listen unix:// … --managed-daemon``."""
    return [
        process
        for process in processes
        if len(process.argv) > 2
        and process.argv[1] == "app-server"
        and "--listen" in process.argv
        and is_native(process)
    ]


def _base(path: str) -> str:
    return path.rpartition("/")[2]
