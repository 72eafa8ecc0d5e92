"""Queries about messages: what was accepted, what the node has of it, and what became of it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import messages
from controlroom.wire.codec import decode, encode
from controlroom.wire.model import Message

PENDING_SHOWN = 50  # messages that wait in one chat; more nobody reads


class MessageRow(msgspec.Struct, frozen=True, kw_only=True):
    """A message as stored. ``message`` is in the hub's time and without the hub's own ``held: offline``."""

    message: Message
    machine_id: str
    digest: str
    is_tried: bool
    is_taken: bool
    number: int  # order of acceptance


def message_row(connection: Connection, message_id: str) -> MessageRow | None:
    row = connection.execute(select(messages).where(messages.c.id == message_id)).first()
    return None if row is None else _message(row)


def _message(row: Row[Any]) -> MessageRow:
    return MessageRow(
        message=decode(row.message, Message),
        machine_id=row.machine_id,
        digest=row.digest,
        is_tried=row.is_tried,
        is_taken=row.is_taken,
        number=row.number,
    )


def add_message(change: Change, message: Message, machine_id: str, digest: str) -> None:
    number = (change.connection.execute(select(func.max(messages.c.number))).scalar() or 0) + 1
    change.connection.execute(
        insert(messages).values(
            id=message.id,
            number=number,
            machine_id=machine_id,
            agent_id=message.agent_id,
            chat_id=message.chat_id,
            digest=digest,
            state=message.state,
            is_tried=False,
            is_taken=False,
            item_id=message.item_id,
            message=encode(message),
        )
    )


def put_message(change: Change, message: Message) -> None:
    change.connection.execute(
        update(messages)
        .where(messages.c.id == message.id)
        .values(
            agent_id=message.agent_id,
            chat_id=message.chat_id,
            state=message.state,
            item_id=message.item_id,
            message=encode(message),
        )
    )


def mark_tried(change: Change, message_id: str) -> None:
    """Written before the node is asked: from now on it may have the message."""
    change.connection.execute(update(messages).where(messages.c.id == message_id).values(is_tried=True))


def mark_taken(change: Change, message_id: str) -> None:
    change.connection.execute(
        update(messages).where(messages.c.id == message_id).values(is_tried=True, is_taken=True)
    )


def mark_untaken(change: Change, message_id: str) -> None:
    """A failed message is to be handed over again. That it was tried stays: the node knows its id."""
    change.connection.execute(update(messages).where(messages.c.id == message_id).values(is_taken=False))


def messages_named(connection: Connection, ids: Collection[str]) -> dict[str, MessageRow]:
    """These messages by their ids, as far as there are such."""
    if not ids:
        return {}
    found = (_message(row) for row in connection.execute(select(messages).where(messages.c.id.in_(ids))))
    return {row.message.id: row for row in found}


def untaken(connection: Connection, machine_id: str, limit: int, after: int = 0) -> list[MessageRow]:
    """Messages that the node does not have yet, in the order of their acceptance, behind a number."""
    query = (
        select(messages)
        .where(
            messages.c.machine_id == machine_id,
            messages.c.state == "accepted",
            messages.c.is_taken.is_(False),
            messages.c.number > after,
        )
        .order_by(messages.c.number)
        .limit(limit)
    )
    return [_message(row) for row in connection.execute(query)]


def open_messages(connection: Connection, machine_id: str) -> list[MessageRow]:
    """Messages of a machine that have not come to an end."""
    query = (
        select(messages)
        .where(messages.c.machine_id == machine_id, messages.c.state.in_(("accepted", "sending")))
        .order_by(messages.c.number)
    )
    return [_message(row) for row in connection.execute(query)]


def arrived(connection: Connection, chat_id: str, item_ids: Collection[str]) -> dict[str, Message]:
    """Messages that stand in the agent's own file, by the item they are."""
    query = select(messages).where(messages.c.chat_id == chat_id, messages.c.item_id.in_(item_ids))
    found = (decode(row.message, Message) for row in connection.execute(query))
    return {message.item_id: message for message in found if message.item_id is not None}


def not_arrived(connection: Connection, chat_id: str, since_ms: int) -> list[MessageRow]:
    """Messages of a chat that no item shows, oldest first: all that wait, and the others since a time."""
    query = (
        select(messages)
        .where(messages.c.chat_id == chat_id, messages.c.item_id.is_(None), messages.c.state != "delivered")
        .order_by(messages.c.number.desc())
        .limit(PENDING_SHOWN)
    )
    rows = [_message(row) for row in connection.execute(query)]
    return [
        row
        for row in reversed(rows)
        if row.message.state in ("accepted", "sending") or row.message.created_at_ms >= since_ms
    ]
