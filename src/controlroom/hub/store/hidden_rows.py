"""Queries about what people have hidden of chats. Times here are the node's, as those of kept items are."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import chat_items, hidden_chats, hidden_items
from controlroom.wire.model import Item

MOST_ITEMS = 5_000  # hidden one by one in one chat; whoever wants more hides the chat


class Veil(msgspec.Struct, frozen=True):
    """What is hidden of one chat: these items, and everything up to ``before_ms``."""

    items: frozenset[str] = frozenset()
    before_ms: int | None = None

    def hides(self, item: Item) -> bool:
        return item.id in self.items or self.hides_time(item.at_ms)

    def hides_time(self, at_ms: int) -> bool:
        return self.before_ms is not None and at_ms <= self.before_ms


def veil_of(connection: Connection, chat_id: str) -> Veil:
    items = select(hidden_items.c.item_id).where(hidden_items.c.chat_id == chat_id)
    before = select(func.max(hidden_chats.c.before_ms)).where(hidden_chats.c.chat_id == chat_id)
    return Veil(frozenset(connection.execute(items).scalars()), connection.execute(before).scalar())


def hides_words(connection: Connection, chat_id: str, at_ms: int) -> bool:
    """Whether what was said in a chat at this time is hidden."""
    before = select(func.max(hidden_chats.c.before_ms)).where(hidden_chats.c.chat_id == chat_id)
    before_ms = connection.execute(before).scalar()
    if before_ms is not None and at_ms <= before_ms:
        return True
    item = (
        select(hidden_items.c.item_id)
        .join(
            chat_items,
            (chat_items.c.chat_id == hidden_items.c.chat_id) & (chat_items.c.id == hidden_items.c.item_id),
        )
        .where(hidden_items.c.chat_id == chat_id, chat_items.c.at_ms == at_ms)
    )
    return connection.execute(item).first() is not None


def hide_item(change: Change, chat_id: str, item_id: str) -> bool:
    """Whether this changed anything."""
    known = select(hidden_items.c.item_id).where(
        hidden_items.c.chat_id == chat_id, hidden_items.c.item_id == item_id
    )
    if change.connection.execute(known).first() is not None:
        return False
    change.connection.execute(
        insert(hidden_items).values(chat_id=chat_id, item_id=item_id, at_ms=change.now_ms)
    )
    return True


def show_item(change: Change, chat_id: str, item_id: str) -> bool:
    """Whether this changed anything."""
    done = change.connection.execute(
        delete(hidden_items).where(hidden_items.c.chat_id == chat_id, hidden_items.c.item_id == item_id)
    )
    return done.rowcount > 0


def newest_time(connection: Connection, chat_id: str) -> int | None:
    """The time of the newest item that is kept of a chat."""
    query = select(func.max(chat_items.c.at_ms)).where(chat_items.c.chat_id == chat_id)
    return connection.execute(query).scalar()


def hide_chat(change: Change, chat_id: str, before_ms: int) -> None:
    newest = select(func.max(hidden_chats.c.number)).where(hidden_chats.c.chat_id == chat_id)
    number = (change.connection.execute(newest).scalar() or 0) + 1
    change.connection.execute(
        insert(hidden_chats).values(chat_id=chat_id, number=number, before_ms=before_ms, at_ms=change.now_ms)
    )


def show_chat(change: Change, chat_id: str) -> bool:
    """Take back the last time that the chat was hidden; whether there was one."""
    newest = select(func.max(hidden_chats.c.number)).where(hidden_chats.c.chat_id == chat_id)
    number = change.connection.execute(newest).scalar()
    if number is None:
        return False
    change.connection.execute(
        delete(hidden_chats).where(hidden_chats.c.chat_id == chat_id, hidden_chats.c.number == number)
    )
    return True
