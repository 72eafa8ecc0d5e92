"""Pages join without gap or double, whatever the limit, and an item is the same on every page."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest

from controlroom.node.agents.base import ItemsPage
from controlroom.node.agents.claude.pages import newer_page, newest_page, older_page
from controlroom.wire.model import Item
from tests.unit.node.agents.claude.samples import TRANSCRIPTS, placed, transcript


def file_of(name: str) -> io.BytesIO:
    return io.BytesIO(transcript(name).read_bytes())


def all_pages(file: io.BytesIO, limit: int) -> list[Item]:
    page = newest_page(file, limit)
    found = list(page.items)
    while page.before is not None:
        page = older_page(file, page.before, limit)
        assert not page.reset
        found = [*page.items, *found]
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_pages_backwards_give_the_whole_conversation(name: str, limit: int) -> None:
    file = file_of(name)
    whole = newest_page(file, 1000)
    assert whole.before is None and whole.skipped == 0
    assert all_pages(file, limit) == list(whole.items)


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_following_row_by_row_ends_at_the_same_items(name: str) -> None:
    """Items with the same id replace each other: what a client holds at the end is the whole chat."""
    data = transcript(name).read_bytes()
    held: dict[str, Item] = {}
    page: ItemsPage | None = None
    for place, _ in placed(name):
        file = io.BytesIO(data[: place.end])
        page = newest_page(file, 50) if page is None else newer_page(file, page.after, 50)
        assert not page.reset
        held.update((item.id, item) for item in page.items)
    assert list(held.values()) == list(newest_page(file_of(name), 1000).items)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_catching_up_in_small_steps_misses_nothing(limit: int) -> None:
    data = transcript("tools-and-permissions").read_bytes()
    begin = placed("tools-and-permissions")[3][0].end
    page = newest_page(io.BytesIO(data[:begin]), 50)
    held = {item.id: item for item in page.items}
    for _ in range(200):
        page = newer_page(io.BytesIO(data), page.after, limit)
        if not page.items:
            break
        held.update((item.id, item) for item in page.items)
    assert list(held.values()) == list(newest_page(io.BytesIO(data), 1000).items)


def test_nothing_new_gives_nothing_and_keeps_the_cursor() -> None:
    file = file_of("plain-chat")
    page = newest_page(file, 50)
    again = newer_page(file, page.after, 50)
    assert (again.items, again.after, again.reset) == ((), page.after, False)


def test_a_result_far_behind_its_call_changes_the_call() -> None:
    def line(**fields: object) -> bytes:
        return msgspec.json.encode({"timestamp": "2026-11-30T11:10:00Z", **fields}) + b"\n"

    use = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "sleep"}}
    call = line(type="assistant", uuid="a", message={"id": "m", "model": "x", "content": [use]})
    noise = b"".join(line(type="mode", mode=f"n{n}") for n in range(1500))
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "slept"}
    end = line(type="user", uuid="r", message={"content": [result]})
    page = newest_page(io.BytesIO(call + noise), 50)
    news = newer_page(io.BytesIO(call + noise + end), page.after, 50)
    assert [(item.id, item.tool and item.tool.output) for item in news.items] == [("toolu_1", "slept")]
    whole = io.BytesIO(call + noise + end)
    assert older_page(whole, page.after, 50).items == news.items  # an older page looks ahead for results


def test_damaged_rows_are_counted_and_hide_nothing() -> None:
    data = transcript("plain-chat").read_bytes()
    cut = data.index(b"\n", len(data) // 2) + 1
    page = newest_page(io.BytesIO(data[:cut] + b'{"type":"us\n\x00\xff\n' + data[cut:]), 50)
    assert page.skipped == 2
    assert page.items == newest_page(io.BytesIO(data), 50).items


def test_an_unfinished_row_is_read_when_it_is_whole() -> None:
    data = transcript("plain-chat").read_bytes()
    places = placed("plain-chat")
    reply = next(n for n, (_, row) in enumerate(places) if row.type == "assistant")
    half = places[reply][0].offset + 40
    page = newest_page(io.BytesIO(data[:half]), 50)
    assert [item.kind for item in page.items] == ["user"] and page.skipped == 0
    assert [item.kind for item in newer_page(io.BytesIO(data), page.after, 50).items] == ["assistant"]


def test_a_replaced_file_is_read_again_from_its_end() -> None:
    page = newest_page(file_of("plain-chat"), 50)
    other = newer_page(file_of("plan-mode"), page.after, 50)
    assert other.reset
    assert other.items == newest_page(file_of("plan-mode"), 50).items
    assert older_page(file_of("plan-mode"), page.after, 50).reset


def test_cursors_fit_a_copy_of_the_file(tmp_path: Path) -> None:
    page = newest_page(file_of("plan-mode"), 3)
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(transcript("plan-mode").read_bytes())
    assert page.before is not None
    with copy.open("rb") as file:
        older = older_page(file, page.before, 3)
    assert not older.reset and older.items


def test_an_empty_file_has_no_items() -> None:
    page = newest_page(io.BytesIO(b""), 50)
    assert (page.items, page.before) == ((), None)


def test_one_enormous_row_is_an_item_like_others() -> None:
    row = msgspec.json.encode({"type": "user", "uuid": "u", "message": {"content": "x" * 12_000_000}}) + b"\n"
    page = newest_page(io.BytesIO(transcript("plain-chat").read_bytes() + row), 50)
    assert page.items[-1].clipped and page.items[0].kind == "user"


def test_what_replies_ask_is_read_from_their_whole_text() -> None:
    """The bubble is cut after 20,000 characters; a question behind that is a card all the same."""
    text = "x " * 15_000 + "\n\nQuestion for Founder: Ship it?\n- Yes\n- No\nBlocking: yes"
    content = [{"type": "text", "text": "First."}, {"type": "text", "text": text}]
    rows: list[dict[str, object]] = [
        {"type": "user", "uuid": "u1", "message": {"role": "user", "content": text}},
        {"type": "assistant", "uuid": "a1", "message": {"role": "assistant", "id": "m1", "content": content}},
        {
            "type": "assistant",
            "uuid": "h1",
            "isSidechain": True,
            "message": {"role": "assistant", "id": "m2", "content": content},
        },
    ]
    at = {"timestamp": "2026-11-30T10:00:00.000Z", "sessionId": "s"}
    lines = [msgspec.json.encode({**row, **at}) + b"\n" for row in rows]
    page = newest_page(io.BytesIO(b"".join(lines)), 50)
    assert [(asked.item_id, asked.questions[0].question) for asked in page.asks] == [("a1.1", "Ship it?")]
    early = newest_page(io.BytesIO(lines[0]), 50)
    assert early.asks == ()
    later = newer_page(io.BytesIO(b"".join(lines)), early.after, 50)
    assert later.asks == page.asks
