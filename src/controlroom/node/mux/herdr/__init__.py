"""Herdr: all sessions of this user, through their sockets. It only speaks; it links to nothing of Herdr."""

from __future__ import annotations

from collections.abc import Mapping

from controlroom.kit.clock import Clock
from controlroom.node.mux.herdr.adapter import HerdrMultiplexer
from controlroom.node.mux.watch import Sockets

__all__ = ["HerdrMultiplexer", "multiplexer"]


def multiplexer(
    *, environment: Mapping[str, str], sockets: Sockets = "auto", clock: Clock
) -> HerdrMultiplexer:
    """What the entry point ``controlroom.multiplexers`` names. ``sockets``: the setting ``herdr.sockets``."""
    return HerdrMultiplexer(environment=environment, sockets=sockets, clock=clock)
