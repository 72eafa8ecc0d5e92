"""Queries about machines and agents."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from controlroom.hub.merge import Marks, merge
from controlroom.hub.store.hidden_rows import hides_words
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import agents, chats, machines
from controlroom.wire.codec import decode, encode
from controlroom.wire.events import AgentGone
from controlroom.wire.model import Agent, Machine
from controlroom.wire.node import AgentState


class MachineRow(msgspec.Struct, frozen=True, kw_only=True):
    """A machine as stored. ``machine`` is what clients were told last."""

    machine: Machine
    is_online: bool
    offset_ms: int
    journal_id: str | None
    acts_seq: int


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """Where an agent lives and which chat is its present one."""

    id: str
    chat_id: str
    machine_id: str
    is_listed: bool


def machine_row(connection: Connection, machine_id: str) -> MachineRow | None:
    row = connection.execute(select(machines).where(machines.c.id == machine_id)).first()
    return None if row is None else _machine(row)


def machine_rows(connection: Connection) -> list[MachineRow]:
    return [_machine(row) for row in connection.execute(select(machines).order_by(machines.c.number))]


def _machine(row: Row[Any]) -> MachineRow:
    return MachineRow(
        machine=decode(row.shown, Machine),
        is_online=row.is_online,
        offset_ms=row.offset_ms,
        journal_id=row.journal_id,
        acts_seq=row.acts_seq,
    )


def put_machine(change: Change, machine: Machine, offset_ms: int) -> None:
    """Store a machine as it is to be shown, and tell clients when it differs from what they know."""
    connection = change.connection
    old = machine_row(connection, machine.id)
    if old is None:
        number = (connection.execute(select(func.max(machines.c.number))).scalar() or 0) + 1
        connection.execute(
            insert(machines).values(
                id=machine.id,
                number=number,
                shown=encode(machine),
                is_online=machine.online,
                offset_ms=offset_ms,
                journal_id=None,
                acts_seq=0,
            )
        )
    elif _is_same(old.machine, machine) and old.offset_ms == offset_ms:
        return
    else:
        connection.execute(
            update(machines)
            .where(machines.c.id == machine.id)
            .values(shown=encode(machine), is_online=machine.online, offset_ms=offset_ms)
        )
    if old is None or not _is_same(old.machine, machine):
        change.emit("machine.changed", machine)


def _is_same(old: Machine, new: Machine) -> bool:
    """Freshness and load change all the time; they alone are no news."""
    return msgspec.structs.replace(old, last_seen_ms=new.last_seen_ms, load=new.load) == new


def put_acts_position(connection: Connection, machine_id: str, journal_id: str, acts_seq: int) -> None:
    """How far the node's journal of acts has been read."""
    connection.execute(
        update(machines).where(machines.c.id == machine_id).values(journal_id=journal_id, acts_seq=acts_seq)
    )


def agent_row(connection: Connection, agent_id: str) -> AgentRow | None:
    query = select(agents.c.id, agents.c.chat_id, agents.c.machine_id, agents.c.is_listed)
    row = connection.execute(query.where(agents.c.id == agent_id)).first()
    if row is None:
        return None
    return AgentRow(id=row.id, chat_id=row.chat_id, machine_id=row.machine_id, is_listed=row.is_listed)


def last_state(connection: Connection, agent_id: str) -> AgentState | None:
    """An agent as its node told it last, also one that has left the fleet."""
    raw = connection.execute(select(agents.c.state).where(agents.c.id == agent_id)).scalar()
    return None if raw is None else decode(raw, AgentState)


def folder_of(connection: Connection, agent_id: str) -> str | None:
    """The folder in which an agent works, as its node told it last."""
    raw = connection.execute(select(agents.c.state).where(agents.c.id == agent_id)).scalar()
    return None if raw is None else decode(raw, AgentState).folder


def listed_agents(connection: Connection) -> list[Agent]:
    query = select(agents.c.shown).where(agents.c.is_listed).order_by(agents.c.number)
    return [decode(shown, Agent) for shown in connection.execute(query).scalars()]


def listed_states(connection: Connection, machine_id: str) -> list[AgentState]:
    """The agents of one machine as its node told them last."""
    query = select(agents.c.state).where(agents.c.is_listed, agents.c.machine_id == machine_id)
    return [decode(state, AgentState) for state in connection.execute(query).scalars()]


def put_state(change: Change, machine_id: str, state: AgentState, unread_from_ms: int) -> None:
    """Store what a node says of an agent (its chat too when it is new) and tell clients what they see of it.

    ``unread_from_ms`` is for a new chat, in the node's time: what is older was there before us.
    """
    connection = change.connection
    if connection.execute(select(chats.c.id).where(chats.c.id == state.chat_id)).first() is None:
        connection.execute(
            insert(chats).values(
                id=state.chat_id,
                agent_id=state.id,
                kind="agent",
                cursor=None,
                mark=None,
                older=False,
                unread_from_ms=unread_from_ms,
                read_position=0,
                unread=0,
            )
        )
    values = {
        "machine_id": machine_id,
        "chat_id": state.chat_id,
        "state": encode(state),
        "is_listed": True,
    }
    if agent_row(connection, state.id) is not None:
        connection.execute(update(agents).where(agents.c.id == state.id).values(**values))
    else:
        number = (connection.execute(select(func.max(agents.c.number))).scalar() or 0) + 1
        connection.execute(
            insert(agents).values(
                id=state.id,
                number=number,
                shown=b"",
                is_pinned=False,
                is_muted=False,
                is_archived=False,
                finish_read_ms=0,
                **values,
            )
        )
    announce(change, state.id)


def announce(change: Change, agent_id: str) -> Agent | None:
    """Show an agent anew: stores and emits it when clients see something else than before.

    None for an agent that is not in the fleet.
    """
    connection = change.connection
    row = connection.execute(
        select(agents, machines.c.offset_ms, chats.c.unread)
        .join(machines, machines.c.id == agents.c.machine_id)
        .join(chats, chats.c.id == agents.c.chat_id)
        .where(agents.c.id == agent_id)
    ).first()
    if row is None or not row.is_listed:
        return None
    marks = Marks(
        unread=row.unread,
        is_pinned=row.is_pinned,
        is_muted=row.is_muted,
        is_archived=row.is_archived,
        finish_read_ms=row.finish_read_ms,
    )
    state = decode(row.state, AgentState)
    if state.last is not None and hides_words(connection, row.chat_id, state.last.at_ms):
        state = msgspec.structs.replace(state, last=None)
    agent = merge(state, row.machine_id, marks, row.offset_ms)
    shown = encode(agent)
    if shown != row.shown:
        connection.execute(update(agents).where(agents.c.id == agent_id).values(shown=shown))
        change.emit("agent.changed", agent)
    return agent


def unlist(change: Change, agent_id: str) -> None:
    """The node shows this agent no more: it leaves the fleet, its chats stay readable."""
    row = agent_row(change.connection, agent_id)
    if row is None or not row.is_listed:
        return
    change.connection.execute(
        update(agents).where(agents.c.id == agent_id).values(is_listed=False, shown=b"")
    )
    change.emit("agent.gone", AgentGone(id=agent_id, chat_id=row.chat_id))


def put_marks(
    change: Change, agent_id: str, pinned: bool | None, muted: bool | None, archived: bool | None
) -> Agent | None:
    """Change what a person has set; None leaves a mark as it is."""
    given = {"is_pinned": pinned, "is_muted": muted, "is_archived": archived}
    values = {name: value for name, value in given.items() if value is not None}
    if values:
        change.connection.execute(update(agents).where(agents.c.id == agent_id).values(**values))
    return announce(change, agent_id)


def put_finish_read(change: Change, agent_id: str, item_at_ms: int) -> None:
    """A person has read up to an item of this (node's) time: the finished stretch around it is read."""
    raw = change.connection.execute(select(agents.c.state).where(agents.c.id == agent_id)).scalar()
    finished = None if raw is None else decode(raw, AgentState).finished
    if finished is None or item_at_ms < finished.at_ms - finished.busy_ms:
        return
    change.connection.execute(
        update(agents).where(agents.c.id == agent_id).values(finish_read_ms=finished.at_ms)
    )
