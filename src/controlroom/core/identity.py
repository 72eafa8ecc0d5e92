"""Which living process is which durable agent (house.md section 4, Identity).

First match decides, and its name goes into the journal:

1. ``same_process``: the process that was this agent before, whatever its session id does.
2. ``session_continues``: a new process whose session, or an ancestor of it, belongs to an agent without a
   living process: that agent, in its new place.
3. ``started_by_us``: a process that we started for an agent.
4. ``session_open_twice``: its session belongs to an agent that lives elsewhere: a new agent, and a fault on
   both.
5. ``new``: a new agent.

A process counts as new until its session is known: an agent made for a process that was still starting, and
that never had a session, gives way when the session turns out to continue an older agent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

IdentityRule = Literal["same_process", "session_continues", "started_by_us", "session_open_twice", "new"]


class KnownAgent(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of the journal. ``sessions``: all it ever had, oldest first."""

    id: str
    kind: str
    incarnation: str
    sessions: tuple[str, ...] = ()


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

    ``known`` is oldest first; where two dead agents had a session, the youngest continues it.
    """
    by_process = {(agent.kind, agent.incarnation): agent for agent in known}
    holders: Counter[tuple[str, str | None]] = Counter(
        (process.kind, process.session_id) for process in seen if process.session_id
    )
    same = {
        process.incarnation: agent
        for process in seen
        if (agent := by_process.get((process.kind, process.incarnation))) is not None
    }
    taken = {agent.id for agent in same.values() if agent.sessions}
    ties: dict[str, tuple[str | None, IdentityRule]] = {
        process.incarnation: (same[process.incarnation].id, "same_process")
        for process in seen
        if process.incarnation in same and same[process.incarnation].sessions
    }
    ids = {agent.id for agent in known}
    for process in seen:
        if process.incarnation in ties:
            continue
        newcomer = same.get(process.incarnation)
        agent_id: str | None
        rule: IdentityRule
        if (old := _continued(process, known, taken)) is not None:
            agent_id, rule = old, "session_continues"
        elif newcomer is not None and newcomer.id not in taken:
            agent_id, rule = newcomer.id, "same_process"
        elif process.started_for in ids and process.started_for not in taken:
            agent_id, rule = process.started_for, "started_by_us"
        elif process.session_id and holders[process.kind, process.session_id] > 1:
            agent_id, rule = None, "session_open_twice"
        else:
            agent_id, rule = None, "new"
        if agent_id is not None:
            taken.add(agent_id)
        ties[process.incarnation] = (agent_id, rule)
    return tuple(
        Tie(
            process.incarnation,
            *ties[process.incarnation],
            is_open_twice=bool(process.session_id) and holders[process.kind, process.session_id] > 1,
        )
        for process in seen
    )


def _continued(process: SeenProcess, known: Sequence[KnownAgent], taken: set[str]) -> str | None:
    """The youngest agent without a living process that had this session, else the nearest ancestor."""
    for session in (process.session_id, *process.ancestors):
        if session is None:
            continue
        for agent in reversed(known):
            if agent.kind == process.kind and agent.id not in taken and session in agent.sessions:
                return agent.id
    return None
