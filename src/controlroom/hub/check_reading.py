"""What was said in a chat since a question was asked, for the checker.

Rows are what the person typed and what the agent itself replied. What the Control Room typed (answers to
questions, defaults, skips, lessons) and what agents sent is not the person's, also where its arrival was
never proven; and what has not arrived was not said yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlalchemy import Connection

from controlroom.core.check_prompt import Asked
from controlroom.core.check_rows import Row
from controlroom.core.checker import Card
from controlroom.core.questions import is_person
from controlroom.hub.errors import HubError
from controlroom.hub.messages import is_own
from controlroom.hub.store import message_rows
from controlroom.hub.store.store import Store
from controlroom.wire.model import Item, Items, Message
from controlroom.wire.question import Question

PAGE, PAGES = 200, 4  # further back the beginning of a long conversation is left out
REPLIES = ("assistant", "question", "result")


class ReadsChats(Protocol):
    async def page(self, chat_id: str, *, before: str | None, after: str | None, limit: int) -> Items: ...


class Reading:
    """Reads conversations, through the node while it is there."""

    def __init__(self, store: Store, chats: ReadsChats) -> None:
        self._store = store
        self._chats = chats

    async def since(self, question: Question) -> tuple[Row, ...] | None:
        """Everything that was said since it was asked, or since it was opened again, oldest first. None: it
        cannot be read now."""
        since_ms, item_id = opened(question)
        items: list[Item] = []
        before: str | None = None
        try:
            for _ in range(PAGES):
                page = await self._chats.page(question.chat_id, before=before, after=None, limit=PAGE)
                items = [*page.items, *items]
                before = page.before
                if before is None or _reaches(items, since_ms, item_id):
                    break
        except HubError:
            if not items:
                return None
        places = [at for at, item in enumerate(items) if item.id == item_id]
        if places:
            later = items[places[-1] + 1 :]
        else:
            later = [item for item in items if item.at_ms > since_ms]
        typed = [item for item in later if item.kind == "user"]
        theirs = await self._store.read(lambda c: _not_of_person(c, question.chat_id, typed, since_ms))
        return tuple(
            Row(id=item.id, at_ms=item.at_ms, by="person" if item.kind == "user" else "agent", text=item.text)
            for item in later
            if item.text and (item.kind in REPLIES or (item.kind == "user" and item.id not in theirs))
        )


def opened(question: Question) -> tuple[int, str | None]:
    """Since when what is said counts, and behind which item: nothing that was there when the person opened
    the question again closes it again."""
    openings = [step.at_ms for step in question.history if step.state == "open"]
    if len(openings) > 1:
        return openings[-1], None
    return question.asked_at_ms, question.item_id


def card_of(question: Question) -> Card:
    return Card(
        id=question.id,
        question=question.question,
        labels=tuple(option.label for option in question.options),
        blocking=question.blocking,
        default=question.default.text if question.default else None,
        context=question.context,
    )


def asked_of(question: Question) -> Asked:
    return Asked(
        question=question.question,
        options=tuple(option.label for option in question.options),
        default=question.default.text if question.default else None,
        context=question.context,
    )


def _reaches(items: Sequence[Item], since_ms: int, item_id: str | None) -> bool:
    if not items:
        return False
    return items[0].at_ms < since_ms or any(item.id == item_id for item in items)


def _not_of_person(connection: Connection, chat_id: str, typed: Sequence[Item], since_ms: int) -> set[str]:
    """The ids of those items that the person did not type."""
    arrived = message_rows.arrived(connection, chat_id, [item.id for item in typed])
    unproven = [
        row.message
        for row in message_rows.not_arrived(connection, chat_id, since_ms)
        if not _is_of_person(row.message)
    ]
    texts = {" ".join(message.text.split()) for message in unproven}
    return {
        item.id
        for item in typed
        if (item.delivery is not None and item.delivery.state != "delivered")
        or (item.id in arrived and not _is_of_person(arrived[item.id]))
        or " ".join((item.text or "").split()) in texts
    }


def _is_of_person(message: Message) -> bool:
    return is_person(message.by) and not is_own(message.id)
