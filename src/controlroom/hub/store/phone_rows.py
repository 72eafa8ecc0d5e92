"""Queries about messages that wait for phones with the relay's app."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import phone_messages
from controlroom.wire.codec import decode, encode
from controlroom.wire.push import PhoneMessage


class PhoneRow(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    message: PhoneMessage


def put(change: Change, device_id: str, tag: str, message: PhoneMessage, ends_ms: int, *, most: int) -> None:
    """Add a message in place of an older one with its tag; of more than ``most`` the oldest go."""
    connection, table = change.connection, phone_messages
    connection.execute(delete(table).where(table.c.device_id == device_id, table.c.tag == tag))
    newest = connection.execute(select(func.max(table.c.number))).scalar() or 0
    connection.execute(
        insert(table).values(
            number=newest + 1,
            device_id=device_id,
            id=message.message_id,
            tag=tag,
            at_ms=change.now_ms,
            ends_ms=ends_ms,
            message=encode(message),
        )
    )
    numbers = select(table.c.number).where(table.c.device_id == device_id).order_by(table.c.number.desc())
    over = list(connection.execute(numbers.offset(most)).scalars())
    connection.execute(delete(table).where(table.c.number.in_(over)))


def waiting(connection: Connection, device_id: str, now_ms: int) -> list[PhoneRow]:
    """What is still worth something, oldest first. A row that cannot be read is left out."""
    table = phone_messages
    query = (
        select(table.c.number, table.c.message)
        .where(table.c.device_id == device_id, table.c.ends_ms > now_ms)
        .order_by(table.c.number)
    )
    rows = []
    for row in connection.execute(query):
        try:
            rows.append(PhoneRow(number=row.number, message=decode(row.message, PhoneMessage)))
        except (msgspec.ValidationError, msgspec.DecodeError):
            continue
    return rows


def took(change: Change, number: int) -> None:
    """It was handed over; what is over goes with it."""
    table = phone_messages
    change.connection.execute(
        delete(table).where((table.c.number == number) | (table.c.ends_ms <= change.now_ms))
    )


def drop(change: Change, device_id: str, message_id: str | None) -> None:
    """One message of a device, or all."""
    query = delete(phone_messages).where(phone_messages.c.device_id == device_id)
    if message_id is not None:
        query = query.where(phone_messages.c.id == message_id)
    change.connection.execute(query)


def drop_tags(change: Change, device_id: str, tags: Sequence[str]) -> None:
    change.connection.execute(
        delete(phone_messages).where(
            phone_messages.c.device_id == device_id, phone_messages.c.tag.in_(list(tags))
        )
    )
