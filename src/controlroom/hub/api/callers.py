"""Who asks, on the Unix socket, and what they may (house.md section 3).

A process inside an agent's pane is that agent: it may read. Everybody else there is the person, ``host``.
This stops obedient agents, not hostile code of the same user.
"""

from __future__ import annotations

import asyncio
from typing import Literal
from weakref import WeakKeyDictionary

import msgspec
from aiohttp import web

from controlroom.hub.errors import HubError
from controlroom.hub.ports import Callers
from controlroom.kit.http import peer_pid

Right = Literal["read", "message", "act", "host"]
"""``read``: see everything; ``message``: write to agents; ``act``: answers, keys and what changes how the
fleet is shown; ``host``: only the person at this machine."""

WHO_S = 5.0  # a walk up the process tree; longer means that the machine is in trouble

_AGENT_MAY: frozenset[Right] = frozenset({"read"})


class Caller(msgspec.Struct, frozen=True):
    """``by`` is ``host`` or ``agent:ID``."""

    by: str

    @property
    def is_agent(self) -> bool:
        return self.by.startswith("agent:")

    def may(self, right: Right) -> bool:
        return not self.is_agent or right in _AGENT_MAY


class SocketCallers:
    """Tells callers of the Unix socket apart; each connection is looked at once."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._known: WeakKeyDictionary[asyncio.Transport, Caller] = WeakKeyDictionary()

    async def of(self, request: web.Request) -> Caller:
        """Raises HubError when it cannot be said who asks: nobody is taken for the person by mistake."""
        transport = request.transport
        if transport is None:
            raise HubError("failed", "The connection is closed.")
        known = self._known.get(transport)
        if known is None:
            known = self._known[transport] = await self._look(request)
        return known

    async def _look(self, request: web.Request) -> Caller:
        pid = peer_pid(request)
        if pid is None:
            raise HubError("not_allowed", "It cannot be said which process asks.")
        try:
            async with asyncio.timeout(WHO_S):
                agent_id = await self._callers.agent_of(pid)
        except TimeoutError:
            raise HubError("failed", "It cannot be said in time who asks. Try again.") from None
        return Caller("host" if agent_id is None else f"agent:{agent_id}")


def not_allowed(what: str) -> HubError:
    return HubError(
        "not_allowed",
        f"{what}: only the person may do this; a process in an agent's pane may read.",
    )
