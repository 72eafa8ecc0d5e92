"""Chats: pages through the node, the last items kept here, hints when there is more, read marks.

A chat is fetched when its agent's ``mark`` moved: one fetch at a time for each chat, few at a time for each
machine, so that a slow machine holds up nobody else. What cannot be fetched now is tried again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import structlog
from sqlalchemy import Connection

from controlroom.core.attachments import split_typed
from controlroom.hub.delivery import as_shown, delivery_of, waiting_item, with_attachments
from controlroom.hub.errors import HubError, no_agent, no_chat
from controlroom.hub.merge import moved
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.store import chat_rows, fleet_rows, hidden_rows, message_rows, upload_rows
from controlroom.hub.store.chat_rows import ITEMS_KEPT, ChatRow
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.codec import decode
from controlroom.wire.events import ChatItems
from controlroom.wire.model import Item, Items, Message
from controlroom.wire.node import AgentState, ItemsAnswer, ReplyAsks

_log = structlog.get_logger("chats")

ITEMS_S = 10.0  # a page comes from the tail of a file; longer means the machine is in trouble
AT_ONCE = 4  # fetches of one machine
AGAIN_S = 5.0  # pause before a fetch that failed is tried again
ROUNDS = 50  # pages of one fetch; a chat that is further behind is read anew
KEPT = "kept:"  # cursors into the items that are kept here, while the machine is away
LAST_TEXT = 300

ItemsSink = Callable[[str, tuple[Item, ...]], None]


Took = Callable[[Change, ChatRow, Node, Sequence[Item], Sequence[ReplyAsks], bool], None]
"""Items of a chat with what they ask; whether the chat is read anew."""


class Chats:
    """All chats of the fleet."""

    def __init__(self, store: Store, nodes: Nodes, push: ItemsSink, took: Took) -> None:
        """``took`` is told of fetched items within the transaction that keeps them, right before."""
        self._store = store
        self._nodes = nodes
        self._push = push
        self._took = took
        self._tasks = Tasks("chats")
        self._marks: dict[str, str] = {}
        self._wanted: dict[str, tuple[Node, AgentState]] = {}
        self._running: set[str] = set()
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._told: dict[str, tuple[str, str]] = {}  # by agent: chat and mark of the newest snapshot
        self._seen_early: dict[str, str] = {}  # read on a device before it is here; one for each chat

    async def start(self) -> None:
        self._marks = await self._store.read(chat_rows.chat_marks)

    async def aclose(self) -> None:
        await self._tasks.aclose()

    # ---- pages -----------------------------------------------------------------------------------------

    async def chat_of(self, agent_id: str) -> str:
        """The present chat of an agent."""
        row = await self._store.read(lambda c: fleet_rows.agent_row(c, agent_id))
        if row is None:
            raise no_agent(agent_id)
        return row.chat_id

    async def must_exist(self, chat_id: str) -> None:
        """Raises HubError ``not_found``."""
        if await self._store.read(lambda c: chat_rows.chat_row(c, chat_id)) is None:
            raise no_chat(chat_id)

    async def page(self, chat_id: str, *, before: str | None, after: str | None, limit: int) -> Items:
        """A page of items, oldest first, each with the message it delivered.

        The newest page also shows the messages that have not arrived. While the machine is away (or the
        agent's file is missing) the kept items are given.
        """

        def whose(connection: Connection) -> tuple[ChatRow, Node | None]:
            chat = chat_rows.chat_row(connection, chat_id)
            agent = None if chat is None else fleet_rows.agent_row(connection, chat.agent_id)
            if chat is None or agent is None:
                raise no_chat(chat_id)
            return chat, self._nodes.get(agent.machine_id)

        chat, node = await self._store.read(whose)
        if before is None or not before.startswith(KEPT):
            refusal = HubError("offline", "The agent's machine is away.")
            if node is not None:
                try:
                    answer = await _items(node, chat, before=before, after=after, limit=limit)
                except HubError as error:
                    refusal = error
                else:
                    is_newest = (before is None and after is None) or answer.reset
                    items, is_end = await self._shown(chat_id, node, answer.items, is_newest)
                    return Items(
                        items=items,
                        before=None if is_end else answer.before,
                        after=answer.after,
                        skipped=answer.skipped,
                    )
            if refusal.code not in ("offline", "not_found") or before is not None:
                raise refusal
            if refusal.code == "not_found" and chat.cursor is None:
                raise refusal
        return await self._kept_page(chat, node, before=before, after=after, limit=limit)

    async def _kept_page(
        self, chat: ChatRow, node: Node | None, *, before: str | None, after: str | None, limit: int
    ) -> Items:
        cursor = chat.cursor or ""
        if after is not None and after == chat.cursor:
            return Items(items=(), before=None, after=cursor, skipped=0)
        position = None
        if before is not None:
            position = _position(before)
            if position is None:
                if node is not None and node.is_online:
                    raise HubError("changed", "The agent's machine is back: open this chat anew.")
                raise HubError("offline", "Older items lie on the agent's machine, which is away.")
        found, more = await self._store.read(
            lambda c: chat_rows.kept_items(c, chat.id, before=position, limit=limit)
        )
        items, is_end = await self._shown(chat.id, node, found, before is None)
        if is_end:
            older: str | None = None
        elif more is not None:
            older = f"{KEPT}{more}"
        else:
            older = f"{KEPT}end" if chat.older else None
        return Items(items=items, before=older, after=cursor, skipped=0)

    async def for_client(
        self, chat_id: str, node: Node | None, items: Sequence[Item], is_newest: bool
    ) -> tuple[Item, ...]:
        """Items in the hub's time, with their messages and files, without what is hidden."""
        return (await self._shown(chat_id, node, items, is_newest))[0]

    async def _shown(
        self, chat_id: str, node: Node | None, items: Sequence[Item], is_newest: bool
    ) -> tuple[tuple[Item, ...], bool]:
        """``for_client``, and whether everything before these items is hidden."""
        offset_ms = 0 if node is None else node.offset_ms
        since_ms = items[0].at_ms + offset_ms if items else 0

        def job(connection: Connection) -> tuple[tuple[Item, ...], bool]:
            veil = hidden_rows.veil_of(connection, chat_id)
            shown = [moved(item, offset_ms) for item in items if not veil.hides(item)]
            shown = _with_files(connection, shown)
            ids = [item.id for item in shown if item.kind == "user"]
            arrived = message_rows.arrived(connection, chat_id, ids) if ids else {}
            rows = message_rows.not_arrived(connection, chat_id, since_ms) if is_newest else []
            waiting = [waiting_item(as_shown(row.message, node)) for row in rows]
            told = [
                msgspec.structs.replace(item, delivery=delivery_of(arrived[item.id]))
                if item.id in arrived
                else item
                for item in shown
            ]
            told += [item for item in waiting if not _is_hidden(veil, item, offset_ms)]
            return tuple(told), bool(items) and veil.hides_time(items[0].at_ms)

        return await self._store.read(job)

    # ---- reading ---------------------------------------------------------------------------------------

    async def seen(self, chat_id: str, item_id: str) -> None:
        """A person has read up to this item: counts anew, and what had finished is finished with."""

        def job(change: Change) -> bool:
            chat = chat_rows.chat_row(change.connection, chat_id)
            if chat is None:
                raise no_chat(chat_id)
            place = chat_rows.item_place(change.connection, chat_id, item_id)
            if place is None:
                return False
            position, at_ms = place
            chat_rows.put_read(change, chat_id, position)
            if chat_rows.recount_unread(change, chat_id) == 0:
                fleet_rows.put_finish_read(change, chat.agent_id, at_ms)
            fleet_rows.announce(change, chat.agent_id)
            return True

        if not await self._store.change(job):
            self._seen_early[chat_id] = item_id

    # ---- messages --------------------------------------------------------------------------------------

    def event(self, event: Event) -> None:
        """A message arrived. Its row may have been pushed before that was known: it is pushed again, as that
        message."""
        if event.name != "message.changed":
            return
        message = decode(event.data, Message)
        if message.state == "delivered" and message.item_id is not None:
            self._tasks.start(f"arrived:{message.id}", self._push_item(message.chat_id, message.item_id))

    async def _push_item(self, chat_id: str, item_id: str) -> None:
        def found(connection: Connection) -> tuple[Item, Node | None] | None:
            chat = chat_rows.chat_row(connection, chat_id)
            agent = None if chat is None else fleet_rows.agent_row(connection, chat.agent_id)
            item = chat_rows.kept_item(connection, chat_id, item_id)
            return None if item is None or agent is None else (item, self._nodes.get(agent.machine_id))

        try:
            kept = await self._store.read(found)
            if kept is not None:  # else it is fetched later, and pushed then
                self._push(chat_id, await self.for_client(chat_id, kept[1], [kept[0]], False))
        except DatabaseTrouble as error:  # only a display is late: a page says it right
            _log.warning("cannot tell of a message that arrived", error=str(error))

    # ---- fetching --------------------------------------------------------------------------------------

    def snapshot(self, node: Node, states: Sequence[AgentState]) -> None:
        """Fetch the chats whose marks have moved."""
        for state in states:
            self._told[state.id] = (state.chat_id, state.mark)
            if self._marks.get(state.chat_id) != state.mark:
                self._wanted[state.chat_id] = (node, state)
                if state.chat_id not in self._running:
                    self._running.add(state.chat_id)
                    self._tasks.start(f"fetch:{state.chat_id}", self._fetch(state.chat_id))

    def is_read(self, agent_id: str) -> bool:
        """Whether everything that an agent's present chat says is known here, as far as its node has told."""
        chat_id, mark = self._told.get(agent_id, ("", ""))
        return bool(chat_id) and self._marks.get(chat_id) == mark

    async def _fetch(self, chat_id: str) -> None:
        try:
            while (wanted := self._wanted.pop(chat_id, None)) is not None:
                node, state = wanted
                turn = self._turns.setdefault(node.machine_id, asyncio.Semaphore(AT_ONCE))
                try:
                    async with turn:
                        await self._fetch_once(node, state)
                except HubError as error:
                    if error.code == "not_found":  # its file is missing: nothing to read until it moves
                        self._marks[chat_id] = state.mark
                        continue
                    _log.info("a chat cannot be read", chat=chat_id, code=error.code, error=error.text)
                    if not node.is_online:
                        return  # the first snapshot after its return wants it again
                    await self._try_later(chat_id, wanted)
                except DatabaseTrouble:
                    await self._try_later(chat_id, wanted)
        finally:
            self._running.discard(chat_id)

    async def _try_later(self, chat_id: str, wanted: tuple[Node, AgentState]) -> None:
        self._wanted.setdefault(chat_id, wanted)
        await asyncio.sleep(AGAIN_S)

    async def _fetch_once(self, node: Node, state: AgentState) -> None:
        chat = await self._store.read(lambda c: chat_rows.chat_row(c, state.chat_id))
        if chat is None:
            return
        cursor, reset = chat.cursor, False
        items: list[Item] = []
        asks: list[ReplyAsks] = []
        older: bool | None = None
        for _ in range(ROUNDS):
            answer = await _items(node, chat, before=None, after=cursor or None, limit=ITEMS_KEPT)
            is_first = not cursor
            if is_first or answer.reset:
                items, asks, older, reset = [], [], answer.before is not None, bool(cursor)
            items += answer.items
            asks += answer.asks
            is_end = answer.after == cursor or len(answer.items) < ITEMS_KEPT
            cursor = answer.after
            if is_first or answer.reset or is_end:
                break
        await self._keep(node, state, chat, items, asks, cursor=cursor or "", older=older, reset=reset)

    async def _keep(
        self,
        node: Node,
        state: AgentState,
        chat: ChatRow,
        items: list[Item],
        asks: list[ReplyAsks],
        *,
        cursor: str,
        older: bool | None,
        reset: bool,
    ) -> None:
        hint = ChatItems(
            chat_id=chat.id,
            agent_id=chat.agent_id,
            after=None if reset or not chat.cursor else chat.cursor,
            count=len(items),
            last=last_words(items),
        )

        def job(change: Change) -> None:
            chat_rows.put_fetched(change, chat.id, cursor=cursor, mark=state.mark, older=older)
            if reset:
                chat_rows.drop_items(change, chat.id, but=[item.id for item in items])
            if not items:
                return
            self._took(change, chat, node, items, asks, reset or not chat.cursor)
            chat_rows.put_items(change, chat.id, items)
            chat_rows.recount_unread(change, chat.id)
            change.emit("chat.items", hint)
            fleet_rows.announce(change, chat.agent_id)

        await self._store.change(job)
        self._marks[chat.id] = state.mark
        if items:
            self._push(chat.id, await self.for_client(chat.id, node, items, False))
        early = self._seen_early.pop(chat.id, None)
        if early is not None:
            await self.seen(chat.id, early)


async def _items(
    node: Node, chat: ChatRow, *, before: str | None, after: str | None, limit: int
) -> ItemsAnswer:
    return await node.ask(
        lambda link: link.items(chat.agent_id, chat.id, before=before, after=after, limit=limit), ITEMS_S
    )


def _position(cursor: str) -> int | None:
    text = cursor.removeprefix(KEPT)
    return int(text) if text.isdecimal() else None


def last_words(items: Sequence[Item]) -> str:
    """What the newest item that says something says, for a list of chats."""
    for item in reversed(items):
        text = split_typed(item.text or "")[0] if item.tool is None else item.tool.title
        if text:
            return text[:LAST_TEXT]
    return ""


def _with_files(connection: Connection, items: list[Item]) -> list[Item]:
    """What people typed, with the files that it names as attachments instead of as lines of the text."""
    told = {item.id: split_typed(item.text) for item in items if item.kind == "user" and item.text}
    rows = upload_rows.upload_rows(connection, {file.id for _, files in told.values() for file in files})
    return [
        with_attachments(item, *told[item.id], rows) if item.id in told and told[item.id][1] else item
        for item in items
    ]


def _is_hidden(veil: hidden_rows.Veil, item: Item, offset_ms: int) -> bool:
    """Of a message that no item of the agent shows. One that is still to go out is never hidden."""
    is_open = item.delivery is not None and item.delivery.state in ("accepted", "sending")
    return not is_open and (item.id in veil.items or veil.hides_time(item.at_ms - offset_ms))
