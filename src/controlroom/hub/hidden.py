"""Hiding items and whole chats on all devices, and showing them again. No agent's own file is touched."""

from __future__ import annotations

from controlroom.hub.errors import HubError, no_chat
from controlroom.hub.nodes import Nodes
from controlroom.hub.store import chat_rows, fleet_rows, hidden_rows, message_rows, request_rows
from controlroom.hub.store.chat_rows import ChatRow
from controlroom.hub.store.store import Change, Store
from controlroom.wire.client import Hidden
from controlroom.wire.events import ChatHidden

LONGEST_ID = 500


class Hiding:
    """What people do not want to see any more."""

    def __init__(self, store: Store, nodes: Nodes) -> None:
        self._store = store
        self._nodes = nodes

    async def hide_item(self, chat_id: str, item_id: str, by: str) -> Hidden:
        """Hide one item. Raises HubError: not_found, conflict for a message that is still to go out."""

        def job(change: Change) -> Hidden:
            chat = _chat(change, chat_id)
            message = message_rows.message_row(change.connection, item_id)
            if message is not None and message.message.state in ("accepted", "sending"):
                raise HubError("conflict", "This message is still to go out: take it back first.")
            if len(item_id) > LONGEST_ID:
                raise HubError("bad_request", "This is no id of an item.")
            if len(hidden_rows.veil_of(change.connection, chat_id).items) >= hidden_rows.MOST_ITEMS:
                raise HubError("too_many", "So much of this chat is hidden one by one: hide the whole chat.")
            if hidden_rows.hide_item(change, chat_id, item_id):
                self._tell(change, chat, by, "Hid a message of this chat.", True, item_id)
            return self._hidden(change, chat)

        return await self._store.change(job)

    async def show_item(self, chat_id: str, item_id: str, by: str) -> Hidden:
        """Show an item again."""

        def job(change: Change) -> Hidden:
            chat = _chat(change, chat_id)
            if hidden_rows.show_item(change, chat_id, item_id):
                self._tell(change, chat, by, "Showed a hidden message of this chat again.", False, item_id)
            return self._hidden(change, chat)

        return await self._store.change(job)

    async def hide_chat(self, chat_id: str, by: str) -> Hidden:
        """Hide everything that a chat has said so far; what comes later is shown."""

        def job(change: Change) -> Hidden:
            chat = _chat(change, chat_id)
            newest = hidden_rows.newest_time(change.connection, chat_id)
            before = hidden_rows.veil_of(change.connection, chat_id).before_ms
            if newest is not None and (before is None or newest > before):
                hidden_rows.hide_chat(change, chat_id, newest)
                self._tell(change, chat, by, "Hid this chat up to now.", True)
            return self._hidden(change, chat)

        return await self._store.change(job)

    async def show_chat(self, chat_id: str, by: str) -> Hidden:
        """Take back the last time that the chat was hidden."""

        def job(change: Change) -> Hidden:
            chat = _chat(change, chat_id)
            if hidden_rows.show_chat(change, chat_id):
                self._tell(change, chat, by, "Showed this hidden chat again.", False)
            return self._hidden(change, chat)

        return await self._store.change(job)

    def _hidden(self, change: Change, chat: ChatRow) -> Hidden:
        veil = hidden_rows.veil_of(change.connection, chat.id)
        before = None if veil.before_ms is None else veil.before_ms + self._offset(change, chat)
        return Hidden(chat_id=chat.id, items=tuple(sorted(veil.items)), before_ms=before)

    def _offset(self, change: Change, chat: ChatRow) -> int:
        agent = fleet_rows.agent_row(change.connection, chat.agent_id)
        node = None if agent is None else self._nodes.get(agent.machine_id)
        return 0 if node is None else node.offset_ms

    def _tell(
        self, change: Change, chat: ChatRow, by: str, text: str, is_hidden: bool, item_id: str | None = None
    ) -> None:
        event = ChatHidden(
            chat_id=chat.id,
            agent_id=chat.agent_id,
            is_hidden=is_hidden,
            item_id=item_id,
            before_ms=self._hidden(change, chat).before_ms,
        )
        change.emit("chat.hidden", event)
        request_rows.add_receipt(
            change, by=by, what="hide" if is_hidden else "show", code="ok", text=text, agent_id=chat.agent_id
        )
        chat_rows.recount_unread(change, chat.id)
        fleet_rows.announce(change, chat.agent_id)


def _chat(change: Change, chat_id: str) -> ChatRow:
    chat = chat_rows.chat_row(change.connection, chat_id)
    if chat is None:
        raise no_chat(chat_id)
    return chat
