"""Carries operations out: looks, asks ``core.operations`` what to do, writes that down, does it, looks again.

One operation at a time touches an agent; from its first act on it also holds what messages and answers wait
for. After a kill an operation is taken up from the journal and simply looks again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import msgspec
import structlog

from controlroom.core.operations import (
    Effect,
    End,
    Finish,
    Open,
    Release,
    Saga,
    Seen,
    Wait,
    begin,
    cancel,
    decide,
    given_up,
    noted,
)
from controlroom.core.starts import Starts
from controlroom.kit.clock import Clock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.node.acts.effects import Effects
from controlroom.node.acts.gates import Gates
from controlroom.node.acts.moves import Moves
from controlroom.node.acts.plans import Plans
from controlroom.node.acts.sight import Sight
from controlroom.node.acts.worktrees import CannotMake, Worktrees
from controlroom.node.agents.launching import CannotLaunch
from controlroom.node.journal.journal import Journal, SameIdOtherAct
from controlroom.node.journal.records import ActRecord, Errand
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef
from controlroom.node.tracker import Tracker
from controlroom.node.world import PaneWorld
from controlroom.wire.node import ActProgress, ActResult, OperateAct
from controlroom.wire.operation import OperationError, OperationStep

_log = structlog.get_logger("operations")

LOOKS_IN_TROUBLE = 5  # until an operation that could not be written down is tried again
LOOKS_TO_LEAVE = 5  # until an end is noticed
EFFECT_S = 10.0  # a window opens, a program ends or comes up within seconds


class Operations:
    """All operations of one node."""

    def __init__(
        self,
        *,
        journal: Journal,
        tracker: Tracker,
        world: PaneWorld,
        clock: Clock,
        moves: Path,
        worktrees: Path,
        starts: Starts,
        save: Callable[[ActRecord], Awaitable[None]],
        hold: Callable[[str], asyncio.Lock],
    ) -> None:
        """``moves``, ``worktrees``: folders of their files. ``starts``: how agents may be started. ``save``
        stores a record and tells the hub; ``hold`` is the lock of acts on an agent."""
        self._journal = journal
        self._tracker = tracker
        self._world = world
        self._clock = clock
        self._save = save
        self._hold = hold
        self._gates = Gates(moves)
        self._worktrees = Worktrees(worktrees)
        self._moves = Moves(self._gates, tracker, world)
        self._sight = Sight(tracker, world, clock, self._gates)
        self._plans = Plans(tracker, world, clock, starts, self._worktrees, self._moves, self._sight)
        self._effects = Effects(tracker, world, self._sight, self._gates, self._moves, self._save_errand)
        self._tasks = Tasks("operations")
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._records: dict[str, ActRecord] = {}
        self._begun: set[str] = set()  # those whose turn has come
        self._looks = 0
        self._looked = asyncio.Condition()
        tracker.expect(self._expected)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    # ---- what the hub asks -----------------------------------------------------------------------------

    async def take(self, act: OperateAct) -> ActResult:
        """Take an operation, once for its id. What can be seen to be impossible is refused at once."""
        known = await self._journal.find(act.id)
        if known is None and (refused := self._plans.refuses(act)) is not None:
            return refused
        saga = begin(act.kind, when=act.when, drop=act.drop)
        record = ActRecord(
            act=act, created_ms=self._clock.now_ms(), errand=Errand(saga=saga, agent_id=act.agent_id)
        )
        try:
            stored = await self._journal.take(record, "operate", act.agent_id, told(record, self._clock))
        except SameIdOtherAct:
            return ActResult(code="conflict", text="An operation with this id asked for something else.")
        if stored is record:
            self.take_up(record)
            self._tracker.poke()
        return ActResult(code="ok")

    def take_up(self, record: ActRecord) -> None:
        """Go on with an operation of the journal."""
        self._records[record.act.id] = record
        self._tracker.hurry(EFFECT_S)  # what it began before a kill may show now
        self._tasks.start(f"operation:{record.act.id}", self._run(record.act.id))

    def holds(self, operation_id: str) -> bool:
        return operation_id in self._records

    def goes_first(self, agent_id: str) -> bool:
        """Whether an operation on this agent is under way, or waits for it: messages go out after it."""
        return any(
            record.errand is not None
            and record.errand.agent_id == agent_id
            and record.errand.saga.kind != "rename"
            for record in self._records.values()
        )

    async def take_back(self, operation_id: str) -> ActResult:
        """End an operation that has not begun to act."""
        record = self._records[operation_id]
        assert record.errand is not None
        cancelled = cancel(record.errand.saga)
        if cancelled is None:
            return ActResult(code="conflict", text="It has begun by now.")
        if operation_id not in self._begun:  # nothing of it is there, so it need not wait for its turn
            cancelled, _ = decide(cancelled, Seen(now_ms=self._clock.now_ms()))
        await self._put(record, msgspec.structs.replace(record.errand, saga=cancelled))
        self._tracker.poke()
        return ActResult(code="ok")

    async def looked(self) -> None:
        """A look at all agents was made."""
        self._looks += 1
        async with self._looked:
            self._looked.notify_all()

    def _expected(self) -> dict[PaneRef, str]:
        """Which agent was started in which window; right after a kill too, before any operation looks."""
        found: dict[PaneRef, str] = {}
        for id, record in self._records.items():
            errand = record.errand
            if errand is not None and errand.agent_id and errand.launch is not None:
                pane = self._sight.place(id, errand)
                if pane is not None:
                    found[pane.ref] = errand.agent_id
        return found

    # ---- one operation ---------------------------------------------------------------------------------

    async def _run(self, id: str) -> None:
        errand = self._errand(id)
        try:
            async with AsyncExitStack() as turn:
                if errand.agent_id:
                    await turn.enter_async_context(self._turns[errand.agent_id])
                if self._records[id].is_over:
                    return
                self._begun.add(id)
                await self._next_look(1)
                while not await self._went_through(id):
                    await self._next_look(LOOKS_IN_TROUBLE)
        except Exception as error:  # noqa: BLE001 - an operation must end in a state, whatever broke
            _log.error("an operation broke", operation=id, exc_info=error)
            await self._give_up(id, "It broke half way: look at the agent.")
        finally:
            self._begun.discard(id)
            if self._records[id].is_over:
                del self._records[id]

    async def _went_through(self, id: str) -> bool:
        """False: the journal could not be written, so nothing further was done."""
        try:
            async with AsyncExitStack() as held:
                await self._steps(id, held)
        except DatabaseTrouble as error:  # the database shows it in Health
            _log.warning("an operation cannot be written down, and waits", operation=id, error=repr(error))
            return False
        return True

    async def _steps(self, id: str, held: AsyncExitStack) -> None:
        try:
            await self._prepare(id)
        except CannotLaunch as error:
            await self._give_up(id, str(error))
            return
        is_holding = False
        while True:
            errand = self._errand(id)
            seen = await self._sight.look(id, errand)
            errand = self._learned(id, seen.place_ref, seen.place_server, seen.agent_id)
            saga, effect = decide(errand.saga, seen.seen)
            if isinstance(effect, Open):  # the window of before, if there was one, is gone
                errand = msgspec.structs.replace(errand, place=None, place_server="")
            acts = not isinstance(effect, Wait | Finish)
            if acts and not is_holding and errand.agent_id and saga.kind != "rename":
                await held.enter_async_context(self._hold(errand.agent_id))
                is_holding = True
                continue  # something may have been typed meanwhile
            if isinstance(effect, Finish):
                self._tracker.hurry(0.0)
                saga = await self._leave(id, errand, saga)
            if errand != self._errand(id) or saga != errand.saga:
                await self._put(self._records[id], msgspec.structs.replace(errand, saga=saga))
            if isinstance(effect, Finish):
                self._tracker.poke()
                return
            if acts:
                await self._perform(id, effect)
                # What else is done is tried again after so many looks: those keep their pace.
                is_begun = isinstance(effect, End | Release) or (
                    isinstance(effect, Open) and self._errand(id).place is not None
                )
                self._tracker.hurry(EFFECT_S if is_begun else 0.0)
                self._tracker.poke()
            await self._next_look(2 if acts else 1)

    async def _prepare(self, id: str) -> None:
        """Fill in what the operation is about, as it is now that its turn has come. Raises CannotLaunch."""
        record, errand = self._records[id], self._errand(id)
        act = record.act
        assert isinstance(act, OperateAct)
        if errand.is_ready:
            return
        ready = await self._plans.prepare(act, errand)
        saga = ready.saga
        if self._errand(id).saga.is_cancelled:  # by now
            saga = msgspec.structs.replace(saga, is_cancelled=True)
        await self._put(self._records[id], msgspec.structs.replace(ready, saga=saga, is_ready=True))

    def _learned(self, id: str, place: PaneRef | None, server: str, agent_id: str | None) -> Errand:
        """The errand with what the look found out: its window, and who lives there."""
        errand = self._errand(id)
        if place is not None and errand.place is None:
            errand = msgspec.structs.replace(errand, place=place, place_server=server)
        if not errand.agent_id and agent_id is not None:
            errand = msgspec.structs.replace(errand, agent_id=agent_id)
        return errand

    async def _leave(self, id: str, errand: Errand, saga: Saga) -> Saga:
        """The last acts of an operation that is over: none of them can fail it. The saga, with what they
        found."""
        if errand.target:
            await self._moves.leave(id, errand, saga)
        self._gates.close(id)
        with suppress(PaneGone, PaneBusy):
            await self._effects.remove_unused(id, errand)
            if errand.place is not None:
                await self._world.keep(errand.place, is_kept=False)
        if saga.kind == "close" and saga.state == "delivered":
            for _ in range(LOOKS_TO_LEAVE):
                self._tracker.close(errand.agent_id)
                await self._next_look(2)  # with it the list is stored
                agent = self._tracker.record(errand.agent_id)
                if agent is None or agent.is_closed:
                    break
        return await self._leave_worktree(id, errand, saga)

    async def _leave_worktree(self, id: str, errand: Errand, saga: Saga) -> Saga:
        """A worktree of ours in which nobody works any more goes away, if it is clean."""
        with suppress(CannotMake):
            if saga.kind == "start" and saga.state == "failed" and not self._is_alive_there(errand):
                await self._worktrees.give_up(id)
            if saga.kind == "close" and saga.state == "delivered":
                worked_in = [who.folder for who in self._tracker.living()]
                return noted(saga, await self._worktrees.remove(errand.folder, worked_in))
        return saga

    def _is_alive_there(self, errand: Errand) -> bool:
        pane = None if errand.place is None else self._world.pane(errand.place)
        return pane is not None and not pane.dead

    async def _give_up(self, id: str, text: str) -> None:
        """It cannot be begun, or broke."""
        record = self._records[id]
        errand = self._errand(id)
        saga = given_up(errand.saga, self._clock.now_ms(), text)
        record = msgspec.structs.replace(record, errand=msgspec.structs.replace(errand, saga=saga))
        await self._save(msgspec.structs.replace(record, state="failed", detail=text))
        self._records[id] = msgspec.structs.replace(record, state="failed")
        if errand.target:
            await self._moves.drop(id)
        self._gates.close(id)

    async def _perform(self, id: str, effect: Effect) -> None:
        await self._effects.perform(id, self._errand(id), effect)

    # ---- what is remembered ----------------------------------------------------------------------------

    def _errand(self, id: str) -> Errand:
        errand = self._records[id].errand
        assert errand is not None
        return errand

    async def _save_errand(self, id: str, errand: Errand) -> None:
        await self._put(self._records[id], errand)

    async def _put(self, record: ActRecord, errand: Errand) -> None:
        saga = errand.saga
        changed = msgspec.structs.replace(
            record,
            errand=errand,
            state="sending" if saga.state == "running" else saga.state,
            detail=None if saga.failure is None else saga.failure.text,
        )
        self._records[record.act.id] = changed
        try:
            await self._save(changed)
        except DatabaseTrouble:
            if self._records[record.act.id] is changed:
                self._records[record.act.id] = record
            raise

    async def _next_look(self, count: int) -> None:
        """Until so many more looks were made. After an act it takes two: one may have been under way."""
        wanted = self._looks + count
        async with self._looked:
            await self._looked.wait_for(lambda: self._looks >= wanted)
        if count > 1:
            self._tracker.poke()


def told(record: ActRecord, clock: Clock, agent_id: str = "") -> ActProgress:
    """An operation as the hub hears of it."""
    act, errand = record.act, record.errand
    assert isinstance(act, OperateAct) and errand is not None
    failure = errand.saga.failure
    error = None if failure is None else OperationError(code=failure.code, text=failure.text)
    if error is None and record.state == "failed":
        error = OperationError(code="failed", text=record.detail or "It could not be begun.")
    return ActProgress(
        seq=0,
        id=act.id,
        kind="operate",
        agent_id=agent_id or errand.agent_id,
        state=record.state,
        at_ms=clock.now_ms(),
        steps=tuple(
            OperationStep(name=s.name, state=s.state, at_ms=s.at_ms, detail=s.detail or None)
            for s in errand.saga.steps
        ),
        error=error,
    )
