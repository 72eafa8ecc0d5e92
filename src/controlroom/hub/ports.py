"""What the hub needs from others; ``app`` fills these in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from controlroom.kit.http import Peer
from controlroom.wire.device import Device, Invitation, MintPairing, PairingCode
from controlroom.wire.node import (
    Act,
    ActResult,
    ActsAnswer,
    FileOffer,
    FilePlaced,
    FrameAnswer,
    Hello,
    HistoryAnswer,
    HitsAnswer,
    ItemsAnswer,
    Refusal,
    Snapshot,
)
from controlroom.wire.relay import Envelope
from controlroom.wire.usage import UsageAnswer, UsageBy


class NodeRefused(Exception):
    """The node answered with a refusal: its code and its sentence are for the caller."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.code}: {refusal.text}")
        self.refusal = refusal


class NodeAway(Exception):
    """The node cannot be reached now."""


class NodeLink(Protocol):
    """One node, as the hub dials it (house.md section 4). Every call may raise NodeAway."""

    async def hello(self) -> Hello: ...

    async def snapshot(self, after: int, wait_s: float) -> Snapshot | None:
        """The whole snapshot as soon as its ``rev`` differs from ``after`` (-1: at once), None after
        ``wait_s`` seconds without a change."""

    async def items(
        self,
        agent_id: str,
        chat_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsAnswer:
        """Raises NodeRefused (``not_found``: the history is missing or the chat is unknown)."""

    async def search(
        self, agent_id: str, chat_id: str, text: str, *, before: str | None = None, limit: int = 50
    ) -> HitsAnswer:
        """Items that say this text in any case, newest first, from a cursor backwards. About ``limit``, and
        as far as a few seconds reach. Raises NodeRefused: ``not_found`` as ``items``, ``changed`` when it has
        to be searched anew."""

    async def around(self, agent_id: str, chat_id: str, item_id: str) -> ItemsAnswer:
        """The page that holds this item. Raises NodeRefused (``not_found``)."""

    async def act(self, act: Act) -> ActResult:
        """Take an act, once for its id: the same id again gives the first result. A ``send`` is taken
        whatever the agent does now; its fate comes through ``acts``."""

    async def put_file(self, offer: FileOffer, pieces: AsyncIterator[bytes]) -> FilePlaced:
        """Put a file into the agent's inbox, once for its id: a file that lies there already is not read
        again. Raises NodeRefused (``not_found``: the agent has no folder; ``failed``: it cannot be
        written)."""

    async def acts(self, after: int, wait_s: float) -> ActsAnswer:
        """Progress with ``seq`` > ``after``, at once when there is some, else after at most ``wait_s``."""

    async def usage(self, by: UsageBy) -> UsageAnswer:
        """What the machine's agents used. Raises NodeRefused (``failed``)."""

    async def read_usage(self) -> None:
        """Read soon what accounts have left; what is new comes with the snapshot."""

    async def screen(self, agent_id: str) -> FrameAnswer:
        """Raises NodeRefused (``not_found``: no such agent or it has no pane; ``failed``)."""

    async def scrollback(self, agent_id: str, lines: int) -> HistoryAnswer:
        """The last rows of history and screen. Raises NodeRefused as ``screen`` does."""

    def watch(self, agent_id: str) -> AsyncIterator[FrameAnswer]:
        """Frames while somebody watches, only when the revision or the echo changed; ends when the pane is
        gone."""


class Invitations(Protocol):
    """How devices find us: addresses, links and QR codes around a pairing code."""

    async def invite(self, code: PairingCode, wish: MintPairing) -> Invitation:
        """Everything that a device needs to use this code. Raises ValueError, a sentence without its full
        stop, for a wish that cannot be."""


class TerminalLink(Protocol):
    """One browser as the terminals see it."""

    @property
    def id(self) -> str:
        """Names this socket while it lives; a device may have several at once."""

    @property
    def device(self) -> Device: ...

    @property
    def peer(self) -> Peer: ...

    @property
    def is_open(self) -> bool: ...

    def may(self, right: str) -> bool:
        """Whether this device may use terminals now."""

    async def send(self, type_: str, payload: Mapping[str, object], *, id: str | None = None) -> bool:
        """Send in order, waiting for a slow browser. ``id``: the request this answers. False: it is gone."""

    async def system_error(self, message: str, *, id: str | None = None) -> bool:
        """Say that something outside of a shell went wrong, or that this ends."""


class TerminalHandler(Protocol):
    """The shells of one browser."""

    async def receive(self, message: Envelope) -> None:
        """Take one message of the relay's terminal channel. The next comes when this one was handled."""

    async def aclose(self, reason: str) -> None:
        """Let go of all shells; they go on."""


class HostTerminals(Protocol):
    """Shells on this machine, with the rules of the relay's terminal channel."""

    async def open(self, link: TerminalLink) -> TerminalHandler: ...


class Callers(Protocol):
    """Who stands behind a peer of the Unix socket."""

    async def agent_of(self, pid: int) -> str | None:
        """The id of the agent in whose pane this process runs, None for the person (``host``)."""
