"""The fleet kept up to date from the live socket: a pure ``(fleet, frame) -> fleet``."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from controlroom.wire.client import EventFrame, FromServer, Resync
from controlroom.wire.events import AgentGone
from controlroom.wire.model import Agent, Fleet, Machine

Row = TypeVar("Row", Agent, Machine)
EMPTY = Fleet(seq=0, machines=(), agents=())


def apply(fleet: Fleet, frame: FromServer) -> Fleet:
    """The fleet after this frame; a frame that says nothing of it, or cannot be read, changes nothing."""
    if isinstance(frame, Resync):
        return frame.fleet
    if not isinstance(frame, EventFrame) or frame.seq <= fleet.seq:
        return fleet
    fleet = msgspec.structs.replace(fleet, seq=frame.seq)
    try:
        match frame.name:
            case "agent.changed":
                agent = msgspec.json.decode(frame.data, type=Agent)
                return msgspec.structs.replace(fleet, agents=_put(fleet.agents, agent))
            case "agent.gone":
                left = msgspec.json.decode(frame.data, type=AgentGone).id
                stay = tuple(agent for agent in fleet.agents if agent.id != left)
                return msgspec.structs.replace(fleet, agents=stay)
            case "machine.changed":
                machine = msgspec.json.decode(frame.data, type=Machine)
                return msgspec.structs.replace(fleet, machines=_put(fleet.machines, machine))
    except msgspec.ValidationError:
        return fleet  # from a newer hub; the next resync heals it
    return fleet


def _put(rows: tuple[Row, ...], new: Row) -> tuple[Row, ...]:
    if any(row.id == new.id for row in rows):
        return tuple(new if row.id == new.id else row for row in rows)
    return rows + (new,)  # noqa: RUF005 - mypy loses the type of an unpacked tuple
