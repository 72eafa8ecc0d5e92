"""Pages of a conversation, read by bytes from wherever they lie in the file.

A page is a run of whole rows. Its rows are read with what they depend on: calls of tools in it are finished
by results behind it, and new rows that change earlier items (a result, a helper's end, more tokens) are read
after the rows that those items come from. All of it is bounded; what lies beyond stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

import msgspec

from controlroom.node.agents.base import ItemsPage
from controlroom.node.agents.claude.chat import Chat
from controlroom.node.agents.claude.protocol import (
    Message,
    Row,
    RowDecoder,
    content_text,
    loose,
    starts_turn,
)
from controlroom.node.agents.transcripts import Row as FileRow
from controlroom.node.agents.transcripts import cursor, decode_rows, last_rows, locate, rows_back, rows_from
from controlroom.wire.model import Item

MAX_ROWS, MAX_BYTES = 4_000, 32 * 1024 * 1024  # one page, read backwards
AHEAD_ROWS, AHEAD_BYTES = 2_000, 8 * 1024 * 1024  # results behind an older page
CONTEXT_ROWS = 200  # rows before new ones that are read again in any case

Placed = tuple[FileRow, Row]


def newest_page(file: BinaryIO, limit: int, *, reset: bool = False) -> ItemsPage:
    """The end of the conversation."""
    end = last_rows(file, 1, 1).end
    return _page_before(file, end, limit, after=cursor(file, end), reset=reset)


def older_page(file: BinaryIO, before: str, limit: int) -> ItemsPage:
    """The page that ends at a cursor."""
    end = locate(file, before)
    if end is None:
        return newest_page(file, limit, reset=True)
    return _page_before(file, end, limit, after=before)


def newer_page(file: BinaryIO, after: str, limit: int) -> ItemsPage:
    """Items that are new or changed behind a cursor, at most about ``limit``."""
    begin = locate(file, after)
    if begin is None:
        return newest_page(file, limit, reset=True)
    decoder = RowDecoder()
    rows = tuple(_bounded(rows_from(file, begin)))
    news = decode_rows(decoder, rows)
    chat = Chat()
    for _, row in _context(file, decoder, begin, news.rows):
        chat.feed(row)
    chat.take()
    end = rows[-1].end if rows else begin
    for place, row in news.rows:
        chat.feed(row)
        if chat.changes >= limit:
            end = place.end
            break
    items = chat.take()
    return ItemsPage(
        items=items,
        before=after if begin > 0 else None,
        after=cursor(file, end),
        skipped=news.skipped,
        asks=chat.asks(items),
    )


def _bounded(rows: Iterator[FileRow]) -> Iterator[FileRow]:
    held = 0
    for row in islice(rows, MAX_ROWS):
        yield row
        held += len(row.data)
        if held > MAX_BYTES:
            return


class _Group(msgspec.Struct):
    """Rows that stay on one page, newest first: those of one model answer, whose first carries its tokens,
    and between them rows that add nothing."""

    answer: str | None
    added: int
    rows: list[Placed]


def _page_before(file: BinaryIO, end: int, limit: int, *, after: str, reset: bool = False) -> ItemsPage:
    decoder = RowDecoder()
    groups: list[_Group] = []  # newest first
    count = skipped = 0
    begin = end
    for place in _bounded(rows_back(file, end)):
        decoded = decode_rows(decoder, (place,))
        row = decoded.rows[0][1] if decoded.rows else None
        added = 0 if row is None else _adds(row)
        answer = None if row is None else _answer(row)
        is_joined = bool(groups) and (not added or (answer is not None and answer == groups[-1].answer))
        if not is_joined and added and count >= limit:
            break
        begin = place.offset
        skipped += decoded.skipped
        count += added
        if is_joined:
            groups[-1].added += added
            groups[-1].rows += decoded.rows
        else:
            groups.append(_Group(answer, added, list(decoded.rows)))
    while count > limit and len(groups) > 1 and groups[-2].rows:
        count -= groups.pop().added
        begin = groups[-1].rows[-1][0].offset
    chat = Chat()
    for group in reversed(groups):
        for _, row in reversed(group.rows):
            chat.feed(row)
    items = _finished(file, decoder, chat, end)
    return ItemsPage(
        items=items,
        before=cursor(file, begin) if begin > 0 else None,
        after=after,
        skipped=skipped,
        reset=reset,
        asks=chat.asks(items),
    )


def _adds(row: Row) -> int:
    """How many items the row adds by itself."""
    alone = Chat()
    alone.feed(row)
    return len(alone.items())


def _answer(row: Row) -> str | None:
    """The model answer that the row is a part of."""
    return loose(row.message, Message).id if row.type == "assistant" else None


def _finished(file: BinaryIO, decoder: RowDecoder, chat: Chat, end: int) -> tuple[Item, ...]:
    """The chat's items, with the results of its calls that stand behind it."""
    own = {item.id for item in chat.items()}
    held = 0
    if chat.unfinished():
        for place in islice(rows_from(file, end), AHEAD_ROWS):
            for _, row in decode_rows(decoder, (place,)).rows:
                chat.feed(row)
            held += len(place.data)
            if held > AHEAD_BYTES or not chat.unfinished() & own:
                break
    return tuple(item for item in chat.items() if item.id in own)


def _context(file: BinaryIO, decoder: RowDecoder, begin: int, news: tuple[Placed, ...]) -> list[Placed]:
    """Rows before ``begin`` that the new ones may change, oldest first."""
    if not news:
        return []
    ahead = Chat()
    for _, row in news:
        ahead.feed(row)
    wanted = {call.encode() for call in ahead.wanted}
    found: list[Placed] = []
    answer: str | None = None  # of the oldest row found that adds something
    is_whole = False
    for place in _bounded(rows_back(file, begin)):
        for each in decode_rows(decoder, (place,)).rows:
            if _adds(each[1]):
                if is_whole and not wanted and (answer is None or answer != _answer(each[1])):
                    found.reverse()
                    return found
                answer = _answer(each[1])
            is_whole = is_whole or _begins(each[1]) or len(found) >= CONTEXT_ROWS
            found.append(each)
        if b'"tool_use"' in place.data:
            wanted = {call for call in wanted if call not in place.data}
    found.reverse()
    return found


def _begins(row: Row) -> bool:
    return row.type == "user" and starts_turn(row, content_text(loose(row.message, Message).content))
