"""What can go wrong for a caller of the hub.

ClientError        the base; its text is a sentence for people
  CannotReach      no hub answers there: start it, or wait for it
  Refused          the hub said no: ``code`` (api.md), its sentence, perhaps when to try again
"""

from __future__ import annotations

import aiohttp


class ClientError(Exception):
    """A call of the hub failed; the text is for people."""


class CannotReach(ClientError):
    """No hub answers. The same call with the same id may be made again."""


class Refused(ClientError):
    """The hub's refusal. ``code`` is one of api.md's, or a word that this version does not know."""

    def __init__(self, code: str, text: str, retry_after_ms: int | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.retry_after_ms = retry_after_ms


def cannot_reach(name: str, error: Exception) -> CannotReach:
    """The sentence for a hub that is not there. ``name``: its socket, or its address."""
    if "://" in name and isinstance(error, aiohttp.ClientConnectorError):
        return CannotReach(f"The control room at {name} cannot be reached now.")
    if isinstance(error, (aiohttp.ClientConnectorError, FileNotFoundError, ConnectionRefusedError)):
        return CannotReach(f"No control room runs at {name}. Start it with: controlroom up")
    return CannotReach(f"The control room at {name} broke off: {str(error)[:200]}")
