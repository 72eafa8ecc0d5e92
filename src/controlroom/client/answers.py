"""What the hub answered: a struct, or its refusal as an exception."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from controlroom.client.errors import ClientError, Refused
from controlroom.wire.codec import decode

T = TypeVar("T")


class _Error(msgspec.Struct):
    code: str = "failed"
    text: str = "The hub failed without saying why."
    retry_after_ms: int | None = None


def answered(status: int, body: bytes, kind: type[T], what: str) -> T:
    """The answer to ``what`` as a struct. Raises Refused, and ClientError when it cannot be read."""
    try:
        if status >= 400:
            said = decode(body, _Error)
            raise Refused(said.code, said.text, said.retry_after_ms)
        return decode(body, kind)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise ClientError(f"The hub's answer to {what} cannot be read: {error}") from None
