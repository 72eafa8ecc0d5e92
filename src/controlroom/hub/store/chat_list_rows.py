"""The query behind the list of all chats."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, func, select

from controlroom.hub.store.tables import agents, chat_items, chats, machines
from controlroom.wire.codec import decode
from controlroom.wire.node import AgentState


class ChatListRow(msgspec.Struct, frozen=True, kw_only=True):
    """One chat with what is known of its agent. Times are the node's."""

    chat_id: str
    agent_id: str
    name: str
    kind: str
    machine_id: str
    folder: str | None
    is_present: bool
    last_ms: int | None
    unread: int
    gone_since_ms: int | None
    offset_ms: int

    @property
    def words(self) -> str:
        """What a search looks at."""
        ids = (self.machine_id, self.agent_id, self.chat_id)
        return "\n".join((self.name, self.kind, self.folder or "", *ids))


def listed_chats(connection: Connection) -> list[ChatListRow]:
    """All chats of all agents that were ever here, in no order."""
    newest = (
        select(chat_items.c.chat_id, func.max(chat_items.c.at_ms).label("last_ms"))
        .group_by(chat_items.c.chat_id)
        .subquery()
    )
    query = (
        select(
            chats.c.id,
            chats.c.agent_id,
            chats.c.unread,
            agents.c.chat_id.label("present_id"),
            agents.c.machine_id,
            agents.c.is_listed,
            machines.c.offset_ms,
            newest.c.last_ms,
        )
        .join(agents, agents.c.id == chats.c.agent_id)
        .join(machines, machines.c.id == agents.c.machine_id)
        .outerjoin(newest, newest.c.chat_id == chats.c.id)
    )
    states = {
        row.id: decode(row.state, AgentState)
        for row in connection.execute(select(agents.c.id, agents.c.state))
    }
    return [
        ChatListRow(
            chat_id=row.id,
            agent_id=row.agent_id,
            name=(state := states[row.agent_id]).name,
            kind=state.kind,
            machine_id=row.machine_id,
            folder=state.folder,
            is_present=row.is_listed and row.present_id == row.id,
            last_ms=row.last_ms,
            unread=row.unread,
            gone_since_ms=state.since_ms if state.activity == "gone" or not row.is_listed else None,
            offset_ms=row.offset_ms,
        )
        for row in connection.execute(query)
    ]
