"""What an operation is about: whether it can be asked for, and the errand that it becomes at its turn."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec

from controlroom.core.starts import Starts, words_of
from controlroom.core.text import clean_line
from controlroom.kit.clock import Clock
from controlroom.node.acts.moves import Moves
from controlroom.node.acts.sight import Sight
from controlroom.node.acts.worktrees import CannotMake, Worktrees
from controlroom.node.agents.base import Sighting
from controlroom.node.agents.launching import CannotLaunch, Launch, launching
from controlroom.node.journal.records import AgentRecord, Errand
from controlroom.node.tracker import Tracker
from controlroom.node.world import PaneWorld
from controlroom.wire.node import ActResult, OperateAct

LONGEST_NAME = 100
NEW_ENVIRONMENT = "It did not run, so it begins with the environment of its new window and its own profile."


class Plans:
    """Of all operations of one node."""

    def __init__(
        self,
        tracker: Tracker,
        world: PaneWorld,
        clock: Clock,
        starts: Starts,
        worktrees: Worktrees,
        moves: Moves,
        sight: Sight,
    ) -> None:
        self._tracker = tracker
        self._world = world
        self._clock = clock
        self._starts = starts
        self._worktrees = worktrees
        self._moves = moves
        self._sight = sight

    # ---- whether it can be asked for -------------------------------------------------------------------

    def refuses(self, act: OperateAct) -> ActResult | None:
        """What can be seen at once to be impossible, in words for people."""
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

    # ---- what it becomes -------------------------------------------------------------------------------

    async def prepare(self, act: OperateAct, errand: Errand) -> Errand:
        """The errand with what it is about, as it is now. Raises CannotLaunch."""
        if act.kind == "start":
            return await self._in_its_worktree(act, self._prepare_start(act, errand))
        agent = self._tracker.record(act.agent_id)
        if agent is None:
            raise CannotLaunch("This machine knows no such agent any more.")
        await self._worktree_again(act, agent)
        ready = self._prepare_known(act, errand, agent)
        if act.kind == "move":
            last = self._tracker.sighting(agent.id) or _last_seen(agent)
            ready = await self._moves.prepare(act, ready, last, self._clock.now_ms())
        return ready

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
