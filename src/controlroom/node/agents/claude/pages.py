"""Pages of a conversation, read by bytes from wherever they lie in the file.

A page is a run of whole rows. Its rows are read with what they depend on: calls of tools in it are finished
by results behind it, and new rows that change earlier items (a result, a helper's end, more tokens) are read
after the rows that those items come from. All of it is bounded; what lies beyond stays as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

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
    return ItemsPage(
        items=chat.take(),
        before=after if begin > 0 else None,
        after=cursor(file, end),
        skipped=news.skipped,
    )


def _bounded(rows: Iterator[FileRow]) -> Iterator[FileRow]:
    held = 0
    for row in islice(rows, MAX_ROWS):
        yield row
        held += len(row.data)
        if held > MAX_BYTES:
            return


def _page_before(file: BinaryIO, end: int, limit: int, *, after: str, reset: bool = False) -> ItemsPage:
    decoder = RowDecoder()
    groups: list[tuple[int, list[Placed]]] = []  # (items, rows of one answer or one row), newest first
    count = skipped = 0
    begin = end
    for place in _bounded(rows_back(file, end)):
        decoded = decode_rows(decoder, (place,))
        skipped += decoded.skipped
        begin = place.offset
        for found in decoded.rows:
            added = _adds(found[1])
            if groups and _same_answer(groups[-1][1][-1][1], found[1]):
                groups[-1] = (groups[-1][0] + added, [*groups[-1][1], found])
            elif count >= limit and added:
                begin = place.end
                break
            else:
                groups.append((added, [found]))
            count += added
        else:
            continue
        break
    while count > limit and len(groups) > 1:
        added, rows = groups.pop()
        count -= added
        begin = rows[0][0].end
    chat = Chat()
    for _, rows in reversed(groups):
        for _, row in reversed(rows):
            chat.feed(row)
    return ItemsPage(
        items=_finished(file, decoder, chat, end),
        before=cursor(file, begin) if begin > 0 else None,
        after=after,
        skipped=skipped,
        reset=reset,
    )


def _adds(row: Row) -> int:
    """How many items the row adds by itself."""
    alone = Chat()
    alone.feed(row)
    return len(alone.items())


def _same_answer(later: Row, earlier: Row) -> bool:
    """Rows of one model answer stay on one page: the first of them carries its tokens."""
    if later.type != "assistant" or earlier.type != "assistant":
        return False
    answer = loose(later.message, Message).id
    return answer is not None and answer == loose(earlier.message, Message).id


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
    is_whole = False
    for place in _bounded(rows_back(file, begin)):
        found += decode_rows(decoder, (place,)).rows
        if b"tool_use" in place.data:
            wanted = {call for call in wanted if call not in place.data}
        is_whole = is_whole or bool(found and _begins(found[-1][1])) or len(found) >= CONTEXT_ROWS
        if is_whole and not wanted:
            break
    found.reverse()
    return found


def _begins(row: Row) -> bool:
    return row.type == "user" and starts_turn(row, content_text(loose(row.message, Message).content))
