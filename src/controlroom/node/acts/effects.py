"""The effects of operations: what the step machine names, done to this machine.

Each is safe to repeat, because a look comes before it. One that does not go through is logged: the next look
shows what became of it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
import structlog

from controlroom.core.operations import (
    Abandon,
    Choose,
    Clear,
    Copy,
    Effect,
    End,
    Name,
    Open,
    Release,
    Remove,
)
from controlroom.kit.process import ask_to_end
from controlroom.node.acts.gates import Gates
from controlroom.node.acts.moves import Moves
from controlroom.node.acts.sight import OPERATION, Sight
from controlroom.node.agents.launching import leaving
from controlroom.node.journal.records import Errand
from controlroom.node.mux.base import PaneBusy, PaneGone
from controlroom.node.tracker import Tracker
from controlroom.node.world import PaneWorld

_log = structlog.get_logger("operations")

ASKED_BY_KEYS = 2  # so often an agent is asked at its screen before it is asked by a signal


class Effects:
    """Of all operations of one node."""

    def __init__(
        self,
        tracker: Tracker,
        world: PaneWorld,
        sight: Sight,
        gates: Gates,
        moves: Moves,
        save: Callable[[str, Errand], Awaitable[None]],
    ) -> None:
        """``save`` writes down what an operation (its id) has found out meanwhile."""
        self._tracker = tracker
        self._world = world
        self._sight = sight
        self._gates = gates
        self._moves = moves
        self._save = save

    async def perform(self, id: str, errand: Errand, effect: Effect) -> None:
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
                    await self._save(id, await self._moves.copy(id, errand))
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
        await self.remove_unused(id, errand)
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
            await self._save(id, known)
        await self._world.keep(place, is_kept=True)  # its last words, should it not come up

    async def remove_unused(self, id: str, errand: Errand) -> None:
        """See ``Sight.unused``. Raises PaneGone, PaneBusy."""
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
                await self._save(id, errand)
        elif errand.saga.kind == "rename":
            self._tracker.name(errand.agent_id, errand.name)
        pane = errand.place or errand.old_pane
        if pane is not None:
            await self._world.rename(pane, errand.name)
