"""Queries about chats and the items that are kept of each, so that a machine that is away can be read."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import chat_items, chats, hidden_chats, hidden_items
from controlroom.wire.codec import decode, encode
from controlroom.wire.model import Item

ITEMS_KEPT = 200
UNREAD_KINDS = ("assistant", "question", "result")
"""What the agent says to a person. Its tools, thoughts, helpers and notices wait for nobody, and what was
typed was typed by a person."""


class ChatRow(msgspec.Struct, frozen=True, kw_only=True):
    """A chat as stored. ``older``: the conversation begins before the items that are kept."""

    id: str
    agent_id: str
    cursor: str | None
    mark: str | None
    older: bool
    unread_from_ms: int
    read_position: int
    unread: int


def chat_row(connection: Connection, chat_id: str) -> ChatRow | None:
    row = connection.execute(select(chats).where(chats.c.id == chat_id)).first()
    if row is None:
        return None
    return ChatRow(
        id=row.id,
        agent_id=row.agent_id,
        cursor=row.cursor,
        mark=row.mark,
        older=row.older,
        unread_from_ms=row.unread_from_ms,
        read_position=row.read_position,
        unread=row.unread,
    )


def chat_marks(connection: Connection) -> dict[str, str]:
    """For each chat the mark of its agent when its items were fetched last."""
    query = select(chats.c.id, chats.c.mark).where(chats.c.mark.is_not(None))
    return {row.id: row.mark for row in connection.execute(query)}


def put_fetched(change: Change, chat_id: str, *, cursor: str, mark: str, older: bool | None) -> None:
    """How far the chat has been fetched; ``older`` None leaves it as it is."""
    values: dict[str, object] = {"cursor": cursor, "mark": mark}
    if older is not None:
        values["older"] = older
    change.connection.execute(update(chats).where(chats.c.id == chat_id).values(**values))


def put_items(change: Change, chat_id: str, items: Sequence[Item]) -> None:
    """Add items behind those that are kept; one with a known id replaces it in its place."""
    connection = change.connection
    known = set(connection.execute(select(chat_items.c.id).where(chat_items.c.chat_id == chat_id)).scalars())
    newest = connection.execute(
        select(func.max(chat_items.c.position)).where(chat_items.c.chat_id == chat_id)
    ).scalar()
    position = newest or 0
    fresh: dict[str, dict[str, object]] = {}
    for item in items:
        values: dict[str, object] = {"at_ms": item.at_ms, "kind": item.kind, "item": encode(item)}
        if item.id in known:
            connection.execute(
                update(chat_items)
                .where(chat_items.c.chat_id == chat_id, chat_items.c.id == item.id)
                .values(**values)
            )
        elif item.id in fresh:
            fresh[item.id].update(values)
        else:
            position += 1
            fresh[item.id] = {"chat_id": chat_id, "id": item.id, "position": position, **values}
    if fresh:
        connection.execute(insert(chat_items), list(fresh.values()))
        _trim(connection, chat_id)


def _trim(connection: Connection, chat_id: str) -> None:
    beyond = connection.execute(
        select(chat_items.c.position)
        .where(chat_items.c.chat_id == chat_id)
        .order_by(chat_items.c.position.desc())
        .offset(ITEMS_KEPT)
        .limit(1)
    ).scalar()
    if beyond is not None:
        connection.execute(
            delete(chat_items).where(chat_items.c.chat_id == chat_id, chat_items.c.position <= beyond)
        )
        connection.execute(update(chats).where(chats.c.id == chat_id).values(older=True))


def drop_items(change: Change, chat_id: str, but: Sequence[str]) -> None:
    """Forget the items whose ids are not among ``but``: the file they came from was replaced."""
    kept = select(chat_items.c.id).where(chat_items.c.chat_id == chat_id)
    for id in set(change.connection.execute(kept).scalars()) - set(but):
        change.connection.execute(
            delete(chat_items).where(chat_items.c.chat_id == chat_id, chat_items.c.id == id)
        )


def kept_items(
    connection: Connection, chat_id: str, *, before: int | None, limit: int
) -> tuple[list[Item], int | None]:
    """The newest kept items, oldest first, and the position to ask ``before`` for more (None: no more)."""
    query = select(chat_items.c.position, chat_items.c.item).where(chat_items.c.chat_id == chat_id)
    if before is not None:
        query = query.where(chat_items.c.position < before)
    rows = connection.execute(query.order_by(chat_items.c.position.desc()).limit(limit + 1)).all()
    page = rows[:limit]
    items = [decode(row.item, Item) for row in reversed(page)]
    return items, page[-1].position if len(rows) > limit else None


def kept_item(connection: Connection, chat_id: str, item_id: str) -> Item | None:
    """One kept item, in the node's time."""
    query = select(chat_items.c.item).where(chat_items.c.chat_id == chat_id, chat_items.c.id == item_id)
    raw = connection.execute(query).scalar()
    return None if raw is None else decode(raw, Item)


def said_after(connection: Connection, chat_id: str, at_ms: int) -> list[str]:
    """Ids of what was typed into a chat after a (node's) time, the newest first; not more than a few."""
    query = select(chat_items.c.id).where(
        chat_items.c.chat_id == chat_id, chat_items.c.kind == "user", chat_items.c.at_ms > at_ms
    )
    return list(connection.execute(query.order_by(chat_items.c.position.desc()).limit(20)).scalars())


def last_spoken(connection: Connection, chat_id: str) -> str | None:
    """The newest kept item that the person or the agent said."""
    query = select(chat_items.c.id).where(
        chat_items.c.chat_id == chat_id, chat_items.c.kind.in_(("user", *UNREAD_KINDS))
    )
    return connection.execute(query.order_by(chat_items.c.position.desc()).limit(1)).scalar()


def known_items(connection: Connection, chat_id: str, ids: Sequence[str]) -> set[str]:
    """Which of these items are kept already."""
    query = select(chat_items.c.id).where(chat_items.c.chat_id == chat_id, chat_items.c.id.in_(ids))
    return set(connection.execute(query).scalars())


def item_place(connection: Connection, chat_id: str, item_id: str) -> tuple[int, int] | None:
    """Position and (node's) time of a kept item."""
    row = connection.execute(
        select(chat_items.c.position, chat_items.c.at_ms).where(
            chat_items.c.chat_id == chat_id, chat_items.c.id == item_id
        )
    ).first()
    return None if row is None else (row.position, row.at_ms)


def put_read(change: Change, chat_id: str, position: int) -> None:
    """A person has read up to here. The mark only moves forward: devices race."""
    change.connection.execute(
        update(chats)
        .where(chats.c.id == chat_id, chats.c.read_position < position)
        .values(read_position=position)
    )


def recount_unread(change: Change, chat_id: str) -> int:
    """Count what the agent has said behind the read mark (at most what is kept)."""
    connection = change.connection
    chat = chat_row(connection, chat_id)
    if chat is None:
        return 0
    unread: int = connection.execute(
        select(func.count())
        .select_from(chat_items)
        .where(
            chat_items.c.chat_id == chat_id,
            chat_items.c.position > chat.read_position,
            chat_items.c.at_ms > chat.unread_from_ms,
            chat_items.c.kind.in_(UNREAD_KINDS),
            chat_items.c.id.not_in(select(hidden_items.c.item_id).where(hidden_items.c.chat_id == chat_id)),
            chat_items.c.at_ms
            > select(func.coalesce(func.max(hidden_chats.c.before_ms), -1))
            .where(hidden_chats.c.chat_id == chat_id)
            .scalar_subquery(),
        )
    ).scalar_one()
    if unread != chat.unread:
        connection.execute(update(chats).where(chats.c.id == chat_id).values(unread=unread))
    return unread
