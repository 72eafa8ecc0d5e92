"""Queries about tokens of widgets. Of the secret only its hash."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import glance_tokens
from controlroom.wire.glance import GlanceToken


class GlanceRow(msgspec.Struct, frozen=True, kw_only=True):
    shown: GlanceToken
    token_hash: str


def glance_rows(connection: Connection) -> list[GlanceRow]:
    """Oldest first."""
    return [
        GlanceRow(
            shown=GlanceToken(id=row.id, name=row.name, made_ms=row.made_ms, used_ms=row.used_ms),
            token_hash=row.token_hash,
        )
        for row in connection.execute(select(glance_tokens).order_by(glance_tokens.c.made_ms))
    ]


def add(change: Change, row: GlanceRow) -> None:
    shown = row.shown
    change.connection.execute(
        insert(glance_tokens).values(
            id=shown.id, token_hash=row.token_hash, name=shown.name, made_ms=shown.made_ms
        )
    )


def used(change: Change, id_: str, at_ms: int) -> None:
    change.connection.execute(update(glance_tokens).where(glance_tokens.c.id == id_).values(used_ms=at_ms))


def remove(change: Change, id_: str) -> bool:
    """Whether it was there."""
    return bool(change.connection.execute(delete(glance_tokens).where(glance_tokens.c.id == id_)).rowcount)
