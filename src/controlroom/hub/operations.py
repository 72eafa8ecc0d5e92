"""Operations as people ask for them: stored, handed to the agent's machine, followed, and taken back.

An operation is stored first and handed over until its machine has taken it; the machine's journal tells what
became of it (``progress``). Its states say what was done to the agent, never that any work is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Protocol

import msgspec
import structlog
from sqlalchemy import Connection

from controlroom.core.operations import STEPS
from controlroom.core.policy_targets import LeftAccount
from controlroom.hub.credit import Halt
from controlroom.hub.errors import HubError, no_agent
from controlroom.hub.messages import Messages
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.operation_profiles import profile_running, profile_said
from controlroom.hub.operation_requests import act_of, check, check_why, digest_of, undo_id, undoing
from controlroom.hub.operation_words import asked, ended, ended_by, is_taken_back, undo_of
from controlroom.hub.ports import NodeAway
from controlroom.hub.requests import ID
from controlroom.hub.store import fleet_rows, operation_rows, policy_rows, request_rows
from controlroom.hub.store.operation_rows import OperationRecord, OperationRow
from controlroom.hub.store.policy_rows import POLICY
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.clock import new_id, wait_at_most
from controlroom.kit.health import HealthBoard
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import SendMessage
from controlroom.wire.node import ActProgress, AgentState, AmendAct
from controlroom.wire.operation import (
    AskOperation,
    Operation,
    OperationArgs,
    OperationError,
    Operations,
    OperationStep,
    UndoOperation,
)
from controlroom.wire.usage import Profile

_log = structlog.get_logger("operations")

PAGE = 500
TAKE_S = 30.0  # the node looks whether it can be, and writes it down
AGAIN_S = 2.0
PROMPT_AGAIN_S = 10.0
LOST = "The agent's machine lost its journal: look at the agent to see how far this went."


class Guard(Protocol):
    """Who may hold an operation up before its machine is told."""

    async def check(self, record: OperationRecord) -> Halt | None: ...


class OperationBook:
    """All operations of the fleet. ``profiles``: those that are known now, of all machines."""

    def __init__(
        self,
        store: Store,
        nodes: Nodes,
        messages: Messages,
        health: HealthBoard,
        profiles: Callable[[], tuple[Profile, ...]],
    ) -> None:
        self._store = store
        self._nodes = nodes
        self._messages = messages
        self._health = health
        self._profiles = profiles
        self._tasks = Tasks("operations")
        self._wakes: dict[str, asyncio.Event] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._prompts = asyncio.Event()
        self._guard: Guard | None = None
        self._halted: set[str] = set()  # machines with operations that are held up

    def guarded_by(self, guard: Guard) -> None:
        """It is asked about each operation before its machine is told."""
        self._guard = guard

    def start(self) -> None:
        self._tasks.supervise("prompts", self._send_prompts_for_ever, self._health)
        self._prompts.set()

    async def aclose(self) -> None:
        await self._tasks.aclose()

    # ---- what people ask -------------------------------------------------------------------------------

    async def ask(self, body: AskOperation, by: str, *, left: LeftAccount | None = None) -> Operation:
        """Store an operation; its machine is told soon. The same id and body again are the same operation.
        ``left``: what the policy moves an agent away from.

        Raises HubError: bad_request, not_found, conflict.
        """
        check(body)
        digest = digest_of(body, by)

        def job(change: Change) -> Operation:
            known = operation_rows.operation_row(change.connection, body.id)
            if known is not None:
                if known.digest != digest:
                    raise HubError("conflict", "Another operation was asked for with this id.")
                return known.operation
            if by == POLICY:
                self._is_left_to_policy(change.connection, body)
            return self._add(change, body, by, digest, left=left)

        return await self._told(await self._store.change(job))

    async def undo(self, operation_id: str, body: UndoOperation, by: str) -> Operation:
        """Take an operation back: by ending it while it waits, else by another one, which is returned.

        Raises HubError: not_found, conflict (it cannot be taken back, or not any more), and ``ask``'s.
        """
        if not ID.fullmatch(body.request_id):
            raise HubError("bad_request", "request_id: up to 100 letters, digits and _ . : - are allowed.")
        check_why(body.why)
        row = await self._store.read(lambda c: operation_rows.operation_row(c, operation_id))
        if row is None:
            raise HubError("not_found", f"There is no operation {operation_id[:80]}.")
        if row.operation.state in ("queued", "running"):
            return await self._cancel(row.operation, by, body.why)
        if is_taken_back(row.operation):
            return row.operation  # asked again, because the answer was lost
        id = undo_id(operation_id, body.request_id, by)

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
            request = undoing(now.record, id, body.why)
            session = now.record.old_session if now.operation.kind == "fresh" else ""
            taken_back = msgspec.structs.replace(now.operation, undone_by=id)
            operation_rows.put_operation(change, msgspec.structs.replace(now.record, operation=taken_back))
            policy_rows.note_undo(change, now.record, by)
            return self._add(
                change, request, by, digest_of(request, by), undoes=operation_id, session_id=session
            )

        return await self._told(await self._store.change(job))

    async def withdraw(self, operation: Operation, by: str, why: str) -> None:
        """End one that still waits. Raises HubError: conflict when it is over, or has begun."""
        await self._cancel(operation, by, why)

    async def under_way(self) -> tuple[Operation, ...]:
        """Those that are not over, in the order in which they were asked for."""
        return tuple(row.operation for row in await self._store.read(operation_rows.under_way))

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

    def _is_left_to_policy(self, connection: Connection, body: AskOperation) -> None:
        """The policy goes behind everybody else. Raises HubError."""
        under_way = operation_rows.under_way(connection)
        if any(row.operation.agent_id == body.agent_id for row in under_way):
            raise HubError("conflict", "The agent has an operation.")

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
        left: LeftAccount | None = None,
    ) -> Operation:
        found = self._agent(change.connection, body)
        agent = None if found is None else found[0]
        machine_id = found[1] if found is not None else self._machine(change.connection, body.args)
        before, after = self._places(machine_id, agent, body)
        args = body.args
        if after is not None:
            args = msgspec.structs.replace(args, profile=after.id)
        operation = Operation(
            id=body.id,
            seq=0,
            kind=body.kind,
            machine_id=machine_id,
            state="queued",
            steps=tuple(
                OperationStep(name=name, state="waiting", at_ms=change.now_ms) for name in STEPS[body.kind]
            ),
            args=args,
            why=body.why,
            by=by,
            created_at_ms=change.now_ms,
            changed_at_ms=change.now_ms,
            agent_id=None if agent is None else agent.id,
            agent_name=None if agent is None else agent.name,
            profile_name=None if after is None else after.name,
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
                old_profile="" if before is None else before.id,
                session_id=session_id,
                profile_folder="" if after is None else after.folder,
                left=left,
            ),
            digest,
        )

    def _places(
        self, machine_id: str, agent: AgentState | None, body: AskOperation
    ) -> tuple[Profile | None, Profile | None]:
        """The profile in which the agent is, and the one of a move or start. Raises HubError."""
        said, profiles = body.args.profile, self._profiles()
        if agent is None:
            return None, self._of_start(machine_id, body.args)
        before = profile_running(profiles, machine_id, agent.kind, agent.profile)
        if body.kind != "move" or said is None:
            return before, None
        after = profile_said(profiles, machine_id, agent.kind, said)
        if before is not None and before.id == after.id:
            raise HubError("conflict", f"It is in profile {after.name} already: nothing was done.")
        return before, after

    def _of_start(self, machine_id: str, args: OperationArgs) -> Profile | None:
        """None: the usual one, or a folder that is no profile yet."""
        if args.profile is None:
            return None
        try:
            return profile_said(self._profiles(), machine_id, args.kind or "", args.profile)
        except HubError:
            if "/" in args.profile:
                return None
            raise

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

    async def _cancel(self, operation: Operation, by: str, why: str) -> Operation:
        async with self._lock(operation.machine_id):

            def job(change: Change) -> OperationRow:
                row = operation_rows.operation_row(change.connection, operation.id)
                assert row is not None
                if row.operation.state not in ("queued", "running"):
                    return row
                if by != POLICY or not row.record.taken_back_by:  # a person's wish outlives the policy's
                    wish = msgspec.structs.replace(row.record, taken_back_by=by, taken_back_why=why)
                    row = msgspec.structs.replace(row, record=wish)
                if row.is_tried:  # stored before its node is asked: the answer may never get here
                    operation_rows.note_wish(change, row.record)
                else:
                    self._end(change, row, OperationError(code="cancelled", text="It was taken back."))
                return row

            row = await self._store.change(job)
            is_over = row.operation.state not in ("queued", "running")  # by now
            if is_over and not is_taken_back(row.operation):
                raise HubError("conflict", "It is over.")
            if row.is_tried and not is_over:
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
        """Agents appear: their first prompts may go. Answers and readings: what is held up may begin."""
        if event.name in ("agent.changed", "operation.changed"):
            self._prompts.set()
        elif event.name in ("question.changed", "account.changed"):
            self.reconsider()

    def reconsider(self) -> None:
        """Ask about what is held up again: time has passed."""
        for machine_id in self._halted:
            self._wake(machine_id)

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
        self._halted.discard(node.machine_id)
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
        if not row.is_tried and self._guard is not None:
            halt = await self._guard.check(row.record)
            if halt is not None:
                await self._hold_up(row, halt)
                return True
        await self._store.change(lambda change: operation_rows.mark_tried(change, id, is_taken=False))
        async with asyncio.timeout(TAKE_S):
            result = await node.link.act(act_of(row.record))
        if result.code in ("offline", "busy"):
            return False
        if result.code == "ok":
            await self._store.change(lambda change: operation_rows.mark_tried(change, id, is_taken=True))
            return True
        error = OperationError(code=result.code, text=result.text or "The machine refused it.")

        def refuse(change: Change) -> None:
            now = operation_rows.operation_row(change.connection, id)
            if now is not None and now.operation.state == "queued":
                self._end(change, now, error)

        await self._store.change(refuse)
        return True

    async def _hold_up(self, row: OperationRow, halt: Halt) -> None:
        """Say why it does not begin; it is looked at again when an answer or a reading may change that."""
        operation = row.operation
        if halt.is_over:
            error = OperationError(code="not_allowed", text=halt.text)
            await self._store.change(lambda change: self._end(change, row, error))
            return
        self._halted.add(operation.machine_id)
        first = operation.steps[0]
        if first.detail == halt.text:
            return

        def job(change: Change) -> None:
            steps = (
                msgspec.structs.replace(first, state="running", detail=halt.text, at_ms=change.now_ms),
                *operation.steps[1:],
            )
            waiting = msgspec.structs.replace(operation, steps=steps)
            operation_rows.put_operation(change, msgspec.structs.replace(row.record, operation=waiting))

        await self._store.change(job)

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
            self._end(change, row, error)
            return
        running = msgspec.structs.replace(operation, state="running")
        if news.state == "sending" and running != row.operation:
            operation_rows.put_operation(change, msgspec.structs.replace(record, operation=running))

    def lost(self, change: Change, node: Node) -> None:
        """The node lost its journal: of the operations that it had, nobody can say how far they went."""
        for row in operation_rows.tried(change.connection, node.machine_id):
            self._end(change, row, OperationError(code="failed", text=LOST))

    def _end(self, change: Change, row: OperationRow, error: OperationError | None) -> None:
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
        policy_rows.note_end(change, record)
        request_rows.add_receipt(
            change,
            by=ended_by(record),
            what=operation.kind,
            code="ok" if error is None else "failed",
            text=ended(record),
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
            await wait_at_most(self._prompts, PROMPT_AGAIN_S)
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
