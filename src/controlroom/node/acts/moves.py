"""What only moves do: find out what is moved where, copy it, and send the waiting launcher on its way."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import structlog

from controlroom.core.operations import Heading, Saga, nothing_to_do
from controlroom.kit.process import ask_to_end
from controlroom.node.acts.carrying import CannotCarry, carry, forget, take_back
from controlroom.node.acts.gates import Gates
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.launching import CannotLaunch
from controlroom.node.agents.moving import Moving, moving
from controlroom.node.journal.records import AgentRecord, Errand
from controlroom.node.tracker import Tracker
from controlroom.node.world import PaneWorld
from controlroom.wire.node import ActResult, OperateAct

_log = structlog.get_logger("operations")


def is_same_folder(one: str, other: str) -> bool:
    """Whether two paths lead to one folder."""
    try:
        return Path(one).samefile(other)
    except OSError:
        return one == other


NO_FOLDER = "profile: there is no such folder on this machine."


class Moves:
    """The part of ``Operations`` that knows about profiles."""

    def __init__(self, gates: Gates, tracker: Tracker, world: PaneWorld) -> None:
        self._gates = gates
        self._tracker = tracker
        self._world = world

    def refuses(self, act: OperateAct, agent: AgentRecord) -> ActResult | None:
        if moving(self._tracker.driver_for(agent.kind)) is None:
            text = f"Agents of the kind {agent.kind} cannot be moved from here yet."
            return ActResult(code="bad_request", text=text)
        if not Path(act.profile).is_absolute() or not Path(act.profile).is_dir():
            return ActResult(code="bad_request", text=NO_FOLDER)
        return None

    async def prepare(self, act: OperateAct, errand: Errand, last: Sighting, now_ms: int) -> Errand:
        """The errand with what is moved. Raises CannotLaunch when that is impossible; nothing was done."""
        source, target = last.profile, act.profile
        if last.uncertain and not last.is_harmless:
            raise CannotLaunch(f"Which session it is in is not certain: {last.uncertain}")
        if last.session_id is None:
            raise CannotLaunch("Which session it is in is not known.")
        kind = self._kind(errand)
        try:
            is_there = Path(source).samefile(target)
            owned = await asyncio.to_thread(kind.belongings, source, last.session_id)
        except OSError as error:
            raise CannotLaunch(
                f"{error.filename or 'A profile'} cannot be read ({error.strerror})."
            ) from None
        ready = msgspec.structs.replace(errand, source=source, target=target, session_id=last.session_id)
        if is_there:
            saga = nothing_to_do(errand.saga, now_ms, "It is in that profile already, so nothing is done.")
            return msgspec.structs.replace(ready, saga=saga)
        if not owned.pieces:
            raise CannotLaunch("Nothing was said in its session yet, so there is nothing to move.")
        return msgspec.structs.replace(ready, is_again=True)

    async def copy(self, id: str, errand: Errand) -> Errand:
        """The errand with what became of the copy. A copy that broke off is begun again."""
        memory = self._gates.memory(id)
        try:
            carried = await carry(self._kind(errand), errand.session_id, errand.source, errand.target, memory)
        except CannotCarry as error:
            return msgspec.structs.replace(errand, copied="failed", copy_words=str(error))
        except Exception as error:  # noqa: BLE001 - whatever breaks here, the agent has to go back
            _log.error("a copy broke", operation=id, exc_info=error)
            return errand
        return msgspec.structs.replace(errand, copied="yes", copy_words=carried.text)

    async def release(self, id: str, errand: Errand, heading: Heading) -> None:
        """Send the launcher there or back."""
        assert errand.launch is not None
        profile = errand.target if heading == "there" else errand.source
        variables = self._kind(errand).variables(profile)
        try:
            await asyncio.to_thread(self._gates.release, id, heading, errand.launch, variables)
        except OSError as error:  # the next look shows that it was not given
            _log.warning("a move could not go on", operation=id, error=repr(error))

    def abandon(self, errand: Errand) -> None:
        """Ask the program in the new window to end."""
        pane = None if errand.place is None else self._world.pane(errand.place)
        process = None if pane is None or pane.dead else self._world.processes.get(pane.pid)
        if process is not None:
            ask_to_end(self._world.processes, process.pid, process.start)

    async def leave(self, id: str, errand: Errand, saga: Saga) -> None:
        """The move is over. One that failed leaves the target as it was, if nothing runs there."""
        memory = self._gates.memory(id)
        agent, was_moved = self._tracker.record(errand.agent_id), errand.copied == "yes"
        is_there = was_moved and saga.state == "delivered"
        if agent is not None and is_there and not self._kind(errand).takes_name_along:
            self._tracker.name(agent.id, agent.name)
        if saga.state == "failed":
            self._tracker.belongs_to(errand.agent_id, errand.source)
            if not self._runs_there(errand):
                try:
                    await take_back(memory)
                except CannotCarry as error:
                    _log.warning("a move left a copy behind", operation=id, error=str(error))
        await self.drop(id)

    async def drop(self, id: str) -> None:
        """Nothing more is done for this move: what taking its copy back would need goes away."""
        await forget(self._gates.memory(id))

    def _runs_there(self, errand: Errand) -> bool:
        return any(
            who.session_id == errand.session_id and is_same_folder(who.profile, errand.target)
            for who in self._tracker.living()
        )

    def _kind(self, errand: Errand) -> Moving:
        agent = self._tracker.record(errand.agent_id)
        kind = None if agent is None else moving(self._tracker.driver_for(agent.kind))
        if kind is None:
            raise CannotLaunch("Agents of its kind cannot be moved from here.")
        return kind
