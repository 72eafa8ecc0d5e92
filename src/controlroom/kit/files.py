"""Files that others own, opened so that what is read is what was checked."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec


class NotRegular(OSError):
    """It is a folder, a pipe, a device, a socket or a link."""


class OpenFile(msgspec.Struct, frozen=True):
    """A regular file, open for reading. ``path`` is where the kernel says that it lies; the descriptor stays
    with this file whatever happens to the path. Whoever opened it closes it."""

    fd: int
    path: str
    size: int
    modified_ns: int


def open_regular(path: str) -> OpenFile:
    """Open a file without following a link at its end, and without waking anything that is no file.

    ``O_PATH`` first: it reaches a pipe or a device without opening it. The descriptor for reading is then
    made from the very object that was looked at (Linux, /proc). Raises NotRegular and OSError.
    """
    handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegular(path)
        if status.st_nlink == 0:  # removed meanwhile: where it lay is no longer known
            raise FileNotFoundError(path)
        real = str(Path(_by_number(handle)).readlink())
        fd = os.open(_by_number(handle), os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    finally:
        os.close(handle)
    return OpenFile(fd, real, status.st_size, status.st_mtime_ns)


def read_regular(path: Path, most: int) -> bytes:
    """The first ``most`` bytes of a regular file that lies exactly there, with no link on the way.

    Raises NotRegular and OSError.
    """
    opened = open_regular(str(path))
    try:
        if opened.path != str(path):
            raise NotRegular(str(path))
        return read_at(opened.fd, 0, most)
    finally:
        os.close(opened.fd)


def read_at(fd: int, start: int, length: int) -> bytes:
    """Up to ``length`` bytes from ``start`` on; fewer only at the end of the file."""
    parts = []
    while length > 0 and (part := os.pread(fd, length, start)):
        parts.append(part)
        start += len(part)
        length -= len(part)
    return b"".join(parts)


def _by_number(fd: int) -> str:
    return f"/proc/self/fd/{fd}"
