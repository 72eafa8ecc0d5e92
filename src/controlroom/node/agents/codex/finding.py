"""Finding Codex agents: from panes and their processes to profiles and conversations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import msgspec

from controlroom.kit.process import Process
from controlroom.kit.supervise import Tasks
from controlroom.node.agents.base import Found, Sighting, World
from controlroom.node.agents.codex.mapping import (
    Shown,
    Thread,
    created_ms,
    shown_by_folder,
    shown_by_own_files,
    shown_by_server,
)
from controlroom.node.agents.codex.processes import CommandLine, agents_in, daemons_in
from controlroom.node.agents.codex.rollouts import LOCK, Rollouts, rollout_id
from controlroom.node.agents.codex.screens import read_title
from controlroom.node.agents.codex.socket import DaemonLink
from controlroom.node.mux.base import Pane

OWN_FILES_S = 10.0
"""What a process holds open is read again after this time even when nothing moved in its pane."""


class Home:
    """One profile: its files and its background server."""

    def __init__(self, path: Path, tasks: Tasks, monotonic: Callable[[], float]) -> None:
        self.path = path
        self.rollouts = Rollouts(path)
        self.daemon = DaemonLink(path, tasks, monotonic)


class _Agent(msgspec.Struct):
    """What is remembered of one process."""

    home: Home
    folder: str
    own: tuple[Thread, ...] = ()
    moved: tuple[int, str, str] | None = None  # activity and title of its pane when its files were read
    looked_s: float = 0.0
    by_server: bool = False  # it holds no conversation of its own: the background server has them
    shown: Shown = Shown(None)
    titled: str | None = None  # what its title named at some time
    told: tuple[object, ...] = ()
    sighting: Sighting | None = None  # what was made of ``told``


class Finder:
    """Keeps homes and processes between looks."""

    def __init__(self, world: World, tasks: Tasks) -> None:
        self._world = world
        self._tasks = tasks
        self._homes: dict[str, Home] = {}
        self._agents: dict[str, _Agent] = {}
        self._daemons: dict[str, str] = {}

    @property
    def homes(self) -> tuple[Home, ...]:
        return tuple(self._homes.values())

    def home(self, path: str) -> Home:
        known = self._homes.get(path)
        if known is None:
            known = self._homes[path] = Home(Path(path), self._tasks, self._now_s)
        return known

    async def find(self) -> Found:
        """All agents that live now: in panes, and threads that a background server works on unseen."""
        processes = self._world.processes
        sightings: list[Sighting] = []
        living: set[str] = set()
        for pane in self._world.listing.panes:
            if pane.dead:
                continue
            for process, line in agents_in(processes.below(pane.pid)):
                living.add(process.key)
                sightings.append(await self._look(pane, process, line))
        for key in [key for key in self._agents if key not in living]:
            del self._agents[key]
        sightings += self._unseen({s.session_id for s in sightings})
        return Found(tuple(sightings), self._problems())

    async def again(self, who: Sighting) -> Sighting:
        """The same process as it is right now (its conversation may have changed); ``who`` when it cannot be
        seen any more."""
        if who.pane is None or (pane := self._world.pane(who.pane)) is None:
            return who
        for process, line in agents_in(self._world.processes.below(pane.pid)):
            if process.key == who.incarnation:
                return await self._look(pane, process, line, fresh=True)
        return who

    def forget(self, living: set[str]) -> None:
        """Stop following sessions that no agent has."""
        for home in self._homes.values():
            home.rollouts.forget(living)

    def is_fileless(self, session_id: str, profile: str) -> bool:
        """A conversation that is open in a living process and in which nothing has been said yet."""
        return any(
            thread.id == session_id and not thread.has_file
            for agent in self._agents.values()
            if str(agent.home.path) == profile
            for thread in agent.own
        )

    def is_served(self, who: Sighting) -> bool:
        """The background server runs its turns, not the process in the pane."""
        agent = self._agents.get(who.incarnation)
        return who.headless or (agent is not None and agent.by_server)

    def thread(self, who: Sighting) -> Thread | None:
        """What the background server says of its conversation, if it serves it."""
        if who.session_id is None or not self.is_served(who):
            return None
        threads = self.home(who.profile).daemon.threads() or ()
        return next((t for t in threads if t.id == who.session_id and t.status != "notLoaded"), None)

    # --- one process ----------------------------------------------------------------------------------

    async def _look(
        self, pane: Pane, process: Process, line: CommandLine, *, fresh: bool = False
    ) -> Sighting:
        agent = self._agents.get(process.key)
        if agent is None:
            agent = self._agents[process.key] = self._meet(process, line)
        now = self._now_s()
        title = read_title(pane.title)
        moved = (pane.active_at_s, title.thread, title.project)
        if fresh or agent.moved != moved or now - agent.looked_s >= OWN_FILES_S:
            agent.moved, agent.looked_s = moved, now
            agent.own = await asyncio.to_thread(self._own_threads, process, agent, now)
        agent.by_server = not agent.own and not line.without_daemon and bool(process.exe)
        if not process.exe:
            asked_for = None if line.is_fork else line.session_id
            agent.shown = shown_by_folder(agent.own, asked_for)
        elif agent.own:
            agent.shown = shown_by_own_files(agent.own, title.thread, title.project)
        elif line.without_daemon:
            agent.shown = Shown(None if line.is_fork else line.session_id)
        else:
            agent.shown = await self._ask_server(agent, process, line, title.thread, title.project)
        return await self._sighting(pane, process, agent)

    def _meet(self, process: Process, line: CommandLine) -> _Agent:
        environ, cwd = self._surroundings(process)
        home = environ.get("CODEX_HOME") or f"{environ.get('HOME') or Path.home()}/.codex"
        folder = str(Path(cwd) / line.folder) if line.folder else cwd
        return _Agent(home=self.home(home), folder=folder)

    def _surroundings(self, process: Process) -> tuple[dict[str, str], str]:
        """Environment and folder; those of its parents (npm wrapper, shell) where it hides its own (0.60)."""
        processes = self._world.processes
        current: Process | None = process
        for _ in range(3):
            if current is None:
                break
            environ = processes.environ(current.pid, ("CODEX_HOME", "HOME"))
            if environ:
                return environ, processes.cwd(current.pid)
            current = processes.get(current.ppid)
        return {}, ""

    def _own_threads(self, process: Process, agent: _Agent, now: float) -> tuple[Thread, ...]:
        """The conversations that the process itself holds open, helpers left out. Blocks."""
        rollouts = agent.home.rollouts
        if not process.exe:
            return rollouts.begun_in(agent.folder, process.started_at_ms, self._world.now_ms(), now)
        files: dict[str, Path] = {}
        locks: set[str] = set()
        for text in self._world.processes.open_files(process.pid):
            path = Path(text)
            if (id := rollout_id(path.name)) is not None:
                files[id] = path
                rollouts.remember(path)
            elif path.parent.name == "thread-writer-locks" and (lock := LOCK.match(path.name)) is not None:
                locks.add(lock[1])
        found = [
            rollouts.thread(id, now)
            or (None if id in files else Thread(id=id, has_file=False, created_ms=created_ms(id)))
            for id in files.keys() | locks
        ]
        return tuple(sorted((thread for thread in found if thread is not None), key=lambda thread: thread.id))

    async def _ask_server(
        self, agent: _Agent, process: Process, line: CommandLine, title_thread: str, project: str
    ) -> Shown:
        threads = agent.home.daemon.threads()
        known: list[Thread] = []
        if threads is None and title_thread:
            known = await asyncio.to_thread(agent.home.rollouts.named, title_thread, self._now_s())
        shown = shown_by_server(
            threads,
            known,
            title_thread=title_thread,
            project=project,
            folder=agent.folder,
            asked_for=None if line.is_fork else line.session_id,
            before=agent.titled,
            started_ms=process.started_at_ms,
            is_silent=not agent.home.daemon.is_settling,
        )
        if title_thread and shown.session_id is not None:
            agent.titled = shown.session_id
        return shown

    async def _sighting(self, pane: Pane, process: Process, agent: _Agent) -> Sighting:
        session_id, now = agent.shown.session_id, self._now_s()
        name, folder = "", agent.folder
        ancestors: tuple[str, ...] = ()
        if session_id is not None:
            rollouts = agent.home.rollouts
            name = rollouts.names(now).get(session_id, "")
            folder = rollouts.folder(session_id) or folder
            known = rollouts.known_ancestors(session_id)
            ancestors = known or ()
            if known is None:
                ancestors = await asyncio.to_thread(rollouts.ancestors, session_id, now)
        told = (pane.ref, agent.shown, name, folder, ancestors)
        if agent.sighting is None or agent.told != told:
            agent.told = told
            agent.sighting = Sighting(
                kind="codex",
                incarnation=process.key,
                session_id=session_id,
                ancestors=ancestors,
                name=name,
                folder=folder,
                profile=str(agent.home.path),
                pane=pane.ref,
                started_at_ms=process.started_at_ms,
                uncertain=agent.shown.uncertain,
                is_harmless=agent.shown.is_harmless,
            )
        return agent.sighting

    # --- background servers ---------------------------------------------------------------------------

    def _unseen(self, shown: set[str | None]) -> list[Sighting]:
        """Threads that a background server works on (or that wait for a person there) and no pane shows."""
        found = []
        living: dict[str, str] = {}
        for process in daemons_in(self._world.processes.all()):
            path = self._daemons.get(process.key) or self._daemon_home(process)
            living[process.key] = path
            for thread in self.home(path).daemon.threads() or ():
                if thread.status == "active" and thread.id not in shown:
                    found.append(
                        Sighting(
                            kind="codex",
                            incarnation=f"{process.key}/{thread.id}",
                            session_id=thread.id,
                            name=thread.name,
                            folder=thread.folder,
                            profile=path,
                            started_at_ms=process.started_at_ms,
                            headless=True,
                        )
                    )
        self._daemons = living
        return found

    def _daemon_home(self, process: Process) -> str:
        environ = self._world.processes.environ(process.pid, ("CODEX_HOME", "HOME"))
        home, _, inside = process.exe.partition("/packages/app-server-daemon/")
        if inside:
            return home
        return environ.get("CODEX_HOME") or f"{environ.get('HOME') or Path.home()}/.codex"

    def _problems(self) -> tuple[tuple[str, str], ...]:
        found: list[tuple[str, str]] = []
        for path, home in self._homes.items():
            if (problem := home.rollouts.unreadable()) is not None:
                text = f"The Codex folder {path} cannot be read ({problem}). Check its owner and rights."
                found.append((f"codex_unreadable:{path}", text))
            if home.daemon.problem and path in self._daemons.values():
                text = (
                    f"The background server of Codex in {path} does not answer ({home.daemon.problem})."
                    " What its agents do is read from files and screens; restart it when none of them works."
                )
                found.append((f"codex_server:{path}", text))
        return tuple(found)

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time()
