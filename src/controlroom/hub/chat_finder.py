"""Finding chats and what was said in them: the list of all, the search in one, the page around an item."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection

from controlroom.hub.chats import Chats, last_words
from controlroom.hub.errors import HubError, no_chat
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.store import chat_rows, fleet_rows
from controlroom.hub.store.chat_list_rows import ChatListRow, listed_chats
from controlroom.hub.store.chat_rows import ITEMS_KEPT, ChatRow
from controlroom.hub.store.store import Store
from controlroom.wire.client import ChatEntry, ChatList, FoundItem, FoundItems
from controlroom.wire.model import Item, Items

SEARCH_S = 15.0  # the node stops after 4 s, plus one page of 32 MB on a loaded machine
NEEDLE_MOST = 200  # characters


class ChatFinder:
    """Searches; changes nothing."""

    def __init__(self, store: Store, nodes: Nodes, chats: Chats) -> None:
        self._store = store
        self._nodes = nodes
        self._chats = chats

    async def search(self, chat_id: str, text: str, *, before: str | None, limit: int) -> FoundItems:
        """Items that say this text in any case. Raises HubError."""
        needle = text.strip()
        if not needle or len(needle) > NEEDLE_MOST:
            raise HubError("bad_request", f"q: 1 to {NEEDLE_MOST} characters are wanted.")
        chat, node = await self._whose(chat_id)
        if node is not None:
            try:
                answer = await node.ask(
                    lambda link: link.search(chat.agent_id, chat.id, needle, before=before, limit=limit),
                    SEARCH_S,
                )
            except HubError as error:
                if error.code not in ("offline", "not_found") or before is not None:
                    raise
            else:
                pages = {hit.item.id: hit.page for hit in answer.hits}
                items = await self._shown(chat_id, node, [hit.item for hit in answer.hits])
                hits = tuple(FoundItem(item=item, page=pages[item.id]) for item in items)
                return FoundItems(hits=hits, before=answer.before)
        return await self._search_kept(chat, node, needle.casefold(), limit)

    async def _search_kept(self, chat: ChatRow, node: Node | None, needle: str, limit: int) -> FoundItems:
        kept, _ = await self._store.read(
            lambda c: chat_rows.kept_items(c, chat.id, before=None, limit=ITEMS_KEPT)
        )
        found = [item for item in reversed(kept) if _says(item, needle)][:limit]
        items = await self._shown(chat.id, node, found)
        hits = tuple(FoundItem(item=item, page=None) for item in items)
        return FoundItems(hits=hits, before=None, kept_only=True)

    async def around(self, chat_id: str, item_id: str) -> Items:
        """The page that holds this item; while its machine is away, what is kept. Raises HubError."""
        chat, node = await self._whose(chat_id)
        if node is not None:
            try:
                page = await node.ask(lambda link: link.around(chat.agent_id, chat.id, item_id), SEARCH_S)
            except HubError as error:
                if error.code not in ("offline", "not_found"):
                    raise
            else:
                items = await self._chats.for_client(chat_id, node, page.items, False)
                return Items(items=items, before=page.before, after=page.after, skipped=page.skipped)
        kept = await self._chats.page(chat_id, before=None, after=None, limit=ITEMS_KEPT)
        if not any(item.id == item_id for item in kept.items):
            raise HubError("not_found", "This message cannot be shown: it is not in what can be read now.")
        return kept

    async def all(self, text: str, *, before: str | None, limit: int) -> ChatList:
        """All chats, or those whose agent's name, kind or folder says this text in any case."""
        needle = text.strip().casefold()
        rows = await self._store.read(listed_chats)
        found = [row for row in rows if not needle or needle in row.words.casefold()]
        ordered = sorted(found, key=lambda row: (row.last_ms or 0, row.chat_id), reverse=True)
        start = _after_cursor(ordered, before)
        page = ordered[start : start + limit]
        words = await self._store.read(lambda c: {row.chat_id: _last(c, row.chat_id) for row in page})
        entries = tuple(self._entry(row, words[row.chat_id]) for row in page)
        more = start + limit < len(ordered)
        return ChatList(chats=entries, before=_cursor(page[-1]) if page and more else None)

    def _entry(self, row: ChatListRow, last: str) -> ChatEntry:
        return ChatEntry(
            chat_id=row.chat_id,
            agent_id=row.agent_id,
            name=row.name,
            kind=row.kind,
            machine_id=row.machine_id,
            present=row.is_present,
            last_ms=None if row.last_ms is None else row.last_ms + row.offset_ms,
            last=last or None,
            folder=row.folder,
            unread=row.unread,
            gone_since_ms=None if row.gone_since_ms is None else row.gone_since_ms + row.offset_ms,
        )

    async def _whose(self, chat_id: str) -> tuple[ChatRow, Node | None]:
        def look(connection: Connection) -> tuple[ChatRow, Node | None]:
            chat = chat_rows.chat_row(connection, chat_id)
            agent = None if chat is None else fleet_rows.agent_row(connection, chat.agent_id)
            if chat is None or agent is None:
                raise no_chat(chat_id)
            return chat, self._nodes.get(agent.machine_id)

        return await self._store.read(look)

    async def _shown(self, chat_id: str, node: Node | None, items: Sequence[Item]) -> tuple[Item, ...]:
        """As clients see them; one message that a page and its neighbour both hold is one hit."""
        return await self._chats.for_client(chat_id, node, list({i.id: i for i in items}.values()), False)


def _says(item: Item, needle: str) -> bool:
    tool = item.tool
    texts = [item.text, *((tool.title, tool.input, tool.output) if tool is not None else ())]
    return any(needle in text.casefold() for text in texts if text)


def _last(connection: Connection, chat_id: str) -> str:
    items, _ = chat_rows.kept_items(connection, chat_id, before=None, limit=5)
    return last_words(items)


def _cursor(row: ChatListRow) -> str:
    return f"{row.last_ms or 0}:{row.chat_id}"


def _after_cursor(rows: Sequence[ChatListRow], before: str | None) -> int:
    """Index of the first row behind the cursor. Raises HubError for one that is not ours."""
    if before is None:
        return 0
    number, colon, chat_id = before.partition(":")
    if not colon or not number.isdecimal():
        raise HubError("bad_request", "before: this is no cursor of a list of chats.")
    mark = (int(number), chat_id)
    return next((at for at, row in enumerate(rows) if (row.last_ms or 0, row.chat_id) < mark), len(rows))
