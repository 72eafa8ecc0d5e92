"""Queries about operations."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from controlroom.core.policy_targets import LeftAccount
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import operations
from controlroom.wire.codec import decode, encode
from controlroom.wire.operation import Operation


class OperationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An operation, and what its undo needs: name, session and profile (its id) that the agent had before.

    ``session_id``: the one that a restart goes back to. ``profile_folder``: of the profile that was said.
    ``left``: what the policy moves the agent away from. ``taken_back_by``, ``taken_back_why``: who asked to
    end it while it waited; whether that came in time shows when it ends.
    """

    operation: Operation
    old_name: str = ""
    old_session: str = ""
    old_profile: str = ""
    session_id: str = ""
    profile_folder: str = ""
    left: LeftAccount | None = None
    taken_back_by: str = ""
    taken_back_why: str = ""


class OperationRow(msgspec.Struct, frozen=True, kw_only=True):
    """An operation as stored. ``is_tried``: its node may know of it; ``is_taken``: it does."""

    record: OperationRecord
    digest: str
    is_tried: bool
    is_taken: bool

    @property
    def operation(self) -> Operation:
        return self.record.operation


def operation_row(connection: Connection, operation_id: str) -> OperationRow | None:
    row = connection.execute(select(operations).where(operations.c.id == operation_id)).first()
    return None if row is None else _row(row)


def add_operation(change: Change, record: OperationRecord, digest: str) -> Operation:
    """Store a new operation, and tell clients."""
    number = (change.connection.execute(select(func.max(operations.c.number))).scalar() or 0) + 1
    told = _told(change, record)
    change.connection.execute(
        insert(operations).values(
            id=told.operation.id,
            number=number,
            seq=told.operation.seq,
            machine_id=told.operation.machine_id,
            digest=digest,
            state=told.operation.state,
            is_tried=False,
            is_taken=False,
            prompt_due=False,
            record=encode(told),
        )
    )
    return told.operation


def put_operation(change: Change, record: OperationRecord, *, prompt_due: bool | None = None) -> Operation:
    """Store another state of an operation, and tell clients."""
    told = _told(change, record)
    values: dict[str, object] = {
        "seq": told.operation.seq,
        "state": told.operation.state,
        "record": encode(told),
    }
    if prompt_due is not None:
        values["prompt_due"] = prompt_due
    change.connection.execute(update(operations).where(operations.c.id == told.operation.id).values(values))
    return told.operation


def _told(change: Change, record: OperationRecord) -> OperationRecord:
    operation = msgspec.structs.replace(record.operation, seq=change.next_seq(), changed_at_ms=change.now_ms)
    change.emit("operation.changed", operation)
    return msgspec.structs.replace(record, operation=operation)


def mark_tried(change: Change, operation_id: str, *, is_taken: bool) -> None:
    """``is_taken`` False: written before the node is asked, which may know of it from then on."""
    change.connection.execute(
        update(operations)
        .where(operations.c.id == operation_id)
        .values(is_tried=True, **({"is_taken": True} if is_taken else {}))
    )


def note_wish(change: Change, record: OperationRecord) -> None:
    """Store who wants an operation back. Its state is the same, so clients are not told."""
    change.connection.execute(
        update(operations).where(operations.c.id == record.operation.id).values(record=encode(record))
    )


def under_way(connection: Connection) -> list[OperationRow]:
    """Operations that are not over, in the order in which they were asked for."""
    query = select(operations).where(operations.c.state.in_(("queued", "running")))
    return [_row(row) for row in connection.execute(query.order_by(operations.c.number))]


def untaken(connection: Connection, machine_id: str) -> list[OperationRow]:
    """Operations that their node does not have yet, in the order in which they were asked for."""
    query = (
        select(operations)
        .where(
            operations.c.machine_id == machine_id,
            operations.c.state == "queued",
            operations.c.is_taken.is_(False),
        )
        .order_by(operations.c.number)
    )
    return [_row(row) for row in connection.execute(query)]


def tried(connection: Connection, machine_id: str) -> list[OperationRow]:
    """Operations under way on a node."""
    query = select(operations).where(
        operations.c.machine_id == machine_id,
        operations.c.state.in_(("queued", "running")),
        operations.c.is_tried.is_(True),
    )
    return [_row(row) for row in connection.execute(query)]


def prompts_due(connection: Connection) -> list[OperationRow]:
    """Starts whose first prompt was not sent yet."""
    return [
        _row(row) for row in connection.execute(select(operations).where(operations.c.prompt_due.is_(True)))
    ]


def prompt_is_sent(change: Change, operation_id: str) -> None:
    change.connection.execute(
        update(operations).where(operations.c.id == operation_id).values(prompt_due=False)
    )


def operations_after(connection: Connection, after: int, limit: int) -> list[Operation]:
    """Those that changed behind this ``seq``, oldest change first."""
    query = (
        select(operations.c.record).where(operations.c.seq > after).order_by(operations.c.seq).limit(limit)
    )
    return [decode(raw, OperationRecord).operation for raw in connection.execute(query).scalars()]


def operations_before(connection: Connection, before: int, limit: int) -> list[Operation]:
    """The newest changes below this ``seq``, oldest first."""
    query = (
        select(operations.c.record)
        .where(operations.c.seq < before)
        .order_by(operations.c.seq.desc())
        .limit(limit)
    )
    return [decode(raw, OperationRecord).operation for raw in connection.execute(query).scalars()][::-1]


def _row(row: Row[Any]) -> OperationRow:
    return OperationRow(
        record=decode(row.record, OperationRecord),
        digest=row.digest,
        is_tried=row.is_tried,
        is_taken=row.is_taken,
    )
