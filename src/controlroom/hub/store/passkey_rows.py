"""Queries about the passkeys of browsers."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import passkeys
from controlroom.wire.device import Passkey


class PasskeyRow(msgspec.Struct, frozen=True, kw_only=True):
    """A passkey, and what its signatures are checked with."""

    shown: Passkey
    public_key: bytes
    sign_count: int


def of_device(connection: Connection, device_id: str) -> list[PasskeyRow]:
    """Oldest first."""
    query = (
        select(passkeys)
        .where(passkeys.c.device_id == device_id)
        .order_by(passkeys.c.created_ms, passkeys.c.id)
    )
    return [
        PasskeyRow(
            shown=Passkey(
                id=row.id, name=row.name, site=row.site, created_ms=row.created_ms, used_ms=row.used_ms
            ),
            public_key=row.public_key,
            sign_count=row.sign_count,
        )
        for row in connection.execute(query)
    ]


def add(change: Change, device_id: str, row: PasskeyRow, most: int) -> bool:
    """Store a new passkey; False when it is known already, or the device has ``most`` of them."""
    count = select(func.count()).where(passkeys.c.device_id == device_id)
    known = select(func.count()).where(passkeys.c.id == row.shown.id)
    if change.connection.execute(count).scalar_one() >= most or change.connection.execute(known).scalar_one():
        return False
    change.connection.execute(
        insert(passkeys).values(
            id=row.shown.id,
            device_id=device_id,
            site=row.shown.site,
            name=row.shown.name,
            public_key=row.public_key,
            sign_count=row.sign_count,
            created_ms=row.shown.created_ms,
        )
    )
    return True


def used(change: Change, passkey_id: str, sign_count: int) -> bool:
    """Note a use. False: it is gone, or its counter did not rise, so that there may be a copy of it.

    Passkeys that are kept in an account count nothing, and always say 0.
    """
    rises = (passkeys.c.sign_count < sign_count) | ((passkeys.c.sign_count == 0) & (sign_count == 0))
    query = (
        update(passkeys)
        .where(passkeys.c.id == passkey_id, rises)
        .values(sign_count=sign_count, used_ms=change.now_ms)
    )
    return bool(change.connection.execute(query).rowcount)


def remove(change: Change, device_id: str, passkey_id: str) -> bool:
    """Whether it was there."""
    query = delete(passkeys).where(passkeys.c.device_id == device_id, passkeys.c.id == passkey_id)
    return bool(change.connection.execute(query).rowcount)
