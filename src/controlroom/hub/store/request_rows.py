"""Queries about request ids and receipts."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, insert, select

from controlroom.core.text import clean_block
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import devices, receipts, requests
from controlroom.kit.clock import new_id
from controlroom.wire.codec import decode, encode
from controlroom.wire.device import Device
from controlroom.wire.model import Receipt

SCREEN_ROWS = 20  # a dialog with its options fits
ROW_LIMIT = 200


class RequestRow(msgspec.Struct, frozen=True):
    """An accepted request: the digest of its body and its encoded result."""

    digest: str
    result: bytes


def request_row(connection: Connection, caller: str, request_id: str) -> RequestRow | None:
    query = select(requests.c.digest, requests.c.result).where(
        requests.c.caller == caller, requests.c.id == request_id
    )
    row = connection.execute(query).first()
    return None if row is None else RequestRow(row.digest, row.result)


def add_request(change: Change, caller: str, request_id: str, digest: str, result: bytes) -> None:
    """Remember an accepted request; one that is there already stays."""
    if request_row(change.connection, caller, request_id) is None:
        change.connection.execute(
            insert(requests).values(
                caller=caller, id=request_id, digest=digest, result=result, at_ms=change.now_ms
            )
        )


def add_receipt(
    change: Change,
    *,
    by: str,
    what: str,
    code: str,
    text: str,
    agent_id: str | None = None,
    screen: Sequence[str] = (),
    question_id: str | None = None,
    operation_id: str | None = None,
) -> None:
    """Write down who did what, and tell clients. ``text`` is cut to 500 characters.

    ``screen``: rows that the agent's pane showed right before; the last ``SCREEN_ROWS`` are kept, as text of
    others: cleaned and cut.
    """
    receipt = Receipt(
        seq=change.next_seq(),
        id=new_id("rcp"),
        at_ms=change.now_ms,
        by=by,
        what=what,
        code=code,
        text=text[:500],
        agent_id=agent_id,
        device=device_name(change.connection, by),
        screen=last_rows(screen),
        question_id=question_id,
        operation_id=operation_id,
    )
    change.connection.execute(insert(receipts).values(seq=receipt.seq, receipt=encode(receipt)))
    change.emit("receipt.added", receipt)


def device_name(connection: Connection, by: str) -> str | None:
    """What the device ``device:ID`` is called now, None for others: later it may be called otherwise, or be
    gone."""
    kind, _, id = by.partition(":")
    if kind != "device":
        return None
    raw = connection.execute(select(devices.c.device).where(devices.c.id == id)).scalar()
    return None if raw is None else decode(raw, Device).name


def last_rows(rows: Sequence[str]) -> tuple[str, ...]:
    """The end of a screen as a receipt keeps it: without the empty rows below, cleaned, limited."""
    shown = [clean_block(row, ROW_LIMIT).rstrip() for row in rows]
    while shown and not shown[-1]:
        shown.pop()
    return tuple(shown[-SCREEN_ROWS:])


def receipts_after(connection: Connection, after: int, limit: int) -> list[Receipt]:
    query = select(receipts.c.receipt).where(receipts.c.seq > after).order_by(receipts.c.seq).limit(limit)
    return [decode(raw, Receipt) for raw in connection.execute(query).scalars()]


def receipts_before(connection: Connection, before: int, limit: int) -> list[Receipt]:
    """The newest ones with a ``seq`` below ``before``, oldest first."""
    query = (
        select(receipts.c.receipt).where(receipts.c.seq < before).order_by(receipts.c.seq.desc()).limit(limit)
    )
    return [decode(raw, Receipt) for raw in connection.execute(query).scalars()][::-1]
