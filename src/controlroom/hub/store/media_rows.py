"""Queries about offers of files (``core.media.MediaEntry``)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, delete, insert, select

from controlroom.core.media import MediaEntry
from controlroom.hub.store.store import Change, Store
from controlroom.hub.store.tables import media
from controlroom.wire.codec import decode, encode


class StoredMedia:
    """Implements ``gateway.ports.MediaRows``."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def all(self) -> list[MediaEntry]:
        return await self._store.read(_all)

    async def put(self, entries: Sequence[MediaEntry]) -> None:
        rows = [
            {"token": entry.token, "accessed_ms": entry.accessed_ms, "entry": encode(entry)}
            for entry in entries
        ]

        def job(change: Change) -> None:
            _delete(change.connection, [entry.token for entry in entries])
            change.connection.execute(insert(media), rows)

        await self._store.change(job)

    async def delete(self, tokens: Sequence[str]) -> None:
        await self._store.change(lambda change: _delete(change.connection, tokens))


def _all(connection: Connection) -> list[MediaEntry]:
    entries = []
    for raw in connection.execute(select(media.c.entry).order_by(media.c.accessed_ms)).scalars():
        try:
            entries.append(decode(raw, MediaEntry))
        except (msgspec.ValidationError, msgspec.DecodeError):
            continue
    return entries


def _delete(connection: Connection, tokens: Sequence[str]) -> None:
    connection.execute(delete(media).where(media.c.token.in_(tokens)))
