"""Follows nodes: each snapshot is compared with what is stored, and only the difference becomes events.

A node that is away keeps its agents' last state, marked by ``online: false`` of its machine. Nothing depends
on any single snapshot: the next one heals what was lost, the same one again changes nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

import msgspec
import structlog

from controlroom.hub.merge import diff, steady_offset
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.ports import NodeAway, NodeLink
from controlroom.hub.store import fleet_rows
from controlroom.hub.store.store import Change, Store
from controlroom.kit.clock import Clock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.wire.model import Machine
from controlroom.wire.node import AgentState, Hello, Snapshot
from controlroom.wire.usage import UsageState

_log = structlog.get_logger("fleet")

HELLO_S = 10.0  # a living node answers at once, a loaded machine within seconds
WAIT_S = 25.0  # a quiet node proves its life this often
GRACE_S = 10.0  # on top of WAIT_S, for the way and a loaded machine
SLOW_MS = 2_000  # a hello that took longer says nothing about the clock
FIRST_DELAY_S, LAST_DELAY_S = 0.5, 15.0


class Listener(Protocol):
    """Who wants to know about nodes. Called in the event loop, after the change was stored."""

    def met(self, node: Node) -> None:
        """A node that is new since the hub's start."""

    def snapshot(self, node: Node, states: Sequence[AgentState]) -> None:
        """The newest snapshot of a node, changed or not."""

    def usage(self, node: Node, usage: UsageState) -> None:
        """What the newest snapshot of a node says of usage, changed or not; not called while it says
        nothing."""

    def flipped(self, node: Node) -> None:
        """The node came or went."""


class Follower:
    """Follows one link for ever."""

    def __init__(
        self,
        link: NodeLink,
        *,
        is_primary: bool,
        store: Store,
        nodes: Nodes,
        clock: Clock,
        listener: Listener,
    ) -> None:
        self._link = link
        self._is_primary = is_primary
        self._store = store
        self._nodes = nodes
        self._clock = clock
        self._listener = listener
        self._node: Node | None = None
        self._measured_ms: int | None = None  # the node's clock against ours, at the last hello
        self._is_told_away = True

    async def run(self) -> None:
        delay = FIRST_DELAY_S
        while True:
            try:
                hello = await self._hello()
                node, known = await self._meet(hello)
                await self._poll(node, hello, known)
                delay = FIRST_DELAY_S  # the node was started anew
            except (NodeAway, TimeoutError):
                delay = await self._away(delay)
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("cannot store the fleet", error=str(error), again_in_s=delay)
            await asyncio.sleep(delay)
            delay = min(delay * 2, LAST_DELAY_S)

    async def _hello(self) -> Hello:
        began = self._clock.now_ms()
        async with asyncio.timeout(HELLO_S):
            hello = await self._link.hello()
        now = self._clock.now_ms()
        if self._node is not None and self._node.machine_id == hello.node_id:
            self._node.last_seen_ms = now
            self._node.zone = hello.zone
        self._measured_ms = (began + now) // 2 - hello.now_ms if 0 <= now - began <= SLOW_MS else None
        return hello

    async def _meet(self, hello: Hello) -> tuple[Node, dict[str, AgentState]]:
        """The node that answered, and its agents as they are stored."""
        if self._node is not None and self._node.machine_id != hello.node_id:
            await self._away(0)
        node, is_new = self._nodes.meet(hello.node_id, self._link)
        row = await self._store.read(lambda c: fleet_rows.machine_row(c, hello.node_id))
        if is_new and row is not None:
            node.offset_ms = row.offset_ms
        self._node = node
        node.name = hello.name
        node.zone = hello.zone
        node.last_seen_ms = self._clock.now_ms()
        if is_new:
            self._listener.met(node)
        states = await self._store.read(lambda c: fleet_rows.listed_states(c, hello.node_id))
        return node, {state.id: state for state in states}

    async def _poll(self, node: Node, hello: Hello, known: dict[str, AgentState]) -> None:
        """Take snapshots until the node is started anew. Raises NodeAway, TimeoutError, DatabaseTrouble."""
        rev = -1
        while True:
            async with asyncio.timeout(WAIT_S + GRACE_S):
                snapshot = await self._link.snapshot(rev, WAIT_S)
            node.last_seen_ms = self._clock.now_ms()
            if snapshot is None:
                if (await self._hello()).boot_id != hello.boot_id:
                    return
                continue
            if snapshot.boot_id != hello.boot_id:
                return
            known = await self._take(node, hello, snapshot, known)
            rev = snapshot.rev

    async def _take(
        self, node: Node, hello: Hello, snapshot: Snapshot, known: dict[str, AgentState]
    ) -> dict[str, AgentState]:
        measured = node.offset_ms if self._measured_ms is None else self._measured_ms
        offset = steady_offset(node.offset_ms, measured)
        difference = diff(known, snapshot.agents)
        changed = snapshot.agents if offset != node.offset_ms else difference.changed
        machine = Machine(
            id=node.machine_id,
            name=hello.name,
            primary=self._is_primary,
            online=True,
            last_seen_ms=node.last_seen_ms,
            version=hello.version,
            capabilities=hello.capabilities,
            load=snapshot.load,
        )
        unread_from_ms = self._clock.now_ms() - offset

        def job(change: Change) -> None:
            fleet_rows.put_machine(change, machine, offset)
            for state in changed:
                fleet_rows.put_state(change, machine.id, state, unread_from_ms)
            for agent_id in difference.gone:
                fleet_rows.unlist(change, agent_id)

        await self._store.change(job)
        node.offset_ms = offset
        node.load = snapshot.load
        node.health = tuple(
            msgspec.structs.replace(item, machine_id=node.machine_id, since_ms=item.since_ms + offset)
            for item in snapshot.health
        )
        self._is_told_away = False
        if not node.is_online:
            node.set_online(True)
            self._listener.flipped(node)
        self._listener.snapshot(node, snapshot.agents)
        if snapshot.usage is not None:
            self._listener.usage(node, snapshot.usage)
        return {state.id: state for state in snapshot.agents}

    async def _away(self, delay: float) -> float:
        """Say once that the node is away. Returns the pause before the next try."""
        node = self._node
        if node is None or self._is_told_away:
            return delay
        if node.is_online:
            _log.warning("node is away", machine=node.machine_id)
        node.set_online(False)
        node.health = ()
        try:
            await self._store.change(lambda change: set_away(change, node.machine_id, node.last_seen_ms))
        except DatabaseTrouble as error:
            _log.warning("cannot store that a node is away", error=str(error))
            return delay
        self._is_told_away = True
        self._listener.flipped(node)
        return FIRST_DELAY_S


def set_away(change: Change, machine_id: str, last_seen_ms: int | None = None) -> None:
    """Mark a machine as away."""
    row = fleet_rows.machine_row(change.connection, machine_id)
    if row is None:
        return
    machine = msgspec.structs.replace(
        row.machine,
        online=False,
        last_seen_ms=row.machine.last_seen_ms if last_seen_ms is None else last_seen_ms,
    )
    fleet_rows.put_machine(change, machine, row.offset_ms)


def all_away(change: Change) -> None:
    """At the hub's start nothing is known to be so now: every machine is away until it answers."""
    for row in fleet_rows.machine_rows(change.connection):
        set_away(change, row.machine.id)
