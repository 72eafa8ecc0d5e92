"""An agent's state as people read it: lamp, word and group (design language, states table; first match)."""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.cli.palette import Role
from controlroom.wire.model import Agent

Group = Literal["needs", "finished", "working", "helpers", "idle", "unknown", "gone"]

GROUP_TITLES: dict[Group, str] = {
    "needs": "Needs you",
    "finished": "Finished",
    "working": "Working",
    "helpers": "Waiting on helpers",
    "idle": "Idle",
    "unknown": "Not known",
    "gone": "Gone",
}
GROUPS: tuple[Group, ...] = tuple(GROUP_TITLES)


class State(msgspec.Struct, frozen=True):
    """``lamp`` is two cells and tells the states apart without colour; so does ``word``."""

    lamp: str
    word: str
    role: Role
    group: Group
    since_ms: int


_BLOCKED_WORDS = {
    "permission": "Permission needed",
    "picker": "Choice needed",
    "plan": "Plan to approve",
    "startup": "Start-up prompt",
    "limit": "Choice at limit",
}


def state_of(agent: Agent) -> State:
    """The first state of the table that fits."""
    if agent.fault is not None:
        return State("▲!", "Fault", "fault", "needs", agent.fault.since_ms)
    match agent.activity:
        case "blocked":
            waiting = agent.waiting_for
            word = _BLOCKED_WORDS.get(waiting.kind, "Waits for you") if waiting else "Waits for you"
            return State("■ ", word, "lamp", "needs", waiting.since_ms if waiting else agent.since_ms)
        case "question":
            return State("●?", "Question for you", "lamp", "needs", agent.since_ms)
        case "working":
            return State("◐ ", "Working", "work", "working", agent.since_ms)
        case "helpers":
            return State("◐…", "Waiting on helpers", "work", "helpers", agent.since_ms)
    if agent.finished is not None and agent.activity != "gone":
        return State("○✓", "Finished", "good", "finished", agent.finished.at_ms)
    match agent.activity:
        case "starting":
            return State("◌ ", "Starting", "work", "working", agent.since_ms)
        case "idle":
            return State("○ ", "Idle", "rest", "idle", agent.since_ms)
        case "gone":
            return State("⊘ ", "Gone", "rest", "gone", agent.since_ms)
    return State("◌?", "Not known", "rest", "unknown", agent.since_ms)


ACTIVITY_WORDS: dict[str, str] = {
    "blocked": "stopped at a prompt",
    "question": "asking you",
    "working": "working",
    "helpers": "waiting on helpers",
    "idle": "idle",
    "starting": "starting",
    "unknown": "not known",
    "gone": "gone",
}
