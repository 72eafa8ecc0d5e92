"""tmux: all servers of this user, each through one control client that draws and changes nothing."""

from __future__ import annotations

from collections.abc import Mapping

from controlroom.kit.clock import Clock
from controlroom.node.mux.tmux.adapter import TmuxMultiplexer
from controlroom.node.mux.watch import Sockets

__all__ = ["TmuxMultiplexer", "multiplexer"]


def multiplexer(
    *, environment: Mapping[str, str], sockets: Sockets = "auto", clock: Clock
) -> TmuxMultiplexer:
    """What the entry point ``controlroom.multiplexers`` names. ``sockets``: the setting ``tmux.sockets``."""
    return TmuxMultiplexer(environment=environment, sockets=sockets, clock=clock)
