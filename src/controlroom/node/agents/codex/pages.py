"""Pages of a rollout, read by bytes: the newest, older ones, and what is new behind a cursor.

A cursor is a position (``transcripts.cursor``) and the offsets of single rows elsewhere that its page needs
too (see ``chat``): ``8123-5f0c9a…`` or ``8123-5f0c9a….7011.7442``. It fits every copy of the file.
Everything here blocks.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import BinaryIO

import msgspec

from controlroom.node.agents.base import ItemsPage
from controlroom.node.agents.codex.chat import Chat
from controlroom.node.agents.codex.protocol import decode_all
from controlroom.node.agents.transcripts import Row, cursor, locate, rows_back, rows_from

FIRST_ROWS = 256  # read backwards at first, doubled while the page is not full
MAX_BYTES = 32 * 1024 * 1024  # of one page; a page may then be shorter than asked
MAX_EXTRA = 64  # single rows in a cursor


def newest(file: BinaryIO, session_id: str, limit: int) -> ItemsPage:
    """The last ``limit`` items."""
    page = _backwards(file, session_id, None, (), limit)
    return page if page is not None else ItemsPage(items=(), before=None, after=_written(file, 0, ()))


def before(file: BinaryIO, session_id: str, text: str, limit: int) -> ItemsPage:
    """The ``limit`` items before a cursor; ``after`` of the page is that cursor's position."""
    found = _read(file, text)
    if found is None:
        return _reset(file, session_id, limit)
    page = _backwards(file, session_id, found[0], found[1], limit)
    return page if page is not None else ItemsPage(items=(), before=None, after=text)


def after(file: BinaryIO, session_id: str, text: str, limit: int) -> ItemsPage:
    """New items behind a cursor, at most ``limit``, and earlier ones that changed since."""
    found = _read(file, text)
    if found is None:
        return _reset(file, session_id, limit)
    start, extra = found
    chat = Chat(session_id)
    chat.feed(decode_all(_rows_at(file, extra)).entries)
    known, end, skipped, size = len(chat.begins()), start, 0, 0
    for row in rows_from(file, start):
        decoded = decode_all([row])
        chat.feed(decoded.entries)
        skipped += decoded.skipped
        end, size = row.end, size + len(row.data)
        if len(chat.begins()) - known >= limit or size > MAX_BYTES:
            break
    items = chat.items(touched_from=start)
    return ItemsPage(
        items=items,
        before=_written(file, start, chat.orphans(start)),
        after=_written(file, end, chat.unsettled()),
        skipped=skipped,
        asks=chat.asks(items),
    )


def _reset(file: BinaryIO, session_id: str, limit: int) -> ItemsPage:
    page = newest(file, session_id, limit)
    return msgspec.structs.replace(page, reset=True)


def _backwards(
    file: BinaryIO, session_id: str, end: int | None, extra: tuple[int, ...], limit: int
) -> ItemsPage | None:
    """The last items of the rows that end at ``end``; None when there are no rows."""
    source = rows_back(file, end)
    rows: list[Row] = []
    size, wanted, at_start = 0, FIRST_ROWS, False
    late = decode_all(_rows_at(file, extra)).entries
    while True:
        more = list(islice(source, wanted))
        at_start = len(more) < wanted
        rows[:0] = reversed(more)
        if not rows:
            return None
        size += sum(len(row.data) for row in more)
        wanted = len(rows)
        decoded = decode_all(rows)
        chat = Chat(session_id)
        chat.feed(decoded.entries)
        chat.feed(late)
        if at_start:
            chat.settle()
        stop = rows[-1].end
        begins = chat.begins(stop)
        if at_start or len(begins) > limit or size > MAX_BYTES:
            break
    cut = sorted(begins)[-limit] if len(begins) > limit else rows[0].offset
    is_first = at_start and len(begins) <= limit
    items = chat.items(begun_from=cut, begun_before=stop)
    return ItemsPage(
        items=items,
        before=None if is_first else _written(file, cut, chat.orphans(cut)),
        after=_written(file, stop, chat.unsettled()),
        skipped=decoded.skipped,
        asks=chat.asks(items),
    )


def _rows_at(file: BinaryIO, offsets: Iterable[int]) -> list[Row]:
    return [row for offset in offsets for row in islice(rows_from(file, offset), 1)]


def _written(file: BinaryIO, offset: int, extra: tuple[int, ...]) -> str:
    return ".".join([cursor(file, offset), *map(str, extra[-MAX_EXTRA:])])


def _read(file: BinaryIO, text: str) -> tuple[int, tuple[int, ...]] | None:
    """(offset, single rows) of a cursor; None when it does not fit this file."""
    place, *more = text.split(".")
    offset = locate(file, place)
    if offset is None or len(more) > MAX_EXTRA or not all(part.isascii() and part.isdigit() for part in more):
        return None
    extra = tuple(int(part) for part in more if len(part) < 16)
    size = file.seek(0, 2)
    return offset, tuple(at for at in extra if at < size and _begins_row(file, at))


def _begins_row(file: BinaryIO, offset: int) -> bool:
    if offset == 0:
        return True
    file.seek(offset - 1)
    return file.read(1) == b"\n"
