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
    Abandon,
    Choose,
    Clear,
    Copy,
    Effect,
    End,
    Finish,
    Name,
    Open,
    Release,
    Remove,
    Saga,
    Seen,
    Wait,
    begin,
    cancel,
    decide,
    given_up,
    noted,
)
from controlroom.core.starts import Starts, words_of
from controlroom.core.text import clean_line
from controlroom.kit.clock import Clock
from controlroom.kit.process import ask_to_end
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.node.acts.gates import Gates
from controlroom.node.acts.moves import Moves
from controlroom.node.acts.sight import OPERATION, Sight
from controlroom.node.acts.worktrees import CannotMake, Worktrees
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.launching import CannotLaunch, Launch, launching, leaving
from controlroom.node.journal.journal import Journal, SameIdOtherAct
from controlroom.node.journal.records import ActRecord, AgentRecord, Errand
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef
from controlroom.node.tracker import Tracker
from controlroom.node.world import PaneWorld
from controlroom.wire.node import ActProgress, ActResult, OperateAct
from controlroom.wire.operation import OperationError, OperationStep

_log = structlog.get_logger("operations")

LONGEST_NAME = 100
LOOKS_IN_TROUBLE = 5  # until an operation that could not be written down is tried again
LOOKS_TO_LEAVE = 5  # until an end is noticed
ASKED_BY_KEYS = 2  # so often an agent is asked at its screen before it is asked by a signal
NEW_ENVIRONMENT = "It did not run, so it begins with the environment of its new window and its own profile."


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
        self._starts = starts
        self._moves = Moves(self._gates, tracker, world)
        self._sight = Sight(tracker, world, clock, self._gates)
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
        if known is None and (refused := self._refuses(act)) is not None:
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
        return ActResult(code="ok")

    def take_up(self, record: ActRecord) -> None:
        """Go on with an operation of the journal."""
        self._records[record.act.id] = record
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

    def _refuses(self, act: OperateAct) -> ActResult | None:
        if act.kind == "start":
            return self._refuses_start(act)
        record = self._tracker.record(act.agent_id)
        if record is None:
            return ActResult(code="not_found", text="This machine knows no such agent.")
        if act.kind == "rename":
            return self._refuses_name(act.name, record.id)
        if launching(self._tracker.driver_for(record.kind)) is None:
            text = f"Agents of the kind {record.kind} cannot be started and ended from here yet."
            return ActResult(code="bad_request", text=text)
        who = self._tracker.sighting(record.id)
        if who is not None and who.pane is None:
            return ActResult(code="bad_request", text="No pane shows this agent, so it is left alone.")
        return self._moves.refuses(act, record) if act.kind == "move" else None

    def _refuses_start(self, act: OperateAct) -> ActResult | None:
        if launching(self._tracker.driver_for(act.agent_kind)) is None:
            return ActResult(code="bad_request", text=f"kind: {act.agent_kind!r} cannot be started here.")
        if not Path(act.folder).is_absolute() or not Path(act.folder).is_dir():
            return ActResult(code="bad_request", text="folder: there is no such folder on this machine.")
        if act.profile and not Path(act.profile).is_dir():
            return ActResult(code="bad_request", text="profile: there is no such folder on this machine.")
        if refused := self._starts.refuses(act.agent_kind, act.model, act.flags):
            return ActResult(code="bad_request", text=refused)
        return self._refuses_name(act.name) if act.name else None

    def _refuses_name(self, name: str, agent_id: str = "") -> ActResult | None:
        if not name.strip() or clean_line(name, LONGEST_NAME) != name:
            text = f"name: one line of at most {LONGEST_NAME} characters, without control characters."
            return ActResult(code="bad_request", text=text)
        if (free := self._tracker.free_name(name, agent_id)) != name:
            text = f"name: another agent on this machine is called {name}; {free} is free."
            return ActResult(code="conflict", text=text)
        return None

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
                saga = await self._leave(id, errand, saga)
            if errand != self._errand(id) or saga != errand.saga:
                await self._put(self._records[id], msgspec.structs.replace(errand, saga=saga))
            if isinstance(effect, Finish):
                self._tracker.poke()
                return
            if acts:
                await self._perform(id, effect)
                self._tracker.poke()
            await self._next_look(2 if acts else 1)

    async def _prepare(self, id: str) -> None:
        """Fill in what the operation is about, as it is now that its turn has come. Raises CannotLaunch."""
        record, errand = self._records[id], self._errand(id)
        act = record.act
        assert isinstance(act, OperateAct)
        if errand.is_ready:
            return
        if act.kind == "start":
            ready = await self._in_its_worktree(act, self._prepare_start(act, errand))
        else:
            agent = self._tracker.record(act.agent_id)
            if agent is None:
                raise CannotLaunch("This machine knows no such agent any more.")
            await self._worktree_again(act, agent)
            ready = self._prepare_known(act, errand, agent)
            if act.kind == "move":
                last = self._tracker.sighting(agent.id) or _last_seen(agent)
                ready = await self._moves.prepare(act, ready, last, self._clock.now_ms())
        saga = ready.saga
        if self._errand(id).saga.is_cancelled:  # by now
            saga = msgspec.structs.replace(saga, is_cancelled=True)
        await self._put(self._records[id], msgspec.structs.replace(ready, saga=saga, is_ready=True))

    def _prepare_start(self, act: OperateAct, errand: Errand) -> Errand:
        driver = launching(self._tracker.driver_for(act.agent_kind))
        if driver is None:
            raise CannotLaunch(f"{act.agent_kind} cannot be started here.")
        near = self._sight.somewhere()
        if near is None:
            raise CannotLaunch("No tmux server runs on this machine. Start one: tmux new-session -d")
        return msgspec.structs.replace(
            errand,
            near=near,
            launch=driver.launch_new(act.profile, act.model, words_of(act.flags)),
            folder=act.folder,
            name=act.name or _usual_name(act.folder, act.agent_kind),
        )

    async def _in_its_worktree(self, act: OperateAct, errand: Errand) -> Errand:
        """The start as asked for, in a worktree of its own where one is wanted. Raises CannotLaunch."""
        if not act.worktree:
            return errand
        try:
            made = await self._worktrees.make(act.id, act.folder, act.worktree)
        except CannotMake as error:
            raise CannotLaunch(str(error)) from None
        return msgspec.structs.replace(
            errand,
            folder=made.folder,
            name=act.name or _usual_name(made.path, act.agent_kind),
            note=f"It works in the new worktree {made.path}, on the branch {made.branch}.",
        )

    async def _worktree_again(self, act: OperateAct, agent: AgentRecord) -> None:
        """The worktree of one that was closed comes back with it. Raises CannotLaunch."""
        if act.kind not in ("restart", "fresh", "move") or Path(agent.folder).is_dir():
            return
        try:
            await self._worktrees.restore(agent.folder)
        except CannotMake as error:
            raise CannotLaunch(str(error)) from None

    def _prepare_known(self, act: OperateAct, errand: Errand, agent: AgentRecord) -> Errand:
        who = self._tracker.sighting(agent.id)
        pane = None if agent.pane is None else self._world.pane(agent.pane)
        if who is None and pane is not None and not (pane.dead and pane.hint == agent.id):
            pane = None  # by now it belongs to a shell or to another agent
        name = act.name if act.kind == "rename" else pane.window if pane is not None else agent.name
        launch = self._launch(act, agent, who)
        if act.kind in ("restart", "fresh", "move") and not Path(agent.folder).is_dir():
            raise CannotLaunch("Its folder is gone.")
        return msgspec.structs.replace(
            errand,
            agent_id=agent.id,
            old_process="" if who is None else who.incarnation,
            old_pane=None if pane is None else pane.ref,
            old_server="" if pane is None else pane.incarnation,
            near=pane.ref if pane is not None else self._sight.somewhere(),
            launch=launch,
            folder=agent.folder,
            name=name,
            is_again=bool(agent.sessions),
            note="" if who is not None or launch is None else NEW_ENVIRONMENT,
        )

    def _launch(self, act: OperateAct, agent: AgentRecord, who: Sighting | None) -> Launch | None:
        """How it is started again; of one that is going to be ended it is remembered. Raises CannotLaunch."""
        driver = launching(self._tracker.driver_for(agent.kind))
        if act.kind == "rename" or driver is None:
            return None
        last = who or _last_seen(agent)
        if act.session_id:
            last = msgspec.structs.replace(last, session_id=act.session_id, uncertain="")
        if act.kind in ("restart", "fresh", "move"):
            launch = driver.launch(last, "anew" if act.kind == "fresh" else "on", agent.launch)
            if who is not None:  # should it not come up, it can still be begun as it runs now
                self._tracker.remember_launch(agent.id, launch)
            return launch
        if who is not None:
            with suppress(CannotLaunch):
                self._tracker.remember_launch(agent.id, driver.launch(who, "on", None))
        return None

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
            await self._remove_unused(id, errand)
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

    # ---- effects ---------------------------------------------------------------------------------------

    async def _perform(self, id: str, effect: Effect) -> None:
        errand = self._errand(id)
        try:
            match effect:
                case Open():
                    await self._open(id, errand)
                case End():
                    await self._end(errand)
                case Choose():
                    await self._sight.choose(errand, effect.option)
                case Name():
                    await self._name(id, errand)
                case Copy():
                    await self._put(self._records[id], await self._moves.copy(id, errand))
                case Release():
                    await self._moves.release(id, errand, effect.heading)
                case Abandon():
                    self._moves.abandon(errand)
                case Remove():
                    if errand.old_pane is not None:
                        await self._world.remove(errand.old_pane)
                case Clear():
                    if errand.place is not None and self._tracker.agent_in(errand.place) is None:
                        await self._world.remove(errand.place)
        except (PaneGone, PaneBusy) as error:  # the next look shows what became of it
            _log.warning("an operation's step did not go through", operation=id, error=repr(error))

    async def _open(self, id: str, errand: Errand) -> None:
        if errand.near is None or errand.launch is None:
            raise PaneGone("no server to open a window in")
        launch = errand.launch
        await self._remove_unused(id, errand)
        if errand.saga.kind == "move":
            words = self._gates.words_of_move(id, errand.saga.heading, errand.old_process)
        else:
            words = self._gates.words(id, errand.old_process, launch)
        place = await self._world.open_window(
            errand.near,
            name=errand.name,
            folder=errand.folder,
            environment={**launch.environment, OPERATION: id},
            argv=words,
        )
        if incarnation := await self._world.incarnation(place):
            known = msgspec.structs.replace(errand, place=place, place_server=incarnation)
            await self._put(self._records[id], known)
        await self._world.keep(place, is_kept=True)  # its last words, should it not come up

    async def _remove_unused(self, id: str, errand: Errand) -> None:
        for pane in self._sight.unused(id, errand):
            await self._world.remove(pane)

    async def _end(self, errand: Errand) -> None:
        """Ask the old process to end; its pane stays until the operation is done with it."""
        saga = errand.saga
        pid_text, _, start = errand.old_process.partition("@")
        pid = int(pid_text)
        who = self._tracker.sighting(errand.agent_id)
        if who is not None and who.incarnation != errand.old_process:
            who = None
        driver = None if who is None else leaving(self._tracker.driver_of(errand.agent_id))
        ends = {pid} if driver is None or who is None else driver.ends_with(who)
        pane = None if errand.old_pane is None else self._world.pane(errand.old_pane)
        if pane is not None and pane.pid in ends and saga.kind != "close":
            await self._world.keep(pane.ref, is_kept=True)
        if driver is not None and who is not None:
            left = await driver.leave(who, drop=saga.drop and saga.when == "now")
            if left == "busy" or (left == "asked" and saga.tries.get("end", 0) <= ASKED_BY_KEYS):
                return
        ask_to_end(self._world.processes, pid, start)

    async def _name(self, id: str, errand: Errand) -> None:
        if errand.saga.kind == "start" and errand.agent_id:  # numbered only now: two may begin at once
            free = self._tracker.free_name(errand.name, errand.agent_id)
            self._tracker.name(errand.agent_id, free)  # before anything is waited for: else both take it
            if free != errand.name:
                errand = msgspec.structs.replace(errand, name=free)
                await self._put(self._records[id], errand)
        elif errand.saga.kind == "rename":
            self._tracker.name(errand.agent_id, errand.name)
        pane = errand.place or errand.old_pane
        if pane is not None:
            await self._world.rename(pane, errand.name)

    # ---- what is remembered ----------------------------------------------------------------------------

    def _errand(self, id: str) -> Errand:
        errand = self._records[id].errand
        assert errand is not None
        return errand

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


def _usual_name(folder: str, kind: str) -> str:
    """Of a new agent: that of its folder."""
    return clean_line(Path(folder).name, LONGEST_NAME) or kind


def _last_seen(agent: AgentRecord) -> Sighting:
    return Sighting(
        kind=agent.kind,
        incarnation="",
        session_id=agent.sessions[-1] if agent.sessions else None,
        folder=agent.folder,
        profile=agent.profile,
    )
