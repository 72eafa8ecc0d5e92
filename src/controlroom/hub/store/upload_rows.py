"""Queries about uploads: which files people sent, and whether their bytes are still here."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, or_, select, update

from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import uploads
from controlroom.wire.model import Attachment


class UploadRow(msgspec.Struct, frozen=True, kw_only=True):
    """An upload as stored. ``used_ms``: when a message named it last."""

    id: str
    by: str
    name: str
    bytes: int
    type: str
    sha256: str
    created_ms: int
    used_ms: int | None = None
    is_kept: bool = True

    @property
    def attachment(self) -> Attachment:
        return Attachment(id=self.id, name=self.name, bytes=self.bytes, type=self.type)


def add_upload(change: Change, row: UploadRow) -> None:
    change.connection.execute(insert(uploads).values(**msgspec.structs.asdict(row)))


def upload_rows(connection: Connection, ids: Collection[str]) -> dict[str, UploadRow]:
    """Those of these uploads that were ever here."""
    if not ids:
        return {}
    query = select(uploads).where(uploads.c.id.in_(ids))
    return {row.id: _upload(row) for row in connection.execute(query)}


def kept_ids(connection: Connection) -> list[str]:
    return list(connection.execute(select(uploads.c.id).where(uploads.c.is_kept)).scalars())


def unused_bytes(connection: Connection) -> int:
    """How much lies here that no message has named."""
    query = select(func.sum(uploads.c.bytes)).where(uploads.c.is_kept, uploads.c.used_ms.is_(None))
    return connection.execute(query).scalar() or 0


def mark_used(change: Change, ids: Collection[str]) -> None:
    change.connection.execute(update(uploads).where(uploads.c.id.in_(ids)).values(used_ms=change.now_ms))


def let_go(change: Change, unused_since_ms: int, used_since_ms: int) -> list[str]:
    """Uploads whose time is over: not used and made before the first time, or used before the second. From
    now on their bytes are not kept."""
    query = select(uploads.c.id).where(
        uploads.c.is_kept,
        or_(
            uploads.c.used_ms.is_(None) & (uploads.c.created_ms < unused_since_ms),
            uploads.c.used_ms < used_since_ms,
        ),
    )
    ids = list(change.connection.execute(query).scalars())
    if ids:
        change.connection.execute(update(uploads).where(uploads.c.id.in_(ids)).values(is_kept=False))
    return ids


def _upload(row: Row[Any]) -> UploadRow:
    return UploadRow(
        id=row.id,
        by=row.by,
        name=row.name,
        bytes=row.bytes,
        type=row.type,
        sha256=row.sha256,
        created_ms=row.created_ms,
        used_ms=row.used_ms,
        is_kept=row.is_kept,
    )
