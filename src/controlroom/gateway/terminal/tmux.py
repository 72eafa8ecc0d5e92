"""The tmux server of the terminal channel: ours by name, with our configuration, its sessions the person's.

It outlives the Control Room, so that a shell survives a lost socket and a restart. Sessions are addressed by
their exact name (``=name:``): without it tmux takes the first name that begins so.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from controlroom.core.terminal import (
    CLIENTS_FORMAT,
    LIST_FORMAT,
    REPLAY_LINES,
    TmuxSession,
    cut_replay,
    parse_sessions,
)
from controlroom.core.text import clean_line
from controlroom.kit.child import Child

COMMAND_S: Final = 5.0  # tmux answers within milliseconds; a loaded machine may need a second

# The effects of the relay contract, section 10.2.
CONFIGURATION: Final = """\
# Written by the Control Room at each start, for the shells of its terminal channel.
set -s escape-time 0
set -s focus-events on
set -s set-clipboard on
set -g default-terminal "tmux-256color"
set -as terminal-features ",xterm-256color:RGB"
set -g mouse on
set -g history-limit 10000
set -g status off
setw -g aggressive-resize on
"""

# Of a tmux or a multiplexer in which the Control Room itself was started, and of the Control Room.
_NOT_PASSED_ON = ("TMUX", "TMUX_PANE", "STY")
_NOT_PASSED_ON_PREFIX = "CONTROLROOM_"


class TmuxFailed(Exception):
    """tmux did not do it; the text is for people."""


class Ran(msgspec.Struct, frozen=True):
    """How one command ended."""

    code: int
    out: str
    err: str


def shell_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a shell of the person inherits: everything that is not about where the Control Room runs."""
    return {
        name: value
        for name, value in environment.items()
        if name not in _NOT_PASSED_ON and not name.startswith(_NOT_PASSED_ON_PREFIX)
    }


def server_name(home: Path) -> str:
    """The ``-L`` name for a data folder: two Control Rooms of one user never share a server."""
    return f"controlroom-terminal-{hashlib.blake2b(os.fsencode(home.resolve()), digest_size=4).hexdigest()}"


class TerminalServer:
    """The server behind ``-L name``. It starts with its first session and ends with its last."""

    def __init__(self, environment: Mapping[str, str], name: str, configuration: Path) -> None:
        self._environment = shell_environment(environment)
        self._name = name
        self._configuration = configuration

    @property
    def program(self) -> str:
        """The path of tmux, "" when it is not installed."""
        return shutil.which("tmux", path=self._environment.get("PATH", "")) or ""

    def configure(self) -> None:
        """Write the configuration. Raises OSError."""
        self._configuration.parent.mkdir(mode=0o700, exist_ok=True)
        self._configuration.write_text(CONFIGURATION, encoding="utf-8")

    def attach_arguments(self, name: str, shown_name: str, command: tuple[str, ...]) -> list[str]:
        """The command line of a client that enters the session, and makes it when there is none: with
        ``command`` (nothing: the login shell). ``shown_name`` is what the client calls it."""
        return [
            *self._words(),
            "new-session",
            "-A",
            "-s",
            _word(name.replace("#", "##")),  # the name is a format: "#(…)" would run
            "-e",
            _word(f"HERMES_RELAY_TERMINAL={shown_name}"),
            "-e",
            "COLORTERM=truecolor",
            *(_word(part) for part in command),
        ]

    async def has(self, name: str) -> bool:
        """Whether the session exists. Raises TmuxFailed."""
        return (await self._run("has-session", "-t", _exactly(name))).code == 0

    async def replay(self, name: str) -> str:
        """The last text of the session's pane, without escape codes; "" when it went away."""
        ran = await self._run("capture-pane", "-p", "-t", _exactly(name), "-S", f"-{REPLAY_LINES}")
        return cut_replay(ran.out) if ran.code == 0 else ""

    async def sessions(self) -> tuple[TmuxSession, ...]:
        """All sessions of the channel; no server is no session. Raises TmuxFailed."""
        listed = await self._run("list-sessions", "-F", LIST_FORMAT)
        if listed.code != 0:
            return ()
        clients = await self._run("list-clients", "-F", CLIENTS_FORMAT)
        return parse_sessions(listed.out, clients.out)

    async def kill(self, name: str) -> bool:
        """End the session; False when there is none. Raises TmuxFailed."""
        return (await self._run("kill-session", "-t", _exactly(name))).code == 0

    def _words(self) -> list[str]:
        return [self.program or "tmux", "-L", self._name, "-f", str(self._configuration), "-u"]

    async def _run(self, *words: str) -> Ran:
        parts: dict[int, list[bytes]] = {1: [], 2: []}
        environment = {**self._environment, "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        try:
            child = await Child.spawn(
                [*self._words(), "-N", *words], environment, lambda fd, data: parts[fd].append(data)
            )
        except OSError as error:
            raise TmuxFailed(f"tmux cannot be run: {error.strerror}") from None
        try:
            async with asyncio.timeout(COMMAND_S):
                child.close_input()
                await child.finished()
        except TimeoutError:
            raise TmuxFailed(f"tmux did not answer in {COMMAND_S:g} s") from None
        finally:
            await child.aclose()
        out, err = (b"".join(parts[fd]).decode("utf-8", "replace") for fd in (1, 2))
        return Ran(1 if child.code is None else child.code, out, clean_line(err))


def _exactly(name: str) -> str:
    return _word(f"={name}:")


def _word(text: str) -> str:
    """One argument; tmux takes a semicolon at the end of one as the end of the command."""
    return f"{text[:-1]}\\;" if text.endswith(";") else text
