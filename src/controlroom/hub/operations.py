"""Operations as people ask for them: stored, handed to the agent's machine, followed, and taken back.

An operation is stored first and handed over until its machine has taken it; the machine's journal tells what
became of it (``progress``). Its states say what was done to the agent, never that any work is done.
"""

from __future__ import annotations

import asyncio
import hashlib
from functools import partial

import msgspec
import structlog
from sqlalchemy import Connection

from controlroom.core.operations import STEPS, Kind
from controlroom.core.text import clean_line
from controlroom.hub.errors import HubError, no_agent
from controlroom.hub.messages import ID, Messages
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.operation_words import asked, ended, undo_of
from controlroom.hub.ports import NodeAway
from controlroom.hub.store import fleet_rows, operation_rows, request_rows
from controlroom.hub.store.operation_rows import OperationRecord, OperationRow
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.clock import new_id
from controlroom.kit.health import HealthBoard
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import SendMessage
from controlroom.wire.codec import encode
from controlroom.wire.node import ActProgress, AgentState, AmendAct, OperateAct
from controlroom.wire.operation import (
    AskOperation,
    Operation,
    OperationArgs,
    OperationError,
    Operations,
    OperationStep,
    UndoOperation,
)

_log = structlog.get_logger("operations")

PAGE = 500
LONGEST_WHY, LONGEST_PROMPT = 500, 100_000
TAKE_S = 30.0  # the node looks whether it can be, and writes it down
AGAIN_S = 2.0
PROMPT_AGAIN_S = 10.0
LOST = "The agent's machine lost its journal: look at the agent to see how far this went."


class OperationBook:
    """All operations of the fleet."""

    def __init__(self, store: Store, nodes: Nodes, messages: Messages, health: HealthBoard) -> None:
        self._store = store
        self._nodes = nodes
        self._messages = messages
        self._health = health
        self._tasks = Tasks("operations")
        self._wakes: dict[str, asyncio.Event] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._prompts = asyncio.Event()

    def start(self) -> None:
        self._tasks.supervise("prompts", self._send_prompts_for_ever, self._health)
        self._prompts.set()

    async def aclose(self) -> None:
        await self._tasks.aclose()

    # ---- what people ask -------------------------------------------------------------------------------

    async def ask(self, body: AskOperation, by: str) -> Operation:
        """Store an operation; its machine is told soon. The same id and body again are the same operation.

        Raises HubError: bad_request, not_found, conflict.
        """
        _check(body)
        digest = _digest(body, by)

        def job(change: Change) -> Operation:
            known = operation_rows.operation_row(change.connection, body.id)
            if known is not None:
                if known.digest != digest:
                    raise HubError("conflict", "Another operation was asked for with this id.")
                return known.operation
            return self._add(change, body, by, digest)

        return await self._told(await self._store.change(job))

    async def undo(self, operation_id: str, body: UndoOperation, by: str) -> Operation:
        """Take an operation back: by ending it while it waits, else by another one, which is returned.

        Raises HubError: not_found, conflict (it cannot be taken back, or not any more), and ``ask``'s.
        """
        if not ID.fullmatch(body.request_id):
            raise HubError("bad_request", "request_id: up to 100 letters, digits and _ . : - are allowed.")
        _check_why(body.why)
        row = await self._store.read(lambda c: operation_rows.operation_row(c, operation_id))
        if row is None:
            raise HubError("not_found", f"There is no operation {operation_id[:80]}.")
        if row.operation.state in ("queued", "running"):
            return await self._cancel(row.operation, by)
        id = _undo_id(operation_id, body.request_id, by)

        def job(change: Change) -> Operation:
            known = operation_rows.operation_row(change.connection, id)
            if known is not None:
                return known.operation
            now = operation_rows.operation_row(change.connection, operation_id)
            assert now is not None
            undo = now.operation.undo
            if now.operation.undone_by is not None:
                raise HubError("conflict", "It was taken back already.")
            if undo is None or undo.until_ms < change.now_ms:
                raise HubError("conflict", "It cannot be taken back, or not any more.")
            request = _undoing(now.record, id, body.why)
            session = now.record.old_session if now.operation.kind == "fresh" else ""
            taken_back = msgspec.structs.replace(now.operation, undone_by=id)
            operation_rows.put_operation(change, msgspec.structs.replace(now.record, operation=taken_back))
            return self._add(
                change, request, by, _digest(request, by), undoes=operation_id, session_id=session
            )

        return await self._told(await self._store.change(job))

    async def page(self, after: int) -> Operations:
        found = await self._store.read(lambda c: operation_rows.operations_after(c, after, PAGE + 1))
        return Operations(operations=tuple(found[:PAGE]), more=len(found) > PAGE)

    async def page_before(self, before: int, limit: int) -> Operations:
        limit = max(1, min(limit, PAGE))
        found = await self._store.read(lambda c: operation_rows.operations_before(c, before, limit + 1))
        return Operations(operations=tuple(found[-limit:]), more=len(found) > limit)

    async def get(self, operation_id: str) -> Operation:
        row = await self._store.read(lambda c: operation_rows.operation_row(c, operation_id))
        if row is None:
            raise HubError("not_found", f"There is no operation {operation_id[:80]}.")
        return row.operation

    async def _told(self, operation: Operation) -> Operation:
        self._wake(operation.machine_id)
        return operation

    def _add(
        self,
        change: Change,
        body: AskOperation,
        by: str,
        digest: str,
        *,
        undoes: str | None = None,
        session_id: str = "",
    ) -> Operation:
        found = self._agent(change.connection, body)
        agent = None if found is None else found[0]
        machine_id = found[1] if found is not None else self._machine(change.connection, body.args)
        operation = Operation(
            id=body.id,
            seq=0,
            kind=body.kind,
            machine_id=machine_id,
            state="queued",
            steps=tuple(
                OperationStep(name=name, state="waiting", at_ms=change.now_ms) for name in STEPS[body.kind]
            ),
            args=body.args,
            why=body.why,
            by=by,
            created_at_ms=change.now_ms,
            changed_at_ms=change.now_ms,
            agent_id=None if agent is None else agent.id,
            agent_name=None if agent is None else agent.name,
            undoes=undoes,
        )
        request_rows.add_receipt(
            change,
            by=by,
            what=body.kind,
            code="ok",
            text=asked(operation),
            agent_id=operation.agent_id,
            operation_id=operation.id,
        )
        return operation_rows.add_operation(
            change,
            OperationRecord(
                operation=operation,
                old_name="" if agent is None else agent.name,
                old_session="" if agent is None else agent.session_id or "",
                session_id=session_id,
            ),
            digest,
        )

    def _agent(self, connection: Connection, body: AskOperation) -> tuple[AgentState, str] | None:
        """The agent that an operation is about, and its machine. One that has left the list can be started
        again."""
        if body.kind == "start":
            return None
        agent = fleet_rows.last_state(connection, body.agent_id or "")
        row = fleet_rows.agent_row(connection, body.agent_id or "")
        if agent is None or row is None or not (row.is_listed or body.kind in ("restart", "fresh")):
            raise no_agent(body.agent_id or "")
        return agent, row.machine_id

    def _machine(self, connection: Connection, args: OperationArgs) -> str:
        machines = [row.machine for row in fleet_rows.machine_rows(connection)]
        wanted = args.machine_id
        found = next((m for m in machines if (m.id == wanted if wanted else m.primary)), None)
        if found is None:
            raise HubError("not_found", "machine_id: there is no such machine.")
        return found.id

    async def _cancel(self, operation: Operation, by: str) -> Operation:
        async with self._lock(operation.machine_id):

            def job(change: Change) -> OperationRow:
                row = operation_rows.operation_row(change.connection, operation.id)
                assert row is not None
                if not row.is_tried and row.operation.state == "queued":
                    error = OperationError(code="cancelled", text="It was taken back.")
                    self._end(change, row, error, by)
                return row

            row = await self._store.change(job)
            if row.is_tried:
                node = self._nodes.of(operation.machine_id)
                act = AmendAct(id=new_id("amd"), message_id=operation.id, cancel=True)
                result = await node.ask(lambda link: link.act(act), TAKE_S)
                if result.code == "not_found":
                    raise HubError("conflict", "It is over, or its machine does not have it yet.")
                if result.code != "ok":
                    raise HubError(result.code, result.text)
        return await self.get(operation.id)

    # ---- to the node -----------------------------------------------------------------------------------

    def met(self, node: Node) -> None:
        """Serve a node from now on."""
        run = partial(self._hand_over_for_ever, node)
        self._tasks.supervise(f"hand over:{node.machine_id}", run, self._health)

    def event(self, event: Event) -> None:
        """Agents appear: their first prompts may go."""
        if event.name in ("agent.changed", "operation.changed"):
            self._prompts.set()

    def _wake(self, machine_id: str) -> None:
        self._wakes.setdefault(machine_id, asyncio.Event()).set()

    def _lock(self, machine_id: str) -> asyncio.Lock:
        return self._locks.setdefault(machine_id, asyncio.Lock())

    async def _hand_over_for_ever(self, node: Node) -> None:
        wake = self._wakes.setdefault(node.machine_id, asyncio.Event())
        wake.set()
        while True:
            await wake.wait()
            wake.clear()
            await node.until_online()
            try:
                is_done = await self._hand_over_all(node)
            except (NodeAway, TimeoutError, DatabaseTrouble) as error:
                _log.info("operations wait", machine=node.machine_id, error=repr(error))
                is_done = False
            if not is_done:
                wake.set()
                await asyncio.sleep(AGAIN_S)

    async def _hand_over_all(self, node: Node) -> bool:
        """Hand over everything in order; False when one has to be tried again."""
        rows = await self._store.read(lambda c: operation_rows.untaken(c, node.machine_id))
        for row in rows:
            async with self._lock(node.machine_id):
                if not await self._hand_over(node, row.operation.id):
                    return False
        return True

    async def _hand_over(self, node: Node, id: str) -> bool:
        row = await self._store.read(lambda c: operation_rows.operation_row(c, id))
        if row is None or row.is_taken or row.operation.state != "queued":
            return True
        await self._store.change(lambda change: operation_rows.mark_tried(change, id, is_taken=False))
        async with asyncio.timeout(TAKE_S):
            result = await node.link.act(_act(row.record))
        if result.code in ("offline", "busy"):
            return False
        if result.code == "ok":
            await self._store.change(lambda change: operation_rows.mark_tried(change, id, is_taken=True))
            return True
        error = OperationError(code=result.code, text=result.text or "The machine refused it.")

        def refuse(change: Change) -> None:
            now = operation_rows.operation_row(change.connection, id)
            if now is not None and now.operation.state == "queued":
                self._end(change, now, error, now.operation.by)

        await self._store.change(refuse)
        return True

    # ---- from the node ---------------------------------------------------------------------------------

    def progress(self, change: Change, node: Node, news: ActProgress) -> None:
        """A step of an operation, as its machine's journal tells it."""
        row = operation_rows.operation_row(change.connection, news.id)
        if row is None or row.operation.machine_id != node.machine_id:
            return
        operation = row.operation
        if operation.state in ("delivered", "failed"):
            return
        operation = msgspec.structs.replace(
            operation,
            steps=tuple(
                msgspec.structs.replace(step, at_ms=step.at_ms + node.offset_ms if step.at_ms else 0)
                for step in news.steps
            )
            or operation.steps,
            agent_id=operation.agent_id or news.agent_id or None,
        )
        record = msgspec.structs.replace(row.record, operation=operation)
        if not row.is_taken:
            operation_rows.mark_tried(change, operation.id, is_taken=True)
        if news.state in ("delivered", "failed"):
            row = msgspec.structs.replace(row, record=record)
            error = news.error if news.state == "failed" else None
            if news.state == "failed" and error is None:
                error = OperationError(code="failed", text=news.detail or "It failed.")
            self._end(change, row, error, operation.by)
            return
        running = msgspec.structs.replace(operation, state="running")
        if news.state == "sending" and running != row.operation:
            operation_rows.put_operation(change, msgspec.structs.replace(record, operation=running))

    def lost(self, change: Change, node: Node) -> None:
        """The node lost its journal: of the operations that it had, nobody can say how far they went."""
        for row in operation_rows.tried(change.connection, node.machine_id):
            self._end(change, row, OperationError(code="failed", text=LOST), row.operation.by)

    def _end(self, change: Change, row: OperationRow, error: OperationError | None, by: str) -> None:
        """An operation is over: with its receipt, its undo, and its first prompt to be sent."""
        operation = msgspec.structs.replace(
            row.operation, state="delivered" if error is None else "failed", error=error
        )
        record = msgspec.structs.replace(row.record, operation=operation)
        if error is None:
            undo = undo_of(record, change.now_ms)
            record = msgspec.structs.replace(record, operation=msgspec.structs.replace(operation, undo=undo))
        else:
            self._restore_undo(change, operation)
        is_due = error is None and operation.kind == "start" and bool(operation.args.prompt)
        operation_rows.put_operation(change, record, prompt_due=is_due)
        request_rows.add_receipt(
            change,
            by=by,
            what=operation.kind,
            code="ok" if error is None else "failed",
            text=ended(operation),
            agent_id=operation.agent_id,
            operation_id=operation.id,
        )

    def _restore_undo(self, change: Change, failed: Operation) -> None:
        """An undo that failed took nothing back."""
        row = None
        if failed.undoes is not None:
            row = operation_rows.operation_row(change.connection, failed.undoes)
        if row is not None and row.operation.undone_by == failed.id:
            again = msgspec.structs.replace(row.operation, undone_by=None)
            operation_rows.put_operation(change, msgspec.structs.replace(row.record, operation=again))

    # ---- first prompts ---------------------------------------------------------------------------------

    async def _send_prompts_for_ever(self) -> None:
        while True:
            try:
                async with asyncio.timeout(PROMPT_AGAIN_S):
                    await self._prompts.wait()
            except TimeoutError:
                pass
            self._prompts.clear()
            for row in await self._store.read(operation_rows.prompts_due):
                await self._send_prompt(row.operation)

    async def _send_prompt(self, operation: Operation) -> None:
        message = SendMessage(id=f"{operation.id}_prompt", text=operation.args.prompt or "")
        try:
            await self._messages.post_to_agent(operation.agent_id or "", message, operation.by)
        except HubError as error:
            if error.code == "not_found":  # its machine has not shown it yet
                return
            _log.error("a first prompt cannot be sent", operation=operation.id, error=error.text)
        await self._store.change(lambda change: operation_rows.prompt_is_sent(change, operation.id))


def _check(body: AskOperation) -> None:
    """Raises HubError ``bad_request``, ``too_large``."""
    if not ID.fullmatch(body.id):
        raise HubError("bad_request", "id: up to 100 letters, digits and _ . : - are allowed.")
    _check_why(body.why)
    args = body.args
    if body.kind == "start":
        if body.agent_id is not None:
            raise HubError("bad_request", "agent_id: a start makes a new agent.")
        if not args.kind or not args.folder:
            raise HubError("bad_request", "args: a start needs kind and folder.")
    elif not body.agent_id:
        raise HubError("bad_request", "agent_id: say which agent.")
    if body.kind == "rename" and not args.name:
        raise HubError("bad_request", "args: a rename needs name.")
    if args.prompt is not None and len(args.prompt) > LONGEST_PROMPT:
        raise HubError("too_large", f"prompt: at most {LONGEST_PROMPT} characters.")


def _check_why(why: str) -> None:
    if not why.strip():
        raise HubError("bad_request", "why: say why; it stands in the receipt.")
    if len(why) > LONGEST_WHY:
        raise HubError("bad_request", f"why: at most {LONGEST_WHY} characters.")
    if clean_line(why, LONGEST_WHY) != why:
        raise HubError("bad_request", "why: one line, without control characters.")


def _undoing(record: OperationRecord, id: str, why: str) -> AskOperation:
    """The operation that takes this one back."""
    operation = record.operation
    kinds: dict[Kind, Kind] = {
        "stop": "restart",
        "close": "restart",
        "fresh": "restart",
        "rename": "rename",
        "start": "close",
    }
    name = record.old_name if operation.kind == "rename" else None
    return AskOperation(
        id=id,
        kind=kinds[operation.kind],
        why=why,
        agent_id=operation.agent_id,
        args=OperationArgs(name=name),
    )


def _undo_id(operation_id: str, request_id: str, by: str) -> str:
    digest = hashlib.blake2b("\0".join((by, operation_id, request_id)).encode(), digest_size=12)
    return f"op_{digest.hexdigest()}"


def _digest(body: AskOperation, by: str) -> str:
    return hashlib.sha256(encode([by, body])).hexdigest()


def _act(record: OperationRecord) -> OperateAct:
    operation, args = record.operation, record.operation.args
    return OperateAct(
        id=operation.id,
        kind=operation.kind,
        agent_id=operation.agent_id or "",
        when=args.when,
        drop=args.drop,
        name=args.name or "",
        agent_kind=args.kind or "",
        folder=args.folder or "",
        profile=args.profile or "",
        model=args.model or "",
        session_id=record.session_id,
        by=operation.by,
    )
