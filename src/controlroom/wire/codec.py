"""JSON in and out: strict when we write, tolerant when we read."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")

_encoder = msgspec.json.Encoder()
encode = _encoder.encode


def decode(data: bytes | str, kind: type[T]) -> T:
    """Decode one struct. Unknown fields are ignored; raises msgspec.ValidationError or DecodeError."""
    try:
        return msgspec.json.decode(data, type=kind)
    except RecursionError:
        raise msgspec.DecodeError("it is nested too deeply") from None


def decode_rows(data: bytes | msgspec.Raw, kind: type[T]) -> tuple[list[T], int]:
    """Decode a list row by row, so that one row of an unknown kind does not fail the whole list.

    Returns the rows that fit and how many did not.
    """
    rows: list[T] = []
    skipped = 0
    for raw in msgspec.json.decode(data, type=list[msgspec.Raw]):
        try:
            rows.append(msgspec.json.decode(raw, type=kind))
        except msgspec.ValidationError:
            skipped += 1
    return rows, skipped
