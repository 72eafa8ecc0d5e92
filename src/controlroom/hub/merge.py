"""What a client sees of an agent, made of what its node says and what people have set. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

import msgspec

from controlroom.wire.model import Agent
from controlroom.wire.node import AgentState

S = TypeVar("S", bound=msgspec.Struct)

OFFSET_TOLERANCE_MS = 2_000
"""Clocks that agree this well count as equal: a new offset moves all times that clients see."""


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """What the hub itself knows of an agent. ``finish_read_ms``: the end of the stretch that was read."""

    unread: int = 0
    is_pinned: bool = False
    is_muted: bool = False
    is_archived: bool = False
    finish_read_ms: int = 0


class FleetDiff(msgspec.Struct, frozen=True):
    """What a snapshot changes: agents to store anew, and those that it does not show any more."""

    changed: tuple[AgentState, ...]
    gone: tuple[str, ...]


def diff(known: Mapping[str, AgentState], snapshot: Iterable[AgentState]) -> FleetDiff:
    """The difference between what is stored of a machine and its newest snapshot.

    Only whole states are compared: a snapshot that was lost heals with the next one, and the same snapshot
    again changes nothing.
    """
    states = {state.id: state for state in snapshot}
    changed = tuple(state for state in states.values() if known.get(state.id) != state)
    return FleetDiff(changed, tuple(id for id in known if id not in states))


def steady_offset(used_ms: int, measured_ms: int) -> int:
    """The offset to use: the old one as long as the measured one agrees with it."""
    if abs(measured_ms - used_ms) <= OFFSET_TOLERANCE_MS:
        return used_ms
    return 0 if abs(measured_ms) <= OFFSET_TOLERANCE_MS else measured_ms


def merge(state: AgentState, machine_id: str, marks: Marks, offset_ms: int) -> Agent:
    """The agent for clients, in the hub's time. Its finished stretch is shown until it was read."""
    finished = state.finished
    if finished is not None and finished.at_ms <= marks.finish_read_ms:
        finished = None
    return Agent(
        id=state.id,
        chat_id=state.chat_id,
        name=state.name,
        kind=state.kind,
        machine_id=machine_id,
        activity=state.activity,
        since_ms=state.since_ms + offset_ms,
        evidence=moved(state.evidence, offset_ms),
        helpers=state.helpers,
        unread=marks.unread,
        pane=state.pane,
        folder=state.folder,
        branch=state.branch,
        profile=state.profile,
        session_id=state.session_id,
        was=_moved(state.was, offset_ms),
        fault=_moved(state.fault, offset_ms),
        waiting_for=_moved(state.waiting_for, offset_ms),
        finished=_moved(finished, offset_ms),
        header=state.header,
        last=_moved(state.last, offset_ms),
        uncertain=state.uncertain,
        pinned=marks.is_pinned,
        muted=marks.is_muted,
        archived=marks.is_archived,
        context_used_pct=state.context_used_pct,
        model=state.model,
    )


def moved(part: S, offset_ms: int) -> S:
    """The same struct with its ``at_ms`` and ``since_ms`` moved into the hub's time."""
    if not offset_ms:
        return part
    times = {
        name: getattr(part, name) + offset_ms
        for name in ("at_ms", "since_ms")
        if name in part.__struct_fields__
    }
    return msgspec.structs.replace(part, **times)


def _moved(part: S | None, offset_ms: int) -> S | None:
    return None if part is None else moved(part, offset_ms)
