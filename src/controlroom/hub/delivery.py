"""How messages look from outside: held while their machine is away, as items of a chat, in events. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from controlroom.core.attachments import Told
from controlroom.hub.nodes import Node
from controlroom.hub.store.upload_rows import UploadRow
from controlroom.wire.model import Attachment, Delivery, Held, Item, Message, MessageState
from controlroom.wire.node import ActProgress

EVENT_TEXT = 2_000
"""Characters of a message's text in its events: whoever needs all of it asks for the message."""

TAKEN_BACK = "Taken back before it was typed."


def as_shown(message: Message, node: Node | None) -> Message:
    """The message as clients see it. While its machine is away, a waiting message waits for that."""
    if message.state != "accepted" or (node is not None and node.is_online):
        return message
    if node is None:
        held = Held(code="offline", text="Waits for the agent's machine.", since_ms=message.created_at_ms)
    else:
        since_ms = max(node.last_seen_ms, message.created_at_ms)
        held = Held(code="offline", text=f"Waits for {node.name}, which is away.", since_ms=since_ms)
    return msgspec.structs.replace(message, held=held)


def for_event(message: Message) -> Message:
    if len(message.text) <= EVENT_TEXT:
        return message
    return msgspec.structs.replace(message, text=message.text[:EVENT_TEXT], clipped=True)


def delivery_of(message: Message) -> Delivery:
    return Delivery(id=message.id, state=message.state, held=message.held, detail=message.detail)


def waiting_item(message: Message) -> Item:
    """A message that no item of the agent's own file shows, as an item of its own."""
    return Item(
        id=message.id,
        at_ms=message.created_at_ms,
        kind="message",
        text=message.text,
        delivery=delivery_of(message),
        attachments=message.attachments,
    )


def with_attachments(item: Item, text: str, files: Sequence[Told], rows: Mapping[str, UploadRow]) -> Item:
    """A row that a person typed, with its files beside its text. A file that is not one of our uploads is
    named as the text does."""
    attachments = tuple(
        rows[file.id].attachment
        if file.id in rows
        else Attachment(id=file.id, name=file.name, bytes=0, type=file.type)
        for file in files
    )
    return msgspec.structs.replace(item, text=text, attachments=attachments)


def with_progress(message: Message, progress: ActProgress, offset_ms: int) -> Message:
    """The message after the node said something about it; the same object when nothing differs."""
    state: MessageState
    if progress.state == "cancelled":
        state, detail = "failed", TAKEN_BACK
    else:
        state, detail = progress.state, progress.detail or ""
    held = progress.held
    if held is not None:
        held = msgspec.structs.replace(held, since_ms=held.since_ms + offset_ms)
    changed = msgspec.structs.replace(
        message,
        state=state,
        detail=detail or None,
        held=held,
        item_id=progress.item_id,
        text=message.text if progress.text is None else progress.text,
        when=progress.when or message.when,
    )
    if changed == message:
        return message
    return msgspec.structs.replace(changed, changed_at_ms=progress.at_ms + offset_ms)
