"""Who asks, and what they may (house.md section 3; the table is ``core.access``).

On the private socket a process inside an agent's pane is that agent, and may read; everybody else there is
the person, ``host``. That stops obedient agents, not hostile code of the same user. On the doors every
caller is a paired device, see ``device_callers``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol
from weakref import WeakKeyDictionary

from aiohttp import web

from controlroom.core.access import Rule, rule_of
from controlroom.hub.errors import HubError
from controlroom.hub.ports import Callers
from controlroom.kit.http import peer_pid

WHO_S = 5.0  # a walk up the process tree; longer means that the machine is in trouble


class Caller(Protocol):
    """Whoever asks. Rights are looked at anew each time: they end while sockets stay open."""

    @property
    def by(self) -> str:
        """``host``, ``agent:ID`` or ``device:ID``."""

    def may(self, rule: Rule) -> bool:
        """Whether they may do this now."""

    def refusal(self, what: str, rule: Rule) -> HubError:
        """Why not, for people; it names the right that is missing."""

    def acts(self) -> None:
        """The person does something now: what waits for idleness begins anew."""


class Person:
    """The person at this machine, or the agent in whose pane the caller runs."""

    def __init__(self, agent_id: str | None) -> None:
        self._agent_id = agent_id

    @property
    def by(self) -> str:
        return "host" if self._agent_id is None else f"agent:{self._agent_id}"

    def may(self, rule: Rule) -> bool:
        return self._agent_id is None or rule.agents

    def refusal(self, what: str, rule: Rule) -> HubError:
        return HubError(
            "not_allowed",
            f"{what}: only the person may do this; a process in an agent's pane may read, and ask.",
        )

    def acts(self) -> None:
        """The private socket has no lock."""


class KnowsCallers(Protocol):
    """Finds out who makes a request."""

    async def of(self, request: web.Request) -> Caller:
        """Raises HubError when it cannot be said who asks: nobody is taken for another by mistake."""

    async def by_half(self, request: web.Request) -> Caller:
        """The same where half of a browser's login is enough (the right ``cookie``)."""

    async def greeting(self, request: web.Request) -> Callable[[str | None], Caller]:
        """For the live socket, before it opens: who it is once its hello has told the key.

        Raises HubError as ``of`` does, now or when the key does not fit.
        """


class SocketCallers:
    """Tells callers of the Unix socket apart; each connection is looked at once."""

    def __init__(self, callers: Callers) -> None:
        self._callers = callers
        self._known: WeakKeyDictionary[asyncio.Transport, Person] = WeakKeyDictionary()

    async def of(self, request: web.Request) -> Caller:
        transport = request.transport
        if transport is None:
            raise HubError("failed", "The connection is closed.")
        known = self._known.get(transport)
        if known is None:
            known = self._known[transport] = await self._look(request)
        return known

    async def by_half(self, request: web.Request) -> Caller:
        return await self.of(request)

    async def greeting(self, request: web.Request) -> Callable[[str | None], Caller]:
        caller = await self.of(request)
        return lambda _key: caller

    async def _look(self, request: web.Request) -> Person:
        pid = peer_pid(request)
        if pid is None:
            raise HubError("not_allowed", "It cannot be said which process asks.")
        try:
            async with asyncio.timeout(WHO_S):
                return Person(await self._callers.agent_of(pid))
        except TimeoutError:
            raise HubError("failed", "It cannot be said in time who asks. Try again.") from None


def check(caller: Caller, subject: str, what: str) -> None:
    """Raises HubError ``not_allowed`` when the caller may not do what this row of the table says."""
    rule = rule_of(subject)
    if not caller.may(rule):
        raise caller.refusal(what, rule)
