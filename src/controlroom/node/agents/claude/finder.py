"""Finds the Claude Code agents that live in panes, with their profile and session."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from controlroom.core.text import clean_line
from controlroom.kit.process import Process
from controlroom.node.agents.base import Found, Sighting, World
from controlroom.node.agents.claude.processes import agents_below, start_of
from controlroom.node.agents.claude.registry import Entry, Registry
from controlroom.node.mux.base import Pane

KIND = "claude"
REGISTERS_WITHIN_MS = 30_000
"""A process without a registry file may be starting for so long (about 1 s seen)."""


class Place(msgspec.Struct, frozen=True):
    """What never changes about one process."""

    profile: str
    folder: str
    session_id: str | None  # by its arguments
    resumed: bool
    problem: str = ""  # why the profile is not certain


class _Tree(msgspec.Struct, frozen=True):
    """The processes of one pane as they were seen last, and the agents among them."""

    processes: tuple[Process, ...]
    agents: tuple[Process, ...]


class Finder:
    """Looks through the panes' process trees; everything about a known process is remembered."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._places: dict[str, Place] = {}
        self._registries: dict[str, Registry] = {}
        self._trees: dict[int, _Tree] = {}  # by the pane's own process

    def find(self) -> Found:
        sightings: list[Sighting] = []
        problems: dict[str, str] = {}
        for pane in self._world.listing.panes:
            if pane.dead:
                continue
            process = self._agent_of(pane)
            who = None if process is None else self._sight(pane, process, problems)
            if who is not None:
                sightings.append(who)
        panes = {pane.pid for pane in self._world.listing.panes}
        if self._trees.keys() - panes:
            self._trees = {pid: tree for pid, tree in self._trees.items() if pid in panes}
        living = {who.incarnation for who in sightings}
        self._places = {key: place for key, place in self._places.items() if key in living}
        return Found(tuple(sightings), tuple(problems.items()))

    def profiles(self) -> tuple[str, ...]:
        """Config folders of the agents that live now."""
        return tuple(dict.fromkeys(place.profile for place in self._places.values()))

    def place(self, incarnation: str) -> Place | None:
        return self._places.get(incarnation)

    def entry(self, who: Sighting) -> Entry | None:
        """What the agent says of itself right now. Raises OSError when its config folder cannot be read."""
        pid, _, start = who.incarnation.partition("@")
        return self._registry(who.profile).entry(int(pid), start) if pid.isdigit() else None

    def left_behind(self, who: Sighting) -> bool:
        """Did the ended process leave its registry file, as only a killed one does?"""
        pid, _, start = who.incarnation.partition("@")
        return pid.isdigit() and self._registry(who.profile).left_behind(int(pid), start)

    def _registry(self, profile: str) -> Registry:
        if profile not in self._registries:
            self._registries[profile] = Registry(Path(profile))
        return self._registries[profile]

    def _agent_of(self, pane: Pane) -> Process | None:
        """The pane's agent: the outermost, and of several in one shell the one that has the keyboard."""
        processes = self._world.processes
        below = tuple(processes.below(pane.pid))
        tree = self._trees.get(pane.pid)
        if tree is None or tree.processes != below:
            tree = self._trees[pane.pid] = _Tree(below, agents_below(processes, pane.pid))
        agents = tree.agents
        if len(agents) > 1:
            return next((each for each in agents if processes.has_keyboard(each.pid)), agents[0])
        return agents[0] if agents else None

    def _sight(self, pane: Pane, process: Process, problems: dict[str, str]) -> Sighting | None:
        """None for a process that says that it runs for another program."""
        place = self._places.get(process.key)
        if place is None:
            place = self._places[process.key] = self._look_at(process)
        entry, uncertain = None, place.problem
        try:
            entry = self._registry(place.profile).entry(process.pid, process.start)
        except OSError as error:
            uncertain = f"Its config folder cannot be read ({error.strerror})."
            problems[f"unreadable:{place.profile}"] = (
                f"The config folder {place.profile} of a Claude Code agent cannot be read"
                f" ({error.strerror}): give this user the right to read it."
            )
        if entry is not None and entry.is_programmatic:
            return None
        session_id = place.session_id
        if entry is not None:
            session_id = entry.session_id
        elif not uncertain:
            uncertain = self._why_uncertain(process, place)
        return Sighting(
            kind=KIND,
            incarnation=process.key,
            session_id=session_id,
            name=clean_line(entry.given_name, 100) if entry is not None else "",
            folder=(entry.cwd if entry is not None and entry.cwd else place.folder),
            profile=place.profile,
            pane=pane.ref,
            started_at_ms=process.started_at_ms,
            uncertain=uncertain,
        )

    def _why_uncertain(self, process: Process, place: Place) -> str:
        if self._world.now_ms() - process.started_at_ms < REGISTERS_WITHIN_MS:
            return ""
        if place.session_id is not None:
            return "Its session is taken from its arguments: it has no entry in its live registry."
        return "Its session is not known: it has no entry in its live registry."

    def _look_at(self, process: Process) -> Place:
        processes = self._world.processes
        given = processes.environ(process.pid, ("CLAUDE_CONFIG_DIR", "HOME"))
        start = start_of(process)
        folder = processes.cwd(process.pid)
        problem = ""
        if given.get("CLAUDE_CONFIG_DIR"):
            profile = given["CLAUDE_CONFIG_DIR"]
        elif given.get("HOME"):
            profile = f"{given['HOME']}/.claude"
        else:
            profile = str(Path("~/.claude").expanduser())
            problem = "Its environment cannot be read: its config folder is taken to be the usual one."
        if folder:
            profile = os.path.normpath(os.path.join(folder, profile))  # noqa: PTH118 - only joins text
        return Place(profile, folder, start.session_id, start.resumed, problem)
