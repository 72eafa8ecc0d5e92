"""Carries messages: to the node until it has them, and what became of them back into the store.

States are those of api.md. What must never happen: a message that was accepted and is forgotten, and one
that is handed over as two. The first is prevented by the store (whatever is ``accepted`` and not taken is
handed over again, after a restart too), the second by the id: the node takes an id once. A node that lost
its journal knows no ids any more; what it may have had is ``unconfirmed`` then, and only a person sends it
again.

``is_tried`` is written before the node is asked, so that a message that the node may have is never changed
behind its back: changes go to the node then, and wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from typing import Protocol

import msgspec
import structlog

from controlroom.hub.delivery import as_shown, for_event, with_progress
from controlroom.hub.errors import HubError, no_message
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.ports import NodeAway, NodeRefused
from controlroom.hub.store import fleet_rows, message_rows
from controlroom.hub.store.message_rows import MessageRow
from controlroom.hub.store.store import Change, Event, Store
from controlroom.hub.uploads import Uploads
from controlroom.kit.health import HealthBoard
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.model import Held, Message
from controlroom.wire.node import ActProgress, ActResult, ActsAnswer, FileOffer, SendAct

_log = structlog.get_logger("courier")

TAKE_S = 30.0  # the node only writes it down
PUT_S = 600.0  # the largest file over a slow link
WAIT_S, GRACE_S = 25.0, 10.0  # a quiet node answers after WAIT_S; on top, the way and a loaded machine
AGAIN_S = 2.0  # before a node that failed to take a message is asked again
BATCH = 50

LOST = "The agent's machine lost its journal: look whether it arrived, and send it again if not."


class OperationsHeard(Protocol):
    """Who wants to know what became of operations."""

    def progress(self, change: Change, node: Node, news: ActProgress) -> None: ...

    def lost(self, change: Change, node: Node) -> None: ...


class Guard(Protocol):
    """Who may hold a message up before the node is told of it."""

    async def hold(self, agent_id: str) -> str | None:
        """Why nothing may be sent to this agent now, for people; None: it may."""


class Courier:
    """Between the store and all nodes."""

    def __init__(self, store: Store, nodes: Nodes, uploads: Uploads, health: HealthBoard) -> None:
        self._store = store
        self._nodes = nodes
        self._uploads = uploads
        self._health = health
        self._tasks = Tasks("courier")
        self._wakes: dict[str, asyncio.Event] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._operations: OperationsHeard | None = None
        self._guard: Guard | None = None
        self._held_up: set[str] = set()  # machines with messages that are held up here

    def guarded_by(self, guard: Guard) -> None:
        """It is asked about each message before its node is told."""
        self._guard = guard

    def event(self, event: Event) -> None:
        """An answer or a reading may let go what is held up."""
        if event.name in ("question.changed", "account.changed", "agent.changed"):
            self.reconsider()

    def reconsider(self) -> None:
        """Ask about what is held up again: time has passed."""
        for machine_id in self._held_up:
            self.wake(machine_id)

    def hears_operations(self, heard: OperationsHeard) -> None:
        """What nodes tell of operations goes there: they travel in the same journal as messages."""
        self._operations = heard

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def wake(self, machine_id: str) -> None:
        """There is something to hand over."""
        self._wakes.setdefault(machine_id, asyncio.Event()).set()

    def lock(self, machine_id: str) -> asyncio.Lock:
        """Held while a message is handed over; whoever changes a waiting one holds it too."""
        return self._locks.setdefault(machine_id, asyncio.Lock())

    # ---- to the node -----------------------------------------------------------------------------------

    def met(self, node: Node) -> None:
        """Serve a node from now on."""
        for name, run in (("hand over", self._hand_over_for_ever), ("follow", self._follow_for_ever)):
            self._tasks.supervise(f"{name}:{node.machine_id}", partial(run, node), self._health)

    def flipped(self, node: Node) -> None:
        """The node came or went: what waits for it says so, or says so no more."""
        self.wake(node.machine_id)
        self._tasks.start(f"flip:{node.machine_id}", self._tell_all(node))

    async def _tell_all(self, node: Node) -> None:
        def job(change: Change) -> None:
            for row in message_rows.open_messages(change.connection, node.machine_id):
                if row.message.state == "accepted":
                    tell(change, row.message, self._nodes.get(node.machine_id))

        try:
            await self._store.change(job)
        except DatabaseTrouble as error:  # only a display is late: GET says it right
            _log.warning("cannot tell of waiting messages", error=str(error))

    async def _hand_over_for_ever(self, node: Node) -> None:
        wake = self._wakes.setdefault(node.machine_id, asyncio.Event())
        wake.set()  # what an earlier run left
        while True:
            await wake.wait()
            await node.until_online()
            wake.clear()
            try:
                is_done = await self._hand_over_all(node)
            except (NodeAway, TimeoutError, DatabaseTrouble) as error:
                _log.info("messages wait", machine=node.machine_id, error=repr(error))
                is_done = False
            if not is_done:
                wake.set()
                await asyncio.sleep(AGAIN_S)

    async def _hand_over_all(self, node: Node) -> bool:
        """Hand over everything in order; False when one has to be tried again."""
        await self._learn_journal(node)
        self._held_up.discard(node.machine_id)
        after = 0
        while rows := await self._untaken(node, after):
            for row in rows:
                async with self.lock(node.machine_id):
                    if not await self._hand_over(node, row.message.id):
                        return False
            after = rows[-1].number
        return True

    async def _untaken(self, node: Node, after: int) -> list[MessageRow]:
        return await self._store.read(lambda c: message_rows.untaken(c, node.machine_id, BATCH, after))

    async def _hand_over(self, node: Node, message_id: str) -> bool:
        row = await self._store.read(lambda c: message_rows.message_row(c, message_id))
        if row is None or row.is_taken or row.message.state != "accepted":
            return True
        if row.is_tried:
            if await self._has_lost_its_journal(node):
                return True
            row = await self._store.read(lambda c: message_rows.message_row(c, message_id))
            if row is None or row.is_taken:  # its journal has just said so
                return True
        elif await self._is_held_up(row):
            return True
        message = row.message
        result = await self._place_files(node, message)
        if result.code == "ok":
            if not row.is_tried:
                await self._store.change(lambda change: message_rows.mark_tried(change, message_id))
            async with asyncio.timeout(TAKE_S):
                result = await node.link.act(_act(message, node))
        if result.code in ("offline", "busy"):
            return False
        if result.code == "ok":
            await self._store.change(lambda change: message_rows.mark_taken(change, message_id))
            return True
        text = result.text or "The agent's machine refused it."
        await put(
            self._store,
            self._nodes,
            message_id,
            lambda message: msgspec.structs.replace(message, state="failed", held=None, detail=text),
        )
        return True

    async def _is_held_up(self, row: MessageRow) -> bool:
        """Ask the guard, and say what it says with the message."""
        text = None if self._guard is None else await self._guard.hold(row.message.agent_id)
        held = row.message.held
        if text is not None:
            self._held_up.add(row.machine_id)
        if text != (None if held is None else held.text):
            since_ms = row.message.created_at_ms
            now = None if text is None else Held(code="credit", text=text, since_ms=since_ms)
            await put(
                self._store, self._nodes, row.message.id, lambda one: msgspec.structs.replace(one, held=now)
            )
        return text is not None

    async def _place_files(self, node: Node, message: Message) -> ActResult:
        """Put a message's files where its agent is told of them; those that lie there stay as they are.

        Done before the node hears of the message: what is typed names files that are there.
        """
        for attachment in message.attachments:
            try:
                row = await self._uploads.row(attachment.id)
                offer = FileOffer(
                    id=row.id, agent_id=message.agent_id, name=row.name, bytes=row.bytes, sha256=row.sha256
                )
                async with asyncio.timeout(PUT_S), aclosing(self._uploads.pieces(row)) as pieces:
                    await node.link.put_file(offer, pieces)
            except NodeRefused as error:
                return ActResult(code=error.refusal.code, text=error.refusal.text)
            except HubError as error:
                return ActResult(code="failed", text=error.text)
            except OSError as error:
                _log.warning("an upload cannot be read", upload=attachment.id, error=str(error))
                return ActResult(code="failed", text=f"{attachment.name} cannot be read here.")
        return ActResult(code="ok")

    # ---- from the node ---------------------------------------------------------------------------------

    async def _follow_for_ever(self, node: Node) -> None:
        while True:
            await node.until_online()
            try:
                await self._follow(node)
            except (NodeAway, TimeoutError):
                await asyncio.sleep(AGAIN_S)
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("cannot store what became of messages", error=str(error))
                await asyncio.sleep(AGAIN_S)

    async def _follow(self, node: Node) -> None:
        await self._learn_journal(node)
        while True:
            _, after = await self._position(node)
            await self._ask(node, after, WAIT_S)

    async def _position(self, node: Node) -> tuple[str | None, int]:
        """Which journal of the node was read, and how far."""
        row = await self._store.read(lambda c: fleet_rows.machine_row(c, node.machine_id))
        return (None, 0) if row is None else (row.journal_id, row.acts_seq)

    async def _ask(self, node: Node, after: int, wait_s: float) -> bool:
        """Read on in the node's journal. Returns whether it is another one than before."""
        async with asyncio.timeout(wait_s + GRACE_S):
            answer = await node.link.acts(after, wait_s)
        return await self._store.change(lambda change: self._take(change, node, answer))

    async def _learn_journal(self, node: Node) -> None:
        """Which journal takes the messages must be known before the first: else its loss goes unnoticed."""
        journal_id, after = await self._position(node)
        if journal_id is None:
            await self._ask(node, after, 0.0)

    async def _has_lost_its_journal(self, node: Node) -> bool:
        """Asked before a message is handed over a second time: a new journal would take it as a new one."""
        _, after = await self._position(node)
        return await self._ask(node, after, 0.0)

    def _take(self, change: Change, node: Node, answer: ActsAnswer) -> bool:
        row = fleet_rows.machine_row(change.connection, node.machine_id)
        if row is None:
            return False
        if row.journal_id is not None and row.journal_id != answer.journal_id:
            self._begin_anew(change, node, answer.journal_id)
            return True
        news = [progress for progress in answer.acts if progress.seq > row.acts_seq]
        for progress in news:
            if progress.kind == "send":
                self._take_one(change, node, progress)
            elif progress.kind == "operate" and self._operations is not None:
                self._operations.progress(change, node, progress)
        if news or row.journal_id is None:
            position = news[-1].seq if news else row.acts_seq
            fleet_rows.put_acts_position(change.connection, node.machine_id, answer.journal_id, position)
        return False

    def _take_one(self, change: Change, node: Node, progress: ActProgress) -> None:
        row = message_rows.message_row(change.connection, progress.id)
        if row is None or row.machine_id != node.machine_id:
            return  # somebody else's
        if not row.is_taken:
            message_rows.mark_taken(change, progress.id)
        message = with_progress(row.message, progress, node.offset_ms)
        if progress.agent_id != message.agent_id:  # an agent that was just starting gave way to an older one
            agent = fleet_rows.agent_row(change.connection, progress.agent_id)
            if agent is not None:
                message = msgspec.structs.replace(message, agent_id=agent.id, chat_id=agent.chat_id)
        if message is not row.message:
            message_rows.put_message(change, message)
            tell(change, message, self._nodes.get(node.machine_id))

    def _begin_anew(self, change: Change, node: Node, journal_id: str) -> None:
        """The node lost its journal. Of the messages that it had, nobody can say what became of them."""
        fleet_rows.put_acts_position(change.connection, node.machine_id, journal_id, 0)
        if self._operations is not None:
            self._operations.lost(change, node)
        for row in message_rows.open_messages(change.connection, node.machine_id):
            if row.is_tried:
                message = msgspec.structs.replace(
                    row.message, state="unconfirmed", held=None, detail=LOST, changed_at_ms=change.now_ms
                )
                message_rows.put_message(change, message)
                tell(change, message, node)


def _act(message: Message, node: Node) -> SendAct:
    return SendAct(
        id=message.id,
        agent_id=message.agent_id,
        text=message.text,
        when=message.when,
        send_as=message.send_as,
        on_draft=message.on_draft,
        by=message.by,
        created_at_ms=message.created_at_ms - node.offset_ms,
        attachments=message.attachments,
    )


def tell(change: Change, message: Message, node: Node | None) -> None:
    """Emit a message as clients see it."""
    change.emit("message.changed", for_event(as_shown(message, node)))


async def put(store: Store, nodes: Nodes, message_id: str, apply: Callable[[Message], Message]) -> Message:
    """Change a stored message; returns it as clients see it."""

    def job(change: Change) -> tuple[Message, Node | None]:
        row = message_rows.message_row(change.connection, message_id)
        if row is None:
            raise no_message(message_id)
        node = nodes.get(row.machine_id)
        message = apply(row.message)
        if message != row.message:
            message = msgspec.structs.replace(message, changed_at_ms=change.now_ms)
            message_rows.put_message(change, message)
            tell(change, message, node)
        return message, node

    message, node = await store.change(job)
    return as_shown(message, node)
