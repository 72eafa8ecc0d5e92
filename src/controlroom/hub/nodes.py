"""The nodes that the hub has met, and the one way to ask them something."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, tzinfo
from typing import TypeVar

from controlroom.hub.errors import HubError
from controlroom.hub.ports import NodeAway, NodeLink, NodeRefused
from controlroom.kit.zone import zone_of
from controlroom.wire.model import Health

T = TypeVar("T")


class Node:
    """One node: its link, and what was seen of it last."""

    def __init__(self, machine_id: str, link: NodeLink) -> None:
        self.machine_id = machine_id
        self.link = link
        self.name = machine_id
        self.zone = ""  # the machine's time zone, as it says
        self.offset_ms = 0  # add to the node's times to get the hub's
        self.last_seen_ms = 0
        self.load: float | None = None
        self.health: tuple[Health, ...] = ()
        self._online = asyncio.Event()

    @property
    def time_zone(self) -> tzinfo:
        """The machine's zone; UTC when it does not say one that is known here."""
        return zone_of(self.zone) or UTC

    @property
    def is_online(self) -> bool:
        return self._online.is_set()

    def set_online(self, is_online: bool) -> None:
        if is_online:
            self._online.set()
        else:
            self._online.clear()

    async def until_online(self) -> None:
        await self._online.wait()

    async def ask(self, call: Callable[[NodeLink], Awaitable[T]], timeout_s: float) -> T:
        """Ask the node, as somebody who waits for the answer.

        Raises HubError: the node's refusal in its own words, or ``offline``. A time-out leaves open whether
        the node did what it was asked.
        """
        if not self.is_online:
            raise HubError("offline", f"{self.name} is away.")
        try:
            async with asyncio.timeout(timeout_s):
                return await call(self.link)
        except NodeRefused as error:
            raise refused(error) from None
        except NodeAway:
            raise HubError("offline", f"{self.name} is away.") from None
        except TimeoutError:
            raise HubError(
                "offline", f"{self.name} did not answer in time. Ask again with the same id."
            ) from None


class Nodes:
    """All nodes by machine id."""

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}

    def meet(self, machine_id: str, link: NodeLink) -> tuple[Node, bool]:
        """The node behind a link, and whether it is new here."""
        known = self._nodes.get(machine_id)
        if known is not None:
            known.link = link
            return known, False
        node = self._nodes[machine_id] = Node(machine_id, link)
        return node, True

    def get(self, machine_id: str) -> Node | None:
        return self._nodes.get(machine_id)

    def of(self, machine_id: str) -> Node:
        """Raises HubError ``offline`` for a machine that the hub has not met since its start."""
        node = self._nodes.get(machine_id)
        if node is None:
            raise HubError("offline", "The agent's machine is away.")
        return node

    def all(self) -> Iterable[Node]:
        return self._nodes.values()


def refused(error: NodeRefused) -> HubError:
    code = error.refusal.code
    return HubError("failed" if code == "ok" else code, error.refusal.text)
