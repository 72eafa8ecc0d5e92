"""Queries about paired devices, pairing codes and what waits for approval. Of secrets only hashes."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, delete, insert, select, update

from controlroom.core.pairing import CodeTime
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import (
    devices,
    pairing_codes,
    passkeys,
    pending_pairings,
    phone_messages,
    subscriptions,
)
from controlroom.wire.codec import decode, encode
from controlroom.wire.device import Device, PairingPolicy, PendingPairing


class Refresh(msgspec.Struct, frozen=True, kw_only=True):
    """The refresh token of a device. ``before``: the one it replaced, while it may be shown once more."""

    hash: str
    before: str | None = None
    made_ms: int  # of the first one: a rotation does not make it younger
    turned_ms: int


class DeviceRow(msgspec.Struct, frozen=True, kw_only=True):
    """A device as stored. What it was granted stands in ``device``, as reduced."""

    device: Device
    token_hash: str
    key_hash: str | None = None
    is_named: bool = False
    refresh: Refresh | None = None


class CodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A pairing code as stored."""

    hash: str
    time: CodeTime
    policy: PairingPolicy


def device_rows(connection: Connection) -> list[DeviceRow]:
    """All of them. A row that cannot be read is left out: it must not keep the others from getting in."""
    rows = []
    for row in connection.execute(select(devices)):
        try:
            rows.append(_device(row))
        except (msgspec.ValidationError, msgspec.DecodeError):
            continue
    return rows


def _device(row: Row[Any]) -> DeviceRow:
    refresh = None
    if row.refresh_hash is not None:
        refresh = Refresh(
            hash=row.refresh_hash,
            before=row.refresh_before,
            made_ms=row.refresh_made_ms,
            turned_ms=row.refresh_turned_ms,
        )
    return DeviceRow(
        device=decode(row.device, Device),
        token_hash=row.token_hash,
        key_hash=row.key_hash,
        is_named=row.is_named,
        refresh=refresh,
    )


def put_device(change: Change, row: DeviceRow) -> None:
    """Store a device, new or changed."""
    refresh = row.refresh
    values = {
        "token_hash": row.token_hash,
        "key_hash": row.key_hash,
        "client_id": row.device.device_id,
        "is_named": row.is_named,
        "device": encode(row.device),
        "refresh_hash": None if refresh is None else refresh.hash,
        "refresh_before": None if refresh is None else refresh.before,
        "refresh_made_ms": None if refresh is None else refresh.made_ms,
        "refresh_turned_ms": None if refresh is None else refresh.turned_ms,
    }
    found = change.connection.execute(update(devices).where(devices.c.id == row.device.id).values(values))
    if not found.rowcount:
        change.connection.execute(insert(devices).values(id=row.device.id, **values))


def delete_device(change: Change, device_id: str) -> bool:
    """With its passkeys and the ways to it; whether it was there."""
    for table in (passkeys, subscriptions, phone_messages):
        change.connection.execute(delete(table).where(table.c.device_id == device_id))
    return bool(change.connection.execute(delete(devices).where(devices.c.id == device_id)).rowcount)


# ---- codes ----------------------------------------------------------------------------------------------


def put_code(change: Change, row: CodeRow) -> None:
    """Store a code; the same code again gets the new policy and a fresh clock."""
    change.connection.execute(delete(pairing_codes).where(pairing_codes.c.code_hash == row.hash))
    change.connection.execute(
        insert(pairing_codes).values(
            code_hash=row.hash,
            made_ms=row.time.made_ms,
            expires_ms=row.time.expires_ms,
            is_used=row.time.used,
            policy=encode(row.policy),
        )
    )


def code_row(connection: Connection, code_hash: str) -> CodeRow | None:
    query = select(pairing_codes).where(pairing_codes.c.code_hash == code_hash)
    row = connection.execute(query).first()
    if row is None:
        return None
    return CodeRow(
        hash=row.code_hash,
        time=CodeTime(row.made_ms, row.expires_ms, row.is_used),
        policy=decode(row.policy, PairingPolicy),
    )


def use_code(change: Change, code_hash: str) -> bool:
    """Use a code up; whether this was the first to do so."""
    query = (
        update(pairing_codes)
        .where(pairing_codes.c.code_hash == code_hash, pairing_codes.c.is_used.is_(False))
        .values(is_used=True)
    )
    return bool(change.connection.execute(query).rowcount)


def end_codes(change: Change) -> int:
    """End all open codes; how many there were."""
    query = delete(pairing_codes).where(
        pairing_codes.c.is_used.is_(False), pairing_codes.c.expires_ms > change.now_ms
    )
    return change.connection.execute(query).rowcount


def prune_codes(change: Change, older_ms: int) -> None:
    """Forget codes that ended before this time, and all pending pairings that have ended."""
    change.connection.execute(delete(pairing_codes).where(pairing_codes.c.expires_ms < older_ms))
    change.connection.execute(delete(pending_pairings).where(pending_pairings.c.expires_ms < change.now_ms))


# ---- what waits for approval ----------------------------------------------------------------------------


def put_pending(change: Change, code_hash: str, pending: PendingPairing) -> None:
    """Store that this code was shown; when it was before, that counts."""
    found = change.connection.execute(_pending(code_hash)).first()
    if found is None:
        change.connection.execute(
            insert(pending_pairings).values(
                code_hash=code_hash, expires_ms=pending.expires_ms, pending=encode(pending)
            )
        )


def take_pending(change: Change, code_hash: str) -> PendingPairing | None:
    """Who has shown this code and waits; that is over with it."""
    row = change.connection.execute(_pending(code_hash)).first()
    if row is None:
        return None
    change.connection.execute(delete(pending_pairings).where(pending_pairings.c.code_hash == code_hash))
    return decode(row.pending, PendingPairing) if row.expires_ms > change.now_ms else None


def _pending(code_hash: str) -> Select[Any]:
    return select(pending_pairings).where(pending_pairings.c.code_hash == code_hash)


def pending_rows(connection: Connection, now_ms: int) -> list[PendingPairing]:
    """What still waits, oldest first."""
    query = (
        select(pending_pairings.c.pending)
        .where(pending_pairings.c.expires_ms > now_ms)
        .order_by(pending_pairings.c.expires_ms)
    )
    return [decode(raw, PendingPairing) for raw in connection.execute(query).scalars()]
