"""What a channel of the relay socket is, and the link through which it talks to its device.

One ``Channel`` per name serves all sockets. For each authenticated socket that says something on it, ``open``
makes one ``Handler``, which gets that socket's messages of the channel in the order in which they came, one
at a time: a message waits until the one before it was handled (its reader is then slowed down, other channels
of the same socket are not). The right of the channel has been checked for each message before ``receive`` is
called; work that goes on by itself (output of a terminal) asks ``Link.may`` again whenever it matters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from aiohttp import web

from controlroom.gateway.access import Access
from controlroom.kit.http import Peer
from controlroom.wire.device import Device
from controlroom.wire.relay import Envelope

GRANT_EXPIRED: Final = "grant expired"
"""Why a channel is closed on a socket that stays open."""


class Link(Protocol):
    """One authenticated socket as a channel sees it."""

    @property
    def id(self) -> str:
        """Names this socket while it lives; a device may have several at once."""

    @property
    def device(self) -> Device:
        """Who it is, as the device book knew it at the last message."""

    @property
    def peer(self) -> Peer: ...

    @property
    def is_open(self) -> bool: ...

    def may(self, right: str) -> bool:
        """Whether this device's session lives and holds ``right`` now."""

    async def send(self, type_: str, payload: Mapping[str, object], *, id: str | None = None) -> bool:
        """Send on this channel, in order. ``id``: the request this answers, None for a fresh one.

        Waits while the socket is full (this is the flow control of a slow device), and tells whether the
        message was accepted: False when the socket has ended, then nothing more will ever be sent.
        """

    async def system_error(self, message: str, *, id: str | None = None) -> bool:
        """Send ``system/error`` with a text for people."""


class Handler(Protocol):
    """One channel on one socket."""

    async def receive(self, message: Envelope) -> None:
        """Take one message. Errors that leave it are logged and answered with ``system/error``."""

    async def aclose(self, reason: str) -> None:
        """The socket has ended, or ends now (``server shutdown``: it can still be written to, for at most two
        seconds), or goes on without this channel (GRANT_EXPIRED: its right was taken or has run out).
        Everything that was received has been handled before, as far as its deadline allows."""


class Channel(Protocol):
    """A channel by its name. ``right`` None: every paired device may use it."""

    @property
    def name(self) -> str: ...

    @property
    def right(self) -> str | None: ...

    async def open(self, link: Link) -> Handler: ...


class Part(Protocol):
    """A group of channels and HTTP routes of the device door, such as the terminal or media.

    ``capabilities`` are the words that ``/relay/info`` announces because this part is there, ``numbers`` the
    fields it adds there (for example ``media_entry_count``).
    """

    @property
    def capabilities(self) -> Sequence[str]: ...

    def channels(self) -> Sequence[Channel]: ...

    def routes(self, access: Access) -> Sequence[web.RouteDef]: ...

    def numbers(self) -> Mapping[str, int]: ...

    async def start(self) -> None: ...

    async def aclose(self) -> None: ...


class Profiles(Protocol):
    """Where the profile rows of ``auth.ok`` and ``profiles.updated`` come from (contract section 17)."""

    async def rows(self) -> Sequence[Mapping[str, object]]:
        """All rows as the contract writes them; never fails, an unreadable profile is left out."""
