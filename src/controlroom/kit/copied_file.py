"""Copies of single files that are known to be whole: verified, with the times of the first."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from controlroom.kit.files import open_regular

BLOCK = 1024 * 1024
SYNCED_TOGETHER = 8


class NotWhole(OSError):
    """What was written is not what was read."""


class Copied(msgspec.Struct, frozen=True):
    """What a copy holds: its size and the SHA-256 of its bytes."""

    size: int
    digest: bytes


def copy_file(source: Path, to: Path, *, most: int | None = None, going: Callable[[], None]) -> Copied:
    """Copy a regular file to a new one, with its rights and times, and read the copy again to compare.

    ``most``: only so many first bytes. ``going`` is called before each block; what it raises ends the copy.
    It is on disk only after ``sync_all``: many copies are brought there faster together. Whatever lay at
    ``to`` goes away, and a copy that did not succeed stays for the caller to remove. Raises NotRegular,
    NotWhole, OSError.
    """
    opened = open_regular(str(source))
    try:
        to.unlink(missing_ok=True)
        made = os.open(to, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            status = os.fstat(opened.fd)
            size, digest = _pour(opened.fd, made, status.st_size if most is None else most, going)
            os.fchmod(made, stat.S_IMODE(status.st_mode) & 0o777)
            os.utime(made, ns=(status.st_atime_ns, status.st_mtime_ns))
            copied = Copied(size, digest)
            if digest_of(made, going) != copied:
                raise NotWhole(f"the copy of {source.name} differs from it")
            return copied
        finally:
            os.close(made)
    finally:
        os.close(opened.fd)


def _pour(source: int, to: int, most: int, going: Callable[[], None]) -> tuple[int, bytes]:
    hashed, size = hashlib.sha256(), 0
    while size < most:
        going()
        data = os.read(source, min(BLOCK, most - size))
        if not data:
            break
        hashed.update(data)
        size += len(data)
        view = memoryview(data)
        while view:
            view = view[os.write(to, view) :]
    return size, hashed.digest()


def digest_of(fd: int, going: Callable[[], None]) -> Copied:
    """Size and digest of an open file, from its beginning."""
    hashed, size = hashlib.sha256(), 0
    while True:
        going()
        data = os.pread(fd, BLOCK, size)
        if not data:
            return Copied(size, hashed.digest())
        hashed.update(data)
        size += len(data)


def common_bytes(one: Path, other: Path, going: Callable[[], None]) -> int:
    """How many first bytes two files have in common. Raises OSError."""
    with one.open("rb", buffering=0) as first, other.open("rb", buffering=0) as second:
        at = 0
        while True:
            going()
            left, right = os.pread(first.fileno(), BLOCK, at), os.pread(second.fileno(), BLOCK, at)
            if left != right or not left:
                return at + _same(left, right)
            at += len(left)


def _same(left: bytes, right: bytes) -> int:
    """The length of what two blocks begin with, by halving: blocks are large."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def sync(path: Path) -> None:
    """Bring a file's contents, or a folder's entries, to disk. Raises OSError."""
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_all(paths: Iterable[Path]) -> None:
    """The same for many; together, because a disk writes many down at once. Raises OSError."""
    with ThreadPoolExecutor(SYNCED_TOGETHER, thread_name_prefix="sync") as threads:
        for done in [threads.submit(sync, path) for path in paths]:
            done.result()
