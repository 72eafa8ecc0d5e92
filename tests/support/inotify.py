"""What any process does to the files of some folders, as the kernel tells it."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

_MODIFY, _ATTRIB, _CLOSE_WRITE, _OPEN = 0x2, 0x4, 0x8, 0x20
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x40, 0x80, 0x100, 0x200
CHANGES = _MODIFY | _ATTRIB | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE


class Watched:
    """Everything since the last ``taken``: changes, and openings too, which prove that it was watched."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._fd = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        assert self._fd >= 0
        for folder in folders:
            assert self._libc.inotify_add_watch(self._fd, os.fsencode(folder), CHANGES | _OPEN) >= 0

    def taken(self) -> list[tuple[int, str]]:
        """What happened, and to which name; "" is the folder itself."""
        found: list[tuple[int, str]] = []
        try:
            data = os.read(self._fd, 1 << 20)
        except BlockingIOError:
            return found
        while data:
            _, mask, _, length = struct.unpack_from("iIII", data)
            found.append((mask, data[16 : 16 + length].rstrip(b"\0").decode()))
            data = data[16 + length :]
        return found

    def close(self) -> None:
        os.close(self._fd)
