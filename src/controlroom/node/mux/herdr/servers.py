"""Which Herdr sessions this user has: the sockets that exist."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from controlroom.node.mux.watch import Sockets

SOCKET = "herdr.sock"  # the one beside it, herdr-client.sock, is private to Herdr's own window
MOST_SESSIONS = 64
_SESSION = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}")


class Candidates(msgspec.Struct, frozen=True):
    """Sockets that may have a server, each path once; ``strange``: those of somebody else."""

    paths: tuple[str, ...]
    strange: tuple[str, ...] = ()


def config_folder(environment: Mapping[str, str]) -> Path:
    """Where Herdr keeps its sockets."""
    if environment.get("XDG_CONFIG_HOME"):
        return Path(environment["XDG_CONFIG_HOME"]) / "herdr"
    if environment.get("HOME"):
        return Path(environment["HOME"]) / ".config" / "herdr"
    return Path(environment.get("TMPDIR") or tempfile.gettempdir()) / "herdr"


def candidates(setting: Sockets, environment: Mapping[str, str], uid: int) -> Candidates:
    """The sockets to look behind now. What the setting names is a path, or a session's name.

    A setting wins over HERDR_SOCKET_PATH: whatever was started in one of Herdr's panes has inherited that,
    and would see that session only. By itself ("auto") every session is found, and that one too.
    """
    folder = config_folder(environment)
    if setting == "auto":
        found = [folder / SOCKET, *(folder / "sessions" / name / SOCKET for name in _sessions(folder))]
        if environment.get("HERDR_SOCKET_PATH"):
            found.append(Path(environment["HERDR_SOCKET_PATH"]))
    else:
        found = [_named(entry, folder) for entry in setting]
    paths, strange = [], []
    for path in dict.fromkeys(os.path.realpath(each) for each in found):
        owner = _owner(path)
        if owner == uid:
            paths.append(path)
        elif owner is not None:
            strange.append(path)
    return Candidates(tuple(sorted(paths)), tuple(sorted(strange)))


def _named(entry: str, folder: Path) -> Path:
    if "/" in entry:
        return Path(entry).expanduser()
    return folder / SOCKET if entry == "default" else folder / "sessions" / entry / SOCKET


def _sessions(folder: Path) -> Iterator[str]:
    try:
        names = sorted(entry.name for entry in os.scandir(folder / "sessions"))
    except OSError:
        return
    yield from [name for name in names if _SESSION.fullmatch(name)][:MOST_SESSIONS]


def _owner(path: str) -> int | None:
    """Whose socket this is; None when it is none."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    return status.st_uid if stat.S_ISSOCK(status.st_mode) else None
