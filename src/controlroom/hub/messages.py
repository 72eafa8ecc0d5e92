"""What clients ask of messages: accept, show, change, take back. ``courier`` carries them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

import msgspec
from sqlalchemy import Connection

from controlroom.core.attachments import MOST
from controlroom.hub.courier import TAKE_S, Courier, put, tell
from controlroom.hub.delivery import TAKEN_BACK, as_shown
from controlroom.hub.errors import HubError, no_agent, no_chat, no_message
from controlroom.hub.nodes import Nodes
from controlroom.hub.store import chat_rows, fleet_rows, message_rows, upload_rows
from controlroom.hub.store.fleet_rows import AgentRow
from controlroom.hub.store.message_rows import MessageRow
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.clock import new_id
from controlroom.wire.client import Accepted, PatchMessage, SendMessage
from controlroom.wire.codec import decode, encode
from controlroom.wire.model import Attachment, Message, MessageState
from controlroom.wire.node import AmendAct

OWN = ("q_", "teach_")  # ids of messages that are made here
ID = re.compile(r"[A-Za-z0-9_.:\-]{1,100}")


class Messages:
    """All messages of the fleet."""

    def __init__(self, store: Store, nodes: Nodes, courier: Courier, limit_bytes: int) -> None:
        self._store = store
        self._nodes = nodes
        self._courier = courier
        self._limit_bytes = limit_bytes

    async def post_to_agent(self, agent_id: str, body: SendMessage, by: str) -> Accepted:
        """Store a message for the present chat of an agent. The same id and body again are the same message.

        Raises HubError: bad_request, too_large, not_found, conflict.
        """

        def whose(connection: Connection) -> AgentRow:
            row = fleet_rows.agent_row(connection, agent_id)
            if row is None or not row.is_listed:
                raise no_agent(agent_id)
            return row

        return await self._post(whose, body, by)

    async def post_to_chat(self, chat_id: str, body: SendMessage, by: str) -> Accepted:
        def whose(connection: Connection) -> AgentRow:
            chat = chat_rows.chat_row(connection, chat_id)
            row = None if chat is None else fleet_rows.agent_row(connection, chat.agent_id)
            if row is None or not row.is_listed:
                raise no_chat(chat_id)
            known = message_rows.message_row(connection, body.id)
            is_repeated = known is not None and known.message.chat_id == chat_id
            if row.chat_id != chat_id and not is_repeated:
                raise HubError(
                    "bad_request", f"That conversation is over; the agent's present one is {row.chat_id}."
                )
            return row

        return await self._post(whose, body, by)

    def add(self, change: Change, agent_id: str, body: SendMessage, by: str) -> None:
        """Store a message as a part of another change, so that both are there or neither; once for its id.

        Its event wakes the courier (``event``). Raises HubError ``not_found``.
        """
        if message_rows.message_row(change.connection, body.id) is not None:
            return
        agent = fleet_rows.agent_row(change.connection, agent_id)
        if agent is None or not agent.is_listed:
            raise no_agent(agent_id)
        self._store_new(change, agent, body, by, _digest(agent.id, body, by))

    def event(self, event: Event) -> None:
        """A message of our own waits: its machine's courier is woken, whoever stored it."""
        if event.name != "message.changed":
            return
        message = decode(event.data, Message)
        if is_own(message.id) and message.state == "accepted":
            for node in self._nodes.all():
                self._courier.wake(node.machine_id)

    def _store_new(
        self, change: Change, agent: AgentRow, body: SendMessage, by: str, digest: str
    ) -> MessageState:
        attached = _attached(change, agent, body.attachments)
        message = Message(
            id=body.id,
            chat_id=agent.chat_id,
            agent_id=agent.id,
            text=body.text,
            state="accepted",
            when=body.when,
            send_as=body.send_as,
            on_draft=body.on_draft,
            by=by,
            created_at_ms=change.now_ms,
            changed_at_ms=change.now_ms,
            attachments=attached,
        )
        message_rows.add_message(change, message, agent.machine_id, digest)
        tell(change, message, self._nodes.get(agent.machine_id))
        return message.state

    async def _post(self, whose: Callable[[Connection], AgentRow], body: SendMessage, by: str) -> Accepted:
        self._check(body)

        def job(change: Change) -> tuple[str | None, MessageState]:
            agent = whose(change.connection)
            digest = _digest(agent.id, body, by)
            known = message_rows.message_row(change.connection, body.id)
            if known is not None:
                is_ours_again = is_own(body.id) and known.message.text == body.text
                if known.digest != digest and not is_ours_again:
                    raise HubError("conflict", "Another message was sent with this id.")
                if not _may_go_again(known.message):
                    return None, known.message.state
                return known.machine_id, self._open_again(change, known)
            if is_own(body.id):
                raise HubError("bad_request", "id: one that begins like this is made here.")
            return agent.machine_id, self._store_new(change, agent, body, by, digest)

        machine_id, state = await self._store.change(job)
        if machine_id is not None:
            self._courier.wake(machine_id)
        return Accepted(id=body.id, state=state)

    def _open_again(self, change: Change, row: MessageRow) -> MessageState:
        """A message that failed, and of which nothing was typed, is tried again under its id."""
        message = msgspec.structs.replace(
            row.message, state="accepted", held=None, detail=None, changed_at_ms=change.now_ms
        )
        message_rows.put_message(change, message)
        message_rows.mark_untaken(change, message.id)
        tell(change, message, self._nodes.get(row.machine_id))
        return message.state

    def _check(self, body: SendMessage) -> None:
        if not ID.fullmatch(body.id):
            raise HubError("bad_request", "id: up to 100 letters, digits and _ . : - are allowed.")
        if not body.text.strip() and not body.attachments:
            raise HubError("bad_request", "text: there is nothing in this message.")
        if len(body.attachments) > MOST or len(set(body.attachments)) < len(body.attachments):
            raise HubError("bad_request", f"attachments: at most {MOST}, each of them once.")
        if body.attachments and body.send_as == "command":
            raise HubError("bad_request", "attachments: a command takes no files.")
        if len(body.text.encode(errors="replace")) > self._limit_bytes:
            raise HubError("too_large", f"A message may have {self._limit_bytes} bytes of text.")

    async def get(self, message_id: str) -> Message:
        row = await self._store.read(lambda c: message_rows.message_row(c, message_id))
        if row is None:
            raise no_message(message_id)
        return as_shown(row.message, self._nodes.get(row.machine_id))

    async def patch(self, message_id: str, patch: PatchMessage) -> Message:
        """Change a message that has not been typed. Raises HubError ``conflict`` after that."""
        if patch == PatchMessage():
            raise HubError("bad_request", "text, when or on_draft: say what is to be changed.")
        if patch.text is not None:
            self._check(SendMessage(id=message_id, text=patch.text))

        def apply(message: Message) -> Message:
            return msgspec.structs.replace(
                message,
                text=message.text if patch.text is None else patch.text,
                when=patch.when or message.when,
                on_draft=patch.on_draft or message.on_draft,
            )

        act = AmendAct(
            id=new_id("amd"),
            message_id=message_id,
            text=patch.text,
            when=patch.when,
            on_draft=patch.on_draft,
        )
        return await self._amend(act, apply)

    async def take_back(self, message_id: str) -> Message:
        """End a message that has not been typed. Raises HubError ``conflict`` after that."""

        def apply(message: Message) -> Message:
            return msgspec.structs.replace(message, state="failed", held=None, detail=TAKEN_BACK)

        return await self._amend(AmendAct(id=new_id("amd"), message_id=message_id, cancel=True), apply)

    async def _amend(self, act: AmendAct, apply: Callable[[Message], Message]) -> Message:
        first = await self._store.read(lambda c: message_rows.message_row(c, act.message_id))
        if first is None:
            raise no_message(act.message_id)
        machine_id = first.machine_id
        async with self._courier.lock(machine_id):
            row = await self._store.read(lambda c: message_rows.message_row(c, act.message_id))
            if row is None or row.message.state != "accepted":
                raise HubError("conflict", "This message does not wait any more.")
            if row.is_tried:
                result = await self._nodes.of(machine_id).ask(lambda link: link.act(act), TAKE_S)
                is_unknown = result.code == "not_found" and not row.is_taken  # it never got there
                if result.code != "ok" and not is_unknown:
                    raise HubError(result.code, result.text)
            return await put(self._store, self._nodes, act.message_id, apply)


def is_own(message_id: str) -> bool:
    """Whether the Control Room made this message: an answer to a question, or how to ask one."""
    return message_id.startswith(OWN)


def _may_go_again(message: Message) -> bool:
    return message.state == "failed" and message.detail != TAKEN_BACK


def _attached(change: Change, agent: AgentRow, ids: tuple[str, ...]) -> tuple[Attachment, ...]:
    """The uploads that a message names; from now on they are used. Raises HubError."""
    if not ids:
        return ()
    if fleet_rows.folder_of(change.connection, agent.id) is None:
        raise HubError("bad_request", "This agent has no project folder in which files could be put.")
    rows = upload_rows.upload_rows(change.connection, ids)
    for id in ids:
        if id not in rows or not rows[id].is_kept:
            raise HubError("not_found", f"attachments: {id[:80]} is not here any more. Attach it again.")
    upload_rows.mark_used(change, ids)
    return tuple(rows[id].attachment for id in ids)


def _digest(agent_id: str, body: SendMessage, by: str) -> str:
    return hashlib.sha256(encode([agent_id, by, body])).hexdigest()
