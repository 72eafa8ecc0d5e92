"""Messages of the Hermes-Relay protocol: one JSON object ``{channel, type, id, payload}`` per text frame.

Source: the relay contract, sections 4 and 5. Times on this wire are epoch seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a relay socket, either way. ``id`` "" = the sender gave none that is a text."""

    channel: str
    type: str
    id: str = ""
    payload: Mapping[str, object] = msgspec.field(default_factory=dict)
