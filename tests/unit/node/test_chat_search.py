"""Searching a conversation backwards, page by page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlroom.kit.clock import FakeClock
from controlroom.node.agents.base import ItemsPage
from controlroom.node.chat_search import PAGE, SEARCH_MS, Replaced, around, says, search
from controlroom.wire.model import Change, Item, Tool


def item(number: int, text: str = "") -> Item:
    return Item(id=f"i{number}", at_ms=number, kind="assistant", text=text or f"text {number}")


class Book:
    """A conversation in memory; ``slow_ms`` passes with each page."""

    def __init__(self, items: list[Item], clock: FakeClock, slow_ms: int = 0) -> None:
        self._items, self._clock, self._slow_ms = items, clock, slow_ms
        self.reads = 0

    async def __call__(self, before: str | None) -> ItemsPage:
        self.reads += 1
        self._clock.advance(self._slow_ms / 1000)
        end = len(self._items) if before is None else int(before)
        start = max(0, end - PAGE)
        return ItemsPage(
            items=tuple(self._items[start:end]), before=str(start) if start else None, after=str(end)
        )


@pytest.mark.parametrize(
    ("shown", "needle", "expected"),
    [
        (item(1, "Straße und STRASSE"), "strasse", True),
        (item(1, "nothing"), "something", False),
        (Item(id="t", at_ms=1, kind="tool"), "x", False),
        (
            Item(id="t", at_ms=1, kind="tool", tool=Tool(name="Bash", title="Bash: make", state="done")),
            "bash: m",
            True,
        ),
        (
            Item(
                id="t",
                at_ms=1,
                kind="tool",
                tool=Tool(
                    name="Edit",
                    title="Edit",
                    state="done",
                    changes=(Change(path="a/b.py", added=1, removed=0),),
                ),
            ),
            "b.py",
            True,
        ),
    ],
)
def test_what_an_item_says(shown: Item, needle: str, expected: bool) -> None:
    assert says(shown, needle) is expected


@given(marked=st.sets(st.integers(0, 699)), limit=st.integers(1, 60))
async def test_searching_on_finds_everything_once_newest_first(marked: set[int], limit: int) -> None:
    clock = FakeClock()
    book = Book([item(n, "Needle" if n in marked else "hay") for n in range(700)], clock)
    found: list[str] = []
    before: str | None = None
    while True:
        answer = await search(book, "NEEDLE", before, limit, clock)
        for hit in answer.hits:
            found.append(hit.item.id)
            page = await book(hit.page)
            assert hit.item in page.items
        before = answer.before
        if before is None:
            break
    assert found == [f"i{n}" for n in sorted(marked, reverse=True)]


async def test_a_search_stops_when_its_time_is_over_and_says_where() -> None:
    clock = FakeClock()
    book = Book([item(n) for n in range(PAGE * 10)], clock, slow_ms=SEARCH_MS // 2)
    answer = await search(book, "nowhere", None, 50, clock)
    assert book.reads == 2
    assert answer.before == str(PAGE * 8)


async def test_a_replaced_file_is_told() -> None:
    async def read(before: str | None) -> ItemsPage:
        return ItemsPage(items=(item(1),), before=None, after="1", reset=True)

    with pytest.raises(Replaced):
        await search(read, "text", "5", 50, FakeClock())


async def test_the_page_around_an_item() -> None:
    clock = FakeClock()
    book = Book([item(n) for n in range(PAGE * 3)], clock)
    page = await around(book, "i250", clock)
    assert page is not None
    assert (page.before, page.after) == (str(PAGE), str(PAGE * 2))
    assert await around(book, "i9999", clock) is None
