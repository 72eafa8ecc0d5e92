"""Which chat an agent's session belongs to (house.md section 4: a chat has its own id)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from controlroom.node.agents.base import Sighting
from controlroom.node.journal.journal import Chat


class ChatBook:
    """All chats of this machine's agents."""

    def __init__(self) -> None:
        self._chats: dict[str, Chat] = {}
        self._changed: dict[str, Chat] = {}

    def load(self, chats: Iterable[Chat]) -> None:
        self._chats = {chat.id: chat for chat in chats}

    def get(self, chat_id: str) -> Chat | None:
        return self._chats.get(chat_id)

    def has_spoken(self, chat_id: str) -> bool:
        """Whether the session's file was ever seen: a session without a word has no file."""
        chat = self._chats.get(chat_id)
        return chat is not None and chat.has_spoken

    def spoke(self, chat_id: str) -> None:
        chat = self._chats[chat_id]
        if not chat.has_spoken:
            self._put(msgspec.structs.replace(chat, has_spoken=True))

    def open(self, chat_id: str, agent_id: str, who: Sighting) -> Chat:
        """A new chat for an agent's present session."""
        return self._put(Chat(id=chat_id, agent_id=agent_id, session_id=who.session_id, profile=who.profile))

    def follow(self, agent_id: str, chat_id: str, who: Sighting, new_id: Callable[[], str]) -> Chat:
        """The chat of the agent's present session.

        A session that continues the chat's session (copied rows, fork) stays in the chat; one that the agent
        had in an earlier chat goes back to that one; any other (``/clear``, ``/new``) begins a new chat.
        """
        current = self._chats[chat_id]
        if who.session_id is None:
            return current
        if current.session_id == who.session_id:
            if current.profile != who.profile:
                return self._put(msgspec.structs.replace(current, profile=who.profile))
            return current
        if current.session_id is None or current.session_id in who.ancestors:
            return self._put(msgspec.structs.replace(current, session_id=who.session_id, profile=who.profile))
        for chat in self._chats.values():
            if chat.agent_id == agent_id and chat.session_id == who.session_id:
                return chat
        return self.open(new_id(), agent_id, who)

    def take_changed(self) -> list[Chat]:
        """Chats that changed since the last call, for the journal."""
        changed, self._changed = list(self._changed.values()), {}
        return changed

    def _put(self, chat: Chat) -> Chat:
        self._chats[chat.id] = chat
        self._changed[chat.id] = chat
        return chat
