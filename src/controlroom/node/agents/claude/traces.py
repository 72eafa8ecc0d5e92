"""Looking for a message in the agent's own file: the only proof that it arrived.

A position is ``session|cursor|time``. The message can only stand behind the cursor in that session's file,
or, when the agent is in another session by now (``/clear``), in rows of that one younger than the time.

What counts (seen): a user row that a person typed, or that records a command; an attachment
``queued_command``, by which a message that was queued while a tool ran is handed over inside the turn.
``queue-operation`` rows tell what waits in the program's own queue: ``enqueue``, then ``dequeue`` (its user
row follows), ``remove`` (handed over, or taken back) or ``popAll`` (back in the composer).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import BinaryIO

import msgspec

from controlroom.core.delivery import Intent, Trace, same_message
from controlroom.node.agents.claude.protocol import (
    Message,
    Row,
    RowDecoder,
    command_words,
    content_text,
    is_typed,
    loose,
    plain,
    queued_words,
    unwrapped,
)
from controlroom.node.agents.claude.words import visible
from controlroom.node.agents.transcripts import cursor, decode_rows, last_rows, locate, rows_back, rows_from

CLOCK_SLACK_MS = 2_000  # a row's time is taken a moment before it is written
MAX_BACK_ROWS = 20_000


class Position(msgspec.Struct, frozen=True):
    """Where a message that is typed now can appear."""

    session_id: str
    cursor: str  # "" = the session has no file yet
    at_ms: int

    def text(self) -> str:
        return f"{self.session_id}|{self.cursor}|{self.at_ms}"


def parse_position(text: str) -> Position:
    """A position from its text; one that matches nothing older than the epoch for a damaged text."""
    session_id, _, rest = text.partition("|")
    mark, _, at = rest.rpartition("|")
    return Position(session_id, mark, int(at) if at.isascii() and at.isdigit() and len(at) < 16 else 0)


def position_now(file: BinaryIO | None, session_id: str, now_ms: int) -> Position:
    """The position behind the last complete row."""
    if file is None:
        return Position(session_id, "", now_ms)
    return Position(session_id, cursor(file, last_rows(file, 1, 1).end), now_ms)


def rows_behind(file: BinaryIO, position: Position, *, is_same_session: bool) -> tuple[Row, ...]:
    """The rows in which the message can stand, oldest first."""
    decoder = RowDecoder()
    if is_same_session:
        begin = locate(file, position.cursor) if position.cursor else 0
        if begin is not None:
            return tuple(row for _, row in decode_rows(decoder, rows_from(file, begin)).rows)
    young = []
    for number, place in enumerate(rows_back(file)):
        for _, row in decode_rows(decoder, (place,)).rows:
            young.append(row)
        if number >= MAX_BACK_ROWS or (young and _is_older(young[-1], position)):
            break
    return tuple(takewhile(lambda row: not _is_older(row, position), young))[::-1]


def _is_older(row: Row, position: Position) -> bool:
    at_ms = row.at_ms
    return 0 < at_ms < position.at_ms - CLOCK_SLACK_MS


def trace(rows: Iterable[Row], intent: Intent, living_since_ms: int) -> Trace:
    """What these rows say of the message. A queue entry counts only for the process that lives now."""
    wanted = msgspec.structs.replace(intent, text=visible(intent.text), draft=visible(intent.draft))
    queue: list[tuple[str, int]] = []
    for row in rows:
        words = _words(row)
        if words is not None and same_message(visible(words), wanted):
            return Trace(state="row", item_id=row.uuid, at_ms=row.at_ms)
        if row.type == "queue-operation":
            _follow(queue, row)
        elif row.type == "cost-state":
            queue.clear()  # the program quit, and its queue with it
    for text, at_ms in queue:
        if at_ms >= living_since_ms - CLOCK_SLACK_MS and same_message(visible(text), wanted):
            return Trace(state="queued", at_ms=at_ms)
    return Trace(state="none")


def _words(row: Row) -> str | None:
    """A person's words, as the row holds them."""
    if row.type == "user":
        text = content_text(loose(row.message, Message).content)
        if is_typed(row, text):
            return unwrapped(text)
        return None if row.is_meta else command_words(text)
    return queued_words(row)


def _follow(queue: list[tuple[str, int]], row: Row) -> None:
    content = plain(row.content)
    text = unwrapped(content) if isinstance(content, str) else ""
    if row.operation == "enqueue":
        queue.append((text, row.at_ms))
    elif row.operation == "dequeue":
        del queue[:1]
    else:
        for entry in queue:
            if entry[0] == text:
                queue.remove(entry)
                break
