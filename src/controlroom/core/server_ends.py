"""Servers of multiplexers that ended under their agents: trouble, unlike one that ends with its last pane."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

FEWEST = 2
"""A server ends with its last pane in the normal way; so many agents at once leave by no exit of theirs."""

SHOWN_MS = 3_600_000


class ServerEnd(msgspec.Struct, frozen=True):
    """One server, how many agents lived there, and when it was missed."""

    multiplexer: str
    path: str
    agents: int
    at_ms: int

    @property
    def title(self) -> str:
        return f"{self.multiplexer} at {self.path} is gone; {self.agents} agents were in it"


def ends_now(
    before: Collection[ServerEnd],
    lived: Mapping[tuple[str, str], int],
    servers: Collection[str],
    now_ms: int,
) -> tuple[ServerEnd, ...]:
    """What is shown now: for an hour, or until a server is there again.

    ``lived``: how many agents each server (multiplexer and path) had at the look before; ``servers``: paths
    at which something listens now.
    """
    missed = [
        ServerEnd(multiplexer, path, count, now_ms)
        for (multiplexer, path), count in lived.items()
        if count >= FEWEST
    ]
    known = {one.path: one for one in (*before, *missed) if one.path not in servers}
    return tuple(one for one in known.values() if 0 <= now_ms - one.at_ms < SHOWN_MS)
