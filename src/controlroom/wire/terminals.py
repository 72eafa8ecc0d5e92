"""The socket of host shells, ``/api/v1/terminals``, as browsers speak it.

After a ``hello`` (as on the live socket) and the hub's ``ready`` both sides send the messages of the relay's
terminal channel (docs/reference/api.md): ``{type, id, payload}``, its envelope without the channel. What the
hub itself has to say is an ``error`` frame (``wire.client.Refused``).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from controlroom.wire.model import Struct

PROTOCOL = 1


class TerminalsReady(Struct, frozen=True, kw_only=True, tag_field="type", tag="ready"):
    """It may begin. ``sessions``: how many shells this socket may hold at a time."""

    protocol: int
    version: str
    sessions: int


class TerminalMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One message, either way. An answer has the ``id`` of what it answers."""

    type: str
    id: str = ""
    payload: Mapping[str, object] = msgspec.field(default_factory=dict)
