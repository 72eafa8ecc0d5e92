"""Opens a file for a device: resolve, check, open once, check what was opened."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from controlroom.core.media import (
    Refused,
    Sandbox,
    check_path,
    check_place,
    check_size,
    missing,
    not_regular,
    unreadable,
)
from controlroom.gateway.media.sandbox import Places
from controlroom.kit.file_threads import FileThreads
from controlroom.kit.files import NotRegular, OpenFile, open_regular

T = TypeVar("T")


class NotGiven(Exception):
    """The file is refused."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.text)
        self.refused = refused


class Files:
    """Files of this machine, read in threads of their own."""

    def __init__(self, places: Places, max_bytes: int) -> None:
        self._places = places
        self._max_bytes = max_bytes
        self._threads = FileThreads("media")

    def close(self) -> None:
        self._threads.close()

    async def open(self, asked: str, *, strict: bool) -> OpenFile:
        """Open a file that somebody named; the caller closes it. Raises NotGiven, TimeoutError."""
        return await self._threads.run(lambda: self._open(asked, strict), _close)

    async def open_own(self, path: str) -> OpenFile:
        """Open a file of our own folder; the caller closes it. Raises NotGiven, TimeoutError."""
        return await self._threads.run(lambda: self._open_checked(path, path, None, strict=False), _close)

    async def run(self, job: Callable[[], T]) -> T:
        """Run file work in a thread. Raises TimeoutError, and what the job raises."""
        return await self._threads.run(job)

    def _open(self, asked: str, strict: bool) -> OpenFile:
        _refuse(check_path(asked))
        sandbox = self._places.now()
        resolved = os.path.realpath(asked)
        _refuse(check_place(resolved, sandbox, asked, strict=strict))
        return self._open_checked(resolved, asked, sandbox, strict=strict)

    def _open_checked(self, resolved: str, asked: str, sandbox: Sandbox | None, *, strict: bool) -> OpenFile:
        try:
            opened = open_regular(resolved)
        except NotRegular:
            raise NotGiven(not_regular(asked)) from None
        except PermissionError:
            raise NotGiven(unreadable(asked)) from None
        except OSError:
            raise NotGiven(missing(asked)) from None
        try:
            if check_path(opened.path) is not None:  # a name that is no text cannot be kept or told
                raise NotGiven(missing(asked))
            # A folder on the way may have been replaced since the path was resolved.
            if sandbox is not None:
                _refuse(check_place(opened.path, sandbox, asked, strict=strict))
            elif opened.path != resolved:
                raise NotGiven(missing(asked))
            _refuse(check_size(opened.size, self._max_bytes))
        except NotGiven:
            os.close(opened.fd)
            raise
        return opened


def _refuse(refused: Refused | None) -> None:
    if refused is not None:
        raise NotGiven(refused)


def _close(opened: OpenFile) -> None:
    os.close(opened.fd)
