"""Notifications in the store: the desk, the person's wishes, the records, and notices on their way."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from controlroom.core.notify.model import Desk, Rules
from controlroom.hub.channels.base import Notice
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import chat_items, chats, facts, notices, notifications
from controlroom.wire.codec import decode, encode
from controlroom.wire.notification import Notification

KEPT_MS = 30 * 24 * 3600 * 1000
KEPT = 5_000
DESK, RULES = "notify_desk", "notify_rules"  # facts

T = TypeVar("T")


class Sending(msgspec.Struct, frozen=True, kw_only=True):
    """One notice on its way to one target. ``due_ms``: not before; ``tries``: so many were in vain."""

    notice: Notice
    target_id: str
    due_ms: int
    tries: int = 0

    @property
    def key(self) -> tuple[str, str]:
        return self.notice.id, self.target_id


def desk(connection: Connection) -> Desk | None:
    return _fact(connection, DESK, Desk)


def put_desk(change: Change, value: Desk) -> None:
    _put_fact(change, DESK, value)


def rules(connection: Connection) -> Rules | None:
    return _fact(connection, RULES, Rules)


def put_rules(change: Change, value: Rules) -> None:
    _put_fact(change, RULES, value)


# ---- records -----------------------------------------------------------------------------------------------


def record(connection: Connection, id: str) -> Notification | None:
    query = select(notifications.c.record).where(notifications.c.id == id)
    found = connection.execute(query).scalar()
    return None if found is None else decode(found, Notification)


def records(connection: Connection, ids: Iterable[str]) -> dict[str, Notification]:
    """Those that are there, by id."""
    query = select(notifications.c.record).where(notifications.c.id.in_(tuple(ids)))
    found = [decode(row.record, Notification) for row in connection.execute(query)]
    return {one.id: one for one in found}


def put_record(change: Change, one: Notification) -> None:
    """Keep a record as it is now, and tell clients."""
    values = {
        "at_ms": one.at_ms,
        "agent_id": one.agent_id,
        "question_id": one.question_id,
        "record": encode(one),
    }
    known = update(notifications).where(notifications.c.id == one.id).values(**values)
    if change.connection.execute(known).rowcount == 0:
        change.connection.execute(insert(notifications).values(id=one.id, **values))
    change.emit("notification.changed", msgspec.structs.replace(one, lines=()))


def newest(
    connection: Connection, *, before: int | None, limit: int, agent_id: str | None, question_id: str | None
) -> list[tuple[int, Notification]]:
    """Records with their numbers, the newest first."""
    query = select(notifications.c.number, notifications.c.record)
    if before is not None:
        query = query.where(notifications.c.number < before)
    if agent_id is not None:
        query = query.where(notifications.c.agent_id == agent_id)
    if question_id is not None:
        query = query.where(notifications.c.question_id == question_id)
    query = query.order_by(notifications.c.number.desc()).limit(limit)
    return [(row.number, decode(row.record, Notification)) for row in connection.execute(query)]


def forget_old(change: Change) -> None:
    newest_first = select(notifications.c.number).order_by(notifications.c.number.desc()).limit(1)
    last = change.connection.execute(newest_first).scalar() or 0
    change.connection.execute(
        delete(notifications).where(
            (notifications.c.at_ms < change.now_ms - KEPT_MS) | (notifications.c.number <= last - KEPT)
        )
    )


# ---- notices on their way ----------------------------------------------------------------------------------


def sendings(connection: Connection) -> list[Sending]:
    query = select(notices).order_by(notices.c.due_ms)
    return [
        Sending(
            notice=decode(row.notice, Notice), target_id=row.target_id, due_ms=row.due_ms, tries=row.tries
        )
        for row in connection.execute(query)
    ]


def put_sending(change: Change, one: Sending) -> None:
    values = {"due_ms": one.due_ms, "tries": one.tries, "notice": encode(one.notice)}
    same = (notices.c.id == one.notice.id) & (notices.c.target_id == one.target_id)
    if change.connection.execute(update(notices).where(same).values(**values)).rowcount == 0:
        change.connection.execute(insert(notices).values(id=one.notice.id, target_id=one.target_id, **values))


def drop_sending(change: Change, key: tuple[str, str]) -> None:
    same = (notices.c.id == key[0]) & (notices.c.target_id == key[1])
    change.connection.execute(delete(notices).where(same))


# ---- read marks --------------------------------------------------------------------------------------------


def read_items(connection: Connection, items: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of these items (chat and item) that somebody has read."""
    wanted = set(items)
    if not wanted:
        return set()
    query = (
        select(chat_items.c.chat_id, chat_items.c.id)
        .join(chats, chats.c.id == chat_items.c.chat_id)
        .where(
            chat_items.c.id.in_({item for _, item in wanted}),
            chat_items.c.chat_id.in_({chat for chat, _ in wanted}),
            chat_items.c.position <= chats.c.read_position,
        )
    )
    return {(row.chat_id, row.id) for row in connection.execute(query)} & wanted


# ---- facts -------------------------------------------------------------------------------------------------


def _fact(connection: Connection, name: str, kind: type[T]) -> T | None:
    found = connection.execute(select(facts.c.value).where(facts.c.name == name)).scalar()
    if found is None:
        return None
    try:
        return decode(found.encode(), kind)
    except msgspec.MsgspecError:  # another version's
        return None


def _put_fact(change: Change, name: str, value: msgspec.Struct) -> None:
    text = encode(value).decode()
    known = update(facts).where(facts.c.name == name).values(value=text)
    if change.connection.execute(known).rowcount == 0:
        change.connection.execute(insert(facts).values(name=name, value=text))
