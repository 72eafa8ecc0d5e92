"""Searching a conversation from its end backwards, page by page, through whatever driver reads it.

A search is bounded by hits and by time; what it has not reached yet is behind the cursor of its answer.
Nothing is indexed: the agent's own file is read as it is now.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from controlroom.kit.clock import Clock
from controlroom.node.agents.base import ItemsPage
from controlroom.wire.model import Item
from controlroom.wire.node import Hit, HitsAnswer, ItemsAnswer

PAGE = 200
SEARCH_MS = 4_000  # a person waits for it; the hub gives up after ITEMS_S (10 s)

ReadPage = Callable[[str | None], Awaitable[ItemsPage]]
"""The page before a cursor (None: the newest)."""


class Replaced(Exception):
    """The cursor does not fit the file any more: the search must begin anew."""


def says(item: Item, needle: str) -> bool:
    """Whether the item shows this text (casefolded) anywhere: its words, and what its tool did."""
    tool = item.tool
    texts = [item.text]
    if tool is not None:
        texts += [tool.title, tool.input, tool.output, *(change.path for change in tool.changes or ())]
    return any(needle in text.casefold() for text in texts if text)


async def search(read: ReadPage, needle: str, before: str | None, limit: int, clock: Clock) -> HitsAnswer:
    """Items that say ``needle``, newest first, from a cursor backwards. About ``limit`` of them: a page is
    searched whole. Raises Replaced, and what ``read`` raises."""
    wanted = needle.casefold()
    until = clock.now_ms() + SEARCH_MS
    hits: list[Hit] = []
    while True:
        page = await read(before)
        if page.reset and before is not None:
            raise Replaced
        hits += [Hit(item=item, page=before) for item in reversed(page.items) if says(item, wanted)]
        before = page.before
        if before is None or len(hits) >= limit or clock.now_ms() >= until:
            return HitsAnswer(hits=tuple(hits), before=before)


async def around(read: ReadPage, item_id: str, clock: Clock) -> ItemsAnswer | None:
    """The page that holds this item; None when it is not found in time. Raises what ``read`` raises."""
    until = clock.now_ms() + SEARCH_MS
    before: str | None = None
    while True:
        page = await read(before)
        if any(item.id == item_id for item in page.items):
            return ItemsAnswer(items=page.items, before=page.before, after=page.after, skipped=page.skipped)
        if page.before is None or (page.reset and before is not None) or clock.now_ms() >= until:
            return None
        before = page.before
