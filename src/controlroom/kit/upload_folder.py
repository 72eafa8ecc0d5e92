"""The folder of files that devices left here: private, with nothing in it that no entry names."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from controlroom.kit.clock import new_id

_UNFINISHED: Final = ".part"
HEAD: Final = 4096  # bytes that tell what a file is


class UploadFolder:
    """File work; every method is for a thread, and raises OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def prepare(self, known: Collection[str]) -> None:
        """Make the folder, and remove what is unfinished or what no entry names."""
        self._path.mkdir(mode=0o700, exist_ok=True)
        self._path.chmod(0o700)
        self._path = self._path.resolve()
        for path in self._path.iterdir():
            if path.name not in known:
                with contextlib.suppress(OSError):  # a folder that somebody made: not ours to remove
                    path.unlink()

    def path(self, name: str) -> str:
        """Where an upload lies, without links on the way."""
        return str(self._path / name)

    def begin(self) -> Upload:
        """A new empty file that only its owner may read."""
        name = new_id("up")
        fd = os.open(
            self._path / (name + _UNFINISHED),
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
            0o600,
        )
        return Upload(self._path, name, fd)

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                (self._path / name).unlink()


class Upload:
    """One file that is being written; it gets its name when it is whole.

    A write that hangs in its thread may outlive its caller: the descriptor is closed only when no write runs,
    because its number would then mean another file.
    """

    def __init__(self, folder: Path, name: str, fd: int) -> None:
        self.name = name
        self.size = 0
        self.head = b""  # the first bytes, at most HEAD
        self._sha256 = hashlib.sha256()
        self._folder = folder
        self._fd = fd
        self._is_over = False
        self._writing = threading.Lock()

    def write(self, data: bytes) -> None:
        with self._writing:
            view = memoryview(data)
            while view and not self._is_over:
                view = view[os.write(self._fd, view) :]
            self.size += len(data)
            self._sha256.update(data)
            self.head = (self.head + data[:HEAD])[:HEAD] if len(self.head) < HEAD else self.head
        if self._is_over:
            self._close()

    @property
    def sha256(self) -> str:
        return self._sha256.hexdigest()

    def finish(self) -> None:
        """Put it on the disk and give it its name: from now on an entry may name it."""
        with self._writing:
            if self._fd >= 0:
                os.fsync(self._fd)
        self._close()
        (self._folder / (self.name + _UNFINISHED)).rename(self._folder / self.name)

    def drop(self) -> None:
        """Remove what was written, finished or not."""
        self._close()
        for name in (self.name, self.name + _UNFINISHED):
            with contextlib.suppress(FileNotFoundError):
                (self._folder / name).unlink()

    def _close(self) -> None:
        self._is_over = True
        if not self._writing.acquire(blocking=False):
            return  # the write closes it when it ends
        try:
            fd, self._fd = self._fd, -1
            if fd >= 0:
                os.close(fd)
        finally:
            self._writing.release()
