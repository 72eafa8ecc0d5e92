"""What one carrying remembers on disk, and how it is taken back from that alone.

Everything is in the memory before it comes true, so after a kill it may name what was not made yet; nothing
may be in the target that it does not name.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from controlroom.kit.copied_file import sync
from controlroom.kit.secrets_file import write_private

STAGED = ".moving"
"""The end of names that are not in their place yet; no agent looks for it."""

REPLACED = ".before-move"
"""The end of names of what lay in a place before; a number follows from the second one on."""


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the target that is written."""

    to: str
    size: int
    old: str = ""  # the second name of what lay there; "" = nothing did
    is_backup: bool = False  # the old one has something that the new one has not: it stays

    @property
    def staged(self) -> str:
        folder, name = os.path.split(self.to)
        return os.path.join(folder, f".{name}{STAGED}")  # noqa: PTH118 - only joins text


class Memory(msgspec.Struct, frozen=True, kw_only=True):
    """One carrying. ``text`` is what is said of it when it is done."""

    phase: Literal["staging", "placing", "done"]
    files: tuple[Placed, ...]
    made: tuple[str, ...]  # folders that were not there, outer ones first
    times: dict[str, tuple[int, int]]  # access and change (ns) of folders that were there and are written to
    text: str

    @property
    def backups(self) -> tuple[str, ...]:
        return tuple(file.old for file in self.files if file.is_backup)

    def is_in_place(self) -> bool:
        """It is done, and what was placed is there or has grown."""
        return self.phase == "done" and all(_size(file.to) >= file.size for file in self.files)


def load(path: Path) -> Memory | None:
    """None without one; also for a damaged one, which only another program can have made. Raises OSError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Memory)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None


def save(path: Path, memory: Memory) -> None:
    """It is on disk when this returns. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_private(path, msgspec.json.encode(memory))
    sync(path.parent)


def put_in_place(file: Placed) -> None:
    """Give a staged file its name; what lay there keeps its second one. Raises OSError."""
    if file.old:
        try:
            os.link(file.to, file.old, follow_symlinks=False)
        except FileExistsError:
            raise
        except OSError:  # a file system without second names
            Path(file.to).rename(file.old)
    Path(file.staged).replace(file.to)


def take_back(memory: Memory) -> None:
    """Leave the target as it was. A file that was written to since it was placed stays. Raises OSError."""
    for file in memory.files:
        _take_back_file(file, was_begun=memory.phase != "staging")
    for folder in reversed(memory.made):
        with suppress(OSError):  # not made yet, or somebody else put something into it
            Path(folder).rmdir()
    for folder, times in memory.times.items():
        with suppress(FileNotFoundError):
            sync(Path(folder))
            os.utime(folder, ns=times)


def _take_back_file(file: Placed, *, was_begun: bool) -> None:
    to, old, staged = Path(file.to), Path(file.old), Path(file.staged)
    if os.path.lexists(staged) or not was_begun:
        if was_begun and file.old and os.path.lexists(old):
            old.replace(to)  # of two names of one file this leaves both, so the second goes by itself
            old.unlink(missing_ok=True)
        staged.unlink(missing_ok=True)
    elif file.old:
        if os.path.lexists(old) and _size(file.to) in (file.size, -1):
            old.replace(to)
    elif _size(file.to) == file.size:
        to.unlink(missing_ok=True)


def tidy(memory: Memory) -> None:
    """The move is over: second names that nobody needs go away, and what was never placed. Raises OSError."""
    for file in memory.files:
        if file.old and not file.is_backup:
            Path(file.old).unlink(missing_ok=True)


def free_name(to: Path) -> Path:
    """A second name for what lies there."""
    number, found = 2, to.with_name(to.name + REPLACED)
    while os.path.lexists(found):
        found = to.with_name(f"{to.name}{REPLACED}-{number}")
        number += 1
    return found


def is_ours(name: str) -> bool:
    """Whether a file is one that a move put there, and not the session's."""
    return name.endswith(STAGED) or REPLACED in name


def _size(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except (FileNotFoundError, NotADirectoryError):
        return -1
