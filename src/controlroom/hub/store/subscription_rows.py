"""Queries about subscriptions of devices."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, insert, select

from controlroom.hub.channels.base import Target
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import subscriptions
from controlroom.wire.codec import decode, encode


class SubscriptionRow(msgspec.Struct, frozen=True, kw_only=True):
    target: Target
    device_id: str
    made_ms: int


def subscription_rows(connection: Connection) -> list[SubscriptionRow]:
    """All of them, oldest first. A row that cannot be read is left out."""
    rows = []
    for row in connection.execute(select(subscriptions).order_by(subscriptions.c.made_ms)):
        try:
            keys = decode(row.keys, dict[str, str])
        except (msgspec.ValidationError, msgspec.DecodeError):
            continue
        target = Target(
            id=row.id, channel=row.channel, device_id=row.device_id, address=row.address, keys=keys
        )
        rows.append(SubscriptionRow(target=target, device_id=row.device_id, made_ms=row.made_ms))
    return rows


def add(change: Change, row: SubscriptionRow) -> None:
    target = row.target
    change.connection.execute(
        insert(subscriptions).values(
            id=target.id,
            channel=target.channel,
            device_id=row.device_id,
            address=target.address,
            keys=encode(target.keys),
            made_ms=row.made_ms,
        )
    )


def remove(change: Change, id_: str) -> bool:
    """Whether it was there."""
    return bool(change.connection.execute(delete(subscriptions).where(subscriptions.c.id == id_)).rowcount)
