"""Which living process is which durable agent (house.md section 4, Identity).

First match decides, and its name goes into the journal:

1. ``same_process``: the process that was this agent before, whatever its session id does.
2. ``session_continues``: a new process whose session, or an ancestor of it, belongs to an agent without a
   living process: that agent, in its new place.
3. ``started_by_us``: a process that we started for an agent.
4. ``session_open_twice``: its session belongs to an agent that lives elsewhere: a new agent, and a fault on
   both.
5. ``new``: a new agent.

A process counts as new until its session is known: an agent made for a process that never had a session
gives way when the session turns out to continue an older agent. Each rule is tried for all processes before
the next one, and an exact session before an ancestor, so that the order of the processes decides little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

IdentityRule = Literal["same_process", "session_continues", "started_by_us", "session_open_twice", "new"]


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of the journal. ``sessions``: all it ever had, oldest first. ``lives_unseen``: its process
    lives although no driver names it now (its pane cannot be listed): nobody takes its place."""

    id: str
    kind: str
    incarnation: str
    sessions: tuple[str, ...] = ()
    lives_unseen: bool = False


class SeenProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A living agent process. ``ancestors``: sessions that its session continues, nearest first."""

    kind: str
    incarnation: str
    session_id: str | None = None
    ancestors: tuple[str, ...] = ()
    started_for: str | None = None


class Tie(msgspec.Struct, frozen=True):
    """One process and its agent; ``agent_id`` None means that a new agent has to be made."""

    incarnation: str
    agent_id: str | None
    rule: IdentityRule
    is_open_twice: bool = False


def tie_processes(known: Sequence[KnownAgent], seen: Sequence[SeenProcess]) -> tuple[Tie, ...]:
    """One tie for each seen process, in the order given. No agent is tied to two processes.

    ``known`` is oldest first; where two dead agents had a session, the youngest continues it. Agents that
    were alive and are in no tie are gone. Asked again with the ties carried out, it says the same.
    """
    return _Matching(known, seen).ties()


class _Matching:
    def __init__(self, known: Sequence[KnownAgent], seen: Sequence[SeenProcess]) -> None:
        self._seen = seen
        self._ids = {agent.id for agent in known}
        self._by_process = {(agent.kind, agent.incarnation): agent for agent in known}
        self._by_session: dict[tuple[str, str], list[str]] = {}
        for agent in reversed(known):
            for session in agent.sessions:
                self._by_session.setdefault((agent.kind, session), []).append(agent.id)
        here = {(process.kind, process.incarnation) for process in seen}
        self._unseen = [a for a in known if a.lives_unseen and (a.kind, a.incarnation) not in here]
        self._taken = {agent.id for agent in self._unseen}
        self._found: dict[int, tuple[str | None, IdentityRule]] = {}

    def ties(self) -> tuple[Tie, ...]:
        for place in range(len(self._seen)):
            agent = self._same_process(place)
            if agent is not None and agent.sessions:
                self._tie(place, agent.id, "same_process")
        rest = [place for place in range(len(self._seen)) if place not in self._found]  # hardly ever any
        depth = max((len(self._seen[place].ancestors) for place in rest), default=0)
        for generation in range(depth + 1):
            for place in rest:
                self._tie(place, self._continued(place, generation), "session_continues")
        for place in rest:
            agent = self._same_process(place)
            self._tie(place, None if agent is None else agent.id, "same_process")
        for place in rest:
            self._tie(place, self._seen[place].started_for, "started_by_us")
        twice = self._open_twice()
        return tuple(
            Tie(
                process.incarnation,
                *self._found.get(place, (None, "session_open_twice" if place in twice else "new")),
                is_open_twice=place in twice,
            )
            for place, process in enumerate(self._seen)
        )

    def _tie(self, place: int, agent_id: str | None, rule: IdentityRule) -> None:
        """The first tie of a process and the first tie of an agent hold."""
        if place in self._found or agent_id is None or agent_id in self._taken:
            return
        if agent_id in self._ids:
            self._taken.add(agent_id)
            self._found[place] = (agent_id, rule)

    def _same_process(self, place: int) -> KnownAgent | None:
        process = self._seen[place]
        return self._by_process.get((process.kind, process.incarnation))

    def _continued(self, place: int, generation: int) -> str | None:
        """The youngest free agent that had this process's session (generation 0) or that ancestor of it."""
        process = self._seen[place]
        line = (process.session_id, *process.ancestors)
        session = line[generation] if generation < len(line) else None
        if session is None:
            return None
        had_it = self._by_session.get((process.kind, session), ())
        return next((agent_id for agent_id in had_it if agent_id not in self._taken), None)

    def _open_twice(self) -> set[int]:
        """Places of processes whose session is open in another living process too."""
        open_in = Counter((process.kind, process.session_id) for process in self._seen)
        open_in.update((agent.kind, agent.sessions[-1]) for agent in self._unseen if agent.sessions)
        return {
            place
            for place, process in enumerate(self._seen)
            if process.session_id is not None and open_in[process.kind, process.session_id] > 1
        }
