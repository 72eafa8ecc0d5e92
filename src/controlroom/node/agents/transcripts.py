"""Reading append-only JSONL files of other programs by bytes, from the end, with flat memory.

The theory (facts of the field: rows are appended by a process that we do not control):

* Only a row that ends in a newline is a row. The rest after the last newline is read again when it has grown.
* All positions are byte offsets of row beginnings. Rows are handed out as bytes; decoding is the caller's.
* A file that was replaced or cut is noticed by its inode, its size, and by the bytes before the position
  (``ANCHOR_BYTES``), which catches a file that was rewritten in place and grew past the position again.
* Rows over ``MAX_ROW_BYTES`` are passed over without holding them; their ``data`` is empty, so that a decoder
  counts them as damaged.

Everything here blocks. What may read much runs in a thread: ``read_in_thread`` and ``Tail.poll_async``.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Generic, NamedTuple, Protocol, TypeVar

import msgspec

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

FIRST_BLOCK, LAST_BLOCK = 64 * 1024, 4 * 1024 * 1024  # blocks grow fourfold between these
MAX_ROW_BYTES = 64 * 1024 * 1024
ANCHOR_BYTES = 64
TAIL_ROWS, TAIL_BYTES = 400, 16 * 1024 * 1024  # one row of 12 MB (seen) must leave room for its neighbours
INLINE_BYTES = 128 * 1024  # up to this a read on the event loop costs less than a thread (well under 1 ms)


class Row(NamedTuple):
    """One complete row. ``data`` is without its line end; empty when the row was too long to hold."""

    offset: int  # where it begins
    end: int  # behind its newline: the next row's offset
    data: bytes


class Stamp(NamedTuple):
    """Equal stamps mean that the file has not been written since (as far as the file system tells)."""

    inode: int
    size: int
    mtime_ns: int


def stamp(path: Path | str) -> Stamp | None:
    """The file's stamp; None when there is no such file. Raises other OSErrors."""
    try:
        # A text costs half of a Path here, and thousands are asked in a minute.
        found = os.stat(path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


def rows_from(file: BinaryIO, offset: int, end: int | None = None) -> Iterator[Row]:
    """Complete rows that begin at ``offset`` or later and end at ``end`` or earlier, oldest first.

    ``offset`` must be the beginning of a row. Blank rows are left out. An unfinished last row is left out.
    """
    file.seek(offset)
    at, size, block = offset, 0, FIRST_BLOCK
    held: list[bytes] = []
    left = None if end is None else end - offset
    while left is None or left > 0:
        data = file.read(block if left is None else min(block, left))
        if not data:
            return
        left = None if left is None else left - len(data)
        block = min(block * 4, LAST_BLOCK)
        begin = 0
        while (stop := data.find(b"\n", begin)) >= 0:
            size += stop - begin
            row = b"" if size > MAX_ROW_BYTES else b"".join((*held, data[begin:stop]))
            if row.strip() or size > MAX_ROW_BYTES:
                yield Row(at, at + size + 1, row.rstrip(b"\r"))
            at, size, held, begin = at + size + 1, 0, [], stop + 1
        size += len(data) - begin
        if size > MAX_ROW_BYTES:
            held = []
        else:
            held.append(data[begin:])


def rows_back(file: BinaryIO, end: int | None = None) -> Iterator[Row]:
    """Complete rows that end at ``end`` (default: the end of the file) or earlier, newest first.

    Reads blocks backwards as the caller asks for more rows, so a caller that stops early reads little.
    """
    size = file.seek(0, os.SEEK_END)
    at = size if end is None else min(end, size)  # everything from ``at`` on has been read
    stop: int | None = None  # behind the newline that ends the row being gathered; None: still unfinished
    held: list[bytes] = []  # pieces of that row, newest first
    block = FIRST_BLOCK
    while at > 0:
        begin = max(0, at - block)
        file.seek(begin)
        data = file.read(at - begin)
        block = min(block * 4, LAST_BLOCK)
        right = len(data)
        while (newline := data.rfind(b"\n", 0, right)) >= 0:
            if stop is not None:
                yield from _row_back(begin + newline + 1, stop, [data[newline + 1 : right], *held[::-1]])
            stop, held, right = begin + newline + 1, [], newline
        at = begin
        if stop is not None:
            too_long = stop - at - 1 > MAX_ROW_BYTES
            held = [] if too_long else [*held, data[:right]]
    if stop is not None:
        yield from _row_back(0, stop, held[::-1])


def _row_back(offset: int, end: int, pieces: list[bytes]) -> Iterator[Row]:
    if end - offset - 1 > MAX_ROW_BYTES:
        yield Row(offset, end, b"")
        return
    data = b"".join(pieces)
    if data.strip():
        yield Row(offset, end, data.rstrip(b"\r"))


class Last(NamedTuple):
    """The last rows of a file, oldest first; ``whole``: they are all rows that it has."""

    rows: tuple[Row, ...]
    end: int  # behind the last complete row: where to read on
    whole: bool


def last_rows(file: BinaryIO, max_rows: int, max_bytes: int) -> Last:
    """At most ``max_rows`` rows from the end. Stops when ``max_bytes`` are gathered (one row at least)."""
    rows: list[Row] = []
    held, end = 0, None
    for row in rows_back(file):
        end = row.end if end is None else end
        rows.append(row)
        held += len(row.data)
        if len(rows) >= max_rows or held >= max_bytes:
            break
    rows.reverse()
    return Last(tuple(rows), end or 0, not rows or rows[0].offset == 0)


def anchor(file: BinaryIO, offset: int) -> bytes:
    """The bytes before ``offset``; they differ when the file was rewritten."""
    begin = max(0, offset - ANCHOR_BYTES)
    file.seek(begin)
    return file.read(offset - begin)


def cursor(file: BinaryIO, offset: int) -> str:
    """An opaque text for a position, the same wherever a copy of the file lies."""
    return f"{offset}-{hashlib.blake2b(anchor(file, offset), digest_size=6).hexdigest()}"


def locate(file: BinaryIO, text: str) -> int | None:
    """The offset of a cursor; None when it does not fit this file (replaced, cut, not ours)."""
    number, _, _ = text.partition("-")
    if not (number.isascii() and number.isdigit() and len(number) < 16):
        return None
    offset = int(number)
    if offset > file.seek(0, os.SEEK_END) or cursor(file, offset) != text:
        return None
    return offset


class Decoded(NamedTuple, Generic[T]):
    """Rows that could be decoded, with where they stand, and how many could not."""

    rows: tuple[tuple[Row, T], ...]
    skipped: int


class Decodes(Protocol[T_co]):
    """A decoder of one row, such as ``msgspec.json.Decoder``; raises ``msgspec.MsgspecError``."""

    def decode(self, data: bytes, /) -> T_co: ...


def decode_rows(decoder: Decodes[T], rows: Iterable[Row]) -> Decoded[T]:
    """Decode each row by itself: one damaged row hides nothing but itself."""
    good: list[tuple[Row, T]] = []
    skipped = 0
    for row in rows:
        try:
            good.append((row, decoder.decode(row.data)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            skipped += 1
    return Decoded(tuple(good), skipped)


class Batch(NamedTuple):
    """What one poll gave. ``reset``: forget what earlier rows said; ``rows`` are the file's last ones
    (``whole``: all it has). ``missing``: there is no such file now."""

    rows: tuple[Row, ...] = ()
    reset: bool = False
    whole: bool = False
    missing: bool = False


NOTHING_NEW = Batch()


class Tail:
    """Follows one file: the last rows first, then only what is new.

    The first poll, and the first one after the file was replaced, cut or grew by more than ``max_bytes`` at
    once, begins again with the last rows and says ``reset``. OSErrors other than a missing file are raised;
    the position then stays.
    """

    def __init__(self, path: Path, *, max_rows: int = TAIL_ROWS, max_bytes: int = TAIL_BYTES) -> None:
        self.path = path
        self._name = str(path)
        self.offset = 0  # behind the last complete row that was handed out
        self._max_rows, self._max_bytes = max_rows, max_bytes
        self._stamp: Stamp | None = None
        self._anchor = b""

    def is_unchanged(self) -> bool:
        """The file is there and was not written since the last poll. Costs one stat."""
        found = stamp(self._name)
        return found is not None and found == self._stamp

    def pending(self) -> int:
        """About how many bytes the next poll reads; 0 when the file has not been touched. Costs one stat."""
        found = stamp(self._name)
        if found is None or found == self._stamp:
            return 0
        if self._stamp is None or found.inode != self._stamp.inode or found.size < self.offset:
            return min(found.size, self._max_bytes)
        return min(max(found.size - self.offset, 1), self._max_bytes)

    def poll(self) -> Batch:
        found = stamp(self._name)
        if found is None:
            had, self._stamp, self.offset, self._anchor = self._stamp, None, 0, b""
            return Batch(missing=True, reset=had is not None)
        if found == self._stamp:
            return NOTHING_NEW
        try:
            with self.path.open("rb") as file:
                # The stamp is taken from before the read: what is appended meanwhile is seen next time.
                batch = self._read(file, found)
        except FileNotFoundError:
            return Batch(missing=True)
        self._stamp = found
        return batch

    async def poll_async(self) -> Batch:
        """Like ``poll``, in a thread when there is much to read."""
        if self.is_unchanged():
            return NOTHING_NEW  # the usual case
        if self.pending() > INLINE_BYTES:
            return await asyncio.to_thread(self.poll)
        return self.poll()

    def _read(self, file: BinaryIO, found: Stamp) -> Batch:
        fits = (
            self._stamp is not None
            and found.inode == self._stamp.inode
            and self.offset <= found.size <= self.offset + self._max_bytes
            and anchor(file, self.offset) == self._anchor
        )
        if fits:
            rows = tuple(rows_from(file, self.offset))
            whole = False
            end = rows[-1].end if rows else self.offset
        else:
            rows, end, whole = last_rows(file, self._max_rows, self._max_bytes)
        if end != self.offset or not fits:
            self.offset, self._anchor = end, anchor(file, end)
        return Batch(rows, reset=not fits, whole=whole)


async def read_in_thread(path: Path, read: Callable[[BinaryIO], T]) -> T:
    """Run ``read`` on the opened file in a thread. Raises what opening and reading raise."""

    def work() -> T:
        with path.open("rb") as file:
            return read(file)

    return await asyncio.to_thread(work)
