"""Which tmux servers this user has: the sockets that exist, and who answers behind one."""

from __future__ import annotations

import errno
import os
import socket
import stat
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controlroom.core.text import clean_line
from controlroom.node.mux.base import ServerState
from controlroom.node.mux.tmux.binary import Binary
from controlroom.node.mux.tmux.protocol import (
    SESSIONS_FORMAT,
    ServerFacts,
    is_too_old,
    parse_sessions,
)
from controlroom.node.mux.watch import NOBODY, Sockets

PROBE_TIMEOUT_S = 2.5  # a server answers within milliseconds, other programs behind a socket never do


class Nobody(msgspec.Struct, frozen=True):
    """No server behind this socket: it does not exist, or its server ended."""


class Trouble(msgspec.Struct, frozen=True):
    """Somebody is there, but not a server that we can use. ``problem`` is a sentence for people."""

    state: ServerState
    problem: str
    version: str = ""


class Candidates(msgspec.Struct, frozen=True):
    """Sockets that may have a server, each path once, and why some could not be looked for."""

    paths: tuple[str, ...]
    problem: str = ""


def socket_folder(environment: Mapping[str, str], uid: int) -> Path:
    """Where tmux keeps the default server and every ``-L`` of this user (tmux(1), TMUX_TMPDIR)."""
    return Path(environment.get("TMUX_TMPDIR") or "/tmp") / f"tmux-{uid}"  # noqa: S108 - tmux's own place


def candidates(setting: Sockets, environment: Mapping[str, str], uid: int) -> Candidates:
    """The sockets to look behind now. A folder that does not exist is the normal state without tmux.

    What the setting names is a path, or a name as tmux's -L takes it.
    """
    folder = socket_folder(environment, uid)
    if setting != "auto":
        named = (Path(entry) if "/" in entry else folder / entry for entry in setting)
        return Candidates(tuple(dict.fromkeys(os.path.realpath(path.expanduser()) for path in named)))
    paths = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if _is_socket(entry) and entry.name.isprintable():  # lone surrogates are not printable
                    paths.append(os.path.realpath(entry.path))
    except (FileNotFoundError, NotADirectoryError):
        return Candidates(())
    except OSError as error:
        return Candidates((), f"The folder of tmux sockets {folder} cannot be read: {error.strerror}.")
    return Candidates(tuple(sorted(set(paths))))


def _is_socket(entry: os.DirEntry[str]) -> bool:
    try:
        return stat.S_ISSOCK(entry.stat().st_mode)
    except OSError:
        return False


def knock(path: str) -> Nobody | Trouble | None:
    """Does anybody listen there? None: yes. Disturbs nobody and starts nothing."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
        door.setblocking(False)
        try:
            door.connect(path)
        except OSError as error:
            return _refused(path, error)
    return None


def _refused(path: str, error: OSError) -> Nobody | Trouble:
    if error.errno in NOBODY:
        return Nobody()
    if error.errno in (errno.EACCES, errno.EPERM):
        return Trouble("unreadable", f"The tmux socket {path} belongs to somebody else or cannot be opened.")
    if error.errno == errno.EAGAIN:
        return Trouble("failing", f"The tmux server at {path} does not take new connections.")
    return Trouble("failing", f"The tmux socket {path} cannot be used: {error.strerror or error}.")


async def probe(binary: Binary, path: str) -> ServerFacts | Nobody | Trouble:
    """Who is behind this socket. A server without sessions gives facts without sessions."""
    if (refused := knock(path)) is not None:
        return refused
    ran = await binary.on(path, "list-sessions", "-F", SESSIONS_FORMAT, timeout_s=PROBE_TIMEOUT_S)
    if ran.code is None:
        return Trouble("failing", f"What listens at {path} does not answer as a tmux server.")
    if ran.code != 0:
        if (refused := knock(path)) is not None:
            return refused  # it ended while we asked
        said = clean_line(ran.err)
        if "version" in said:
            return Trouble("too_old", f"The tmux server at {path} does not fit the tmux in PATH: {said}.")
        return Trouble("failing", f"The tmux server at {path} refuses: {said or 'without a reason'}.")
    facts = parse_sessions(ran.out)
    if facts is None:
        return ServerFacts(0, "", ())
    if not facts.version or is_too_old(facts.version):
        version = facts.version or "unknown"
        return Trouble(
            "too_old",
            f"The tmux server at {path} runs version {version}; 3.2 or newer is needed. A new version"
            " serves only after this server has ended.",
            version,
        )
    return facts
