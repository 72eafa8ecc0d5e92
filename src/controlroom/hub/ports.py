"""What the hub needs from others; ``app`` fills these in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from controlroom.wire.device import Invitation, MintPairing, PairingCode
from controlroom.wire.node import (
    Act,
    ActResult,
    ActsAnswer,
    FrameAnswer,
    Hello,
    ItemsAnswer,
    Refusal,
    Snapshot,
)


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

    async def act(self, act: Act) -> ActResult:
        """Take an act, once for its id: the same id again gives the first result. A ``send`` is taken
        whatever the agent does now; its fate comes through ``acts``."""

    async def acts(self, after: int, wait_s: float) -> ActsAnswer:
        """Progress with ``seq`` > ``after``, at once when there is some, else after at most ``wait_s``."""

    async def screen(self, agent_id: str) -> FrameAnswer:
        """Raises NodeRefused (``not_found``: no such agent or it has no pane; ``failed``)."""

    def watch(self, agent_id: str) -> AsyncIterator[FrameAnswer]:
        """Frames while somebody watches, only when the revision changed; ends when the pane is gone."""


class Invitations(Protocol):
    """How devices find us: addresses, links and QR codes around a pairing code."""

    async def invite(self, code: PairingCode, wish: MintPairing) -> Invitation:
        """Everything that a device needs to use this code. Raises ValueError, a sentence without its full
        stop, for a wish that cannot be."""


class Callers(Protocol):
    """Who stands behind a peer of the Unix socket."""

    async def agent_of(self, pid: int) -> str | None:
        """The id of the agent in whose pane this process runs, None for the person (``host``)."""
