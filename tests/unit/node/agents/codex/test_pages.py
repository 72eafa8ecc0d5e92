"""Pages join without gap or double, whatever their size, and news settle what older pages left open."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controlroom.node.agents.codex import pages
from controlroom.wire.model import Item
from tests.unit.node.agents.codex.samples import ROLLOUTS, rollout, rows, session_id

NAMES = (
    "11-07-12",
    "11-07-30",
    "11-07-43",
    "11-09-07",
    "11-12-54",
    "sessions-helpers/13-42-32",
    "sessions-0.60.1/11-17-15",
)
PATHS = {name: rollout(name) for name in NAMES}
BYTES = {name: path.read_bytes() for name, path in PATHS.items()}


def whole(data: bytes, id: str) -> list[Item]:
    return list(pages.newest(io.BytesIO(data), id, 500).items)


@pytest.mark.parametrize("path", ROLLOUTS, ids=lambda path: f"{path.parts[-5]}/{path.name[19:27]}")
@pytest.mark.parametrize("limit", [1, 2, 7])
def test_pages_backwards_are_the_whole(path: Path, limit: int) -> None:
    id, data = session_id(path), path.read_bytes()
    file = io.BytesIO(data)
    page = pages.newest(file, id, limit)
    seen = list(page.items)
    while page.before is not None:
        assert len(page.items) <= limit
        page = pages.before(file, id, page.before, limit)
        seen[:0] = page.items
    assert bare(seen) == bare(whole(data, id))


def bare(items: list[Item]) -> list[object]:
    """Items without the model, which stands at the start of a turn that another page may hold."""
    return [(one.id, one.kind, one.text, one.tool, one.tokens) for one in items]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_grows_row_by_row_ends_as_the_whole(name: str) -> None:
    id, data = session_id(PATHS[name]), BYTES[name]
    known: dict[str, Item] = {}
    cursor: str | None = None
    for row in rows(PATHS[name]):
        file = io.BytesIO(data[: row.end])
        page = pages.newest(file, id, 50) if cursor is None else pages.after(file, id, cursor, 50)
        assert not page.reset
        known.update((one.id, one) for one in page.items)
        cursor = page.after
    assert bare(list(known.values())) == bare(whole(data, id))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.integers(0, 400_000), min_size=1, max_size=6), st.integers(1, 9))
def test_news_after_any_cuts_settle_everything(name: str, cuts: list[int], limit: int) -> None:
    id, data = session_id(PATHS[name]), BYTES[name]
    known: dict[str, Item] = {}
    page = pages.newest(io.BytesIO(data[: min(cuts[0], len(data))]), id, 500)
    known.update((one.id, one) for one in page.items)
    for cut in [*sorted(cuts[1:]), len(data)]:
        file = io.BytesIO(data[: max(min(cut, len(data)), int(page.after.split("-")[0]))])
        while True:
            last, page = page.after, pages.after(file, id, page.after, limit)
            assert not page.reset
            known.update((one.id, one) for one in page.items)
            if page.after == last:
                break
    order = {one.id: at for at, one in enumerate(whole(data, id))}
    assert sorted(known, key=order.__getitem__) == list(order)
    assert bare([known[key] for key in order]) == bare(whole(data, id))


def test_cursors_fit_a_copy_of_the_file(tmp_path: Path) -> None:
    path = PATHS["11-07-30"]
    copy = tmp_path / path.name
    shutil.copyfile(path, copy)
    with path.open("rb") as one, copy.open("rb") as two:
        here = pages.newest(one, session_id(path), 2)
        there = pages.newest(two, session_id(path), 2)
        assert here == there and here.before is not None
        assert pages.before(one, "x", here.before, 3) == pages.before(two, "x", there.before or "", 3)


@pytest.mark.parametrize(
    "text", ["", "x", "12", "99999999-0123456789ab", "0-nonsense", "5-000000000000.1.2", "1.2.3"]
)
def test_a_cursor_that_does_not_fit_gives_the_newest_page_again(text: str) -> None:
    file = io.BytesIO(BYTES["11-07-30"])
    for page in (pages.after(file, "s", text, 3), pages.before(file, "s", text, 3)):
        assert page.reset and page.items == pages.newest(file, "s", 3).items


def test_a_replaced_file_is_noticed() -> None:
    page = pages.newest(io.BytesIO(BYTES["11-07-30"]), "s", 3)
    other = pages.after(io.BytesIO(BYTES["11-12-54"]), "s", page.after, 3)
    assert other.reset


def test_an_empty_or_unfinished_file_is_an_empty_page_to_go_on_from() -> None:
    for data in (b"", b'{"type":"event_msg"', BYTES["11-07-30"][:5000]):
        page = pages.newest(io.BytesIO(data), "s", 5)
        assert (page.items, page.before, page.skipped) == ((), None, 0)
        later = pages.after(io.BytesIO(BYTES["11-07-30"]), "s", page.after, 500)
        assert not later.reset and len(later.items) == 9


def test_damaged_rows_are_counted_and_hide_nothing_else() -> None:
    lines = BYTES["11-07-12"].split(b"\n")
    lines.insert(14, b'{"timestamp":"x","type":"event_msg","payl')
    lines.insert(20, b"\xff\xfe\x00")
    data = b"\n".join(lines)
    page = pages.newest(io.BytesIO(data), "s", 500)
    assert page.skipped == 2
    assert [one.kind for one in page.items] == [one.kind for one in whole(BYTES["11-07-12"], "s")]


def test_a_huge_row_is_one_clipped_item_among_the_others() -> None:
    reply = {"type": "AgentMessage", "content": [{"type": "Text", "text": "x" * 12_000_000}]}
    payload = {"type": "item_completed", "item": reply}
    big = json.dumps({"ordinal": 900, "type": "event_msg", "payload": payload}).encode() + b"\n"
    data = BYTES["11-07-12"] + big
    page = pages.newest(io.BytesIO(data), "s", 3)
    assert page.items[-1].clipped and len(page.items) == 3


class Counting(io.BytesIO):
    """Counts what is read."""

    count = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.count += len(data)
        return data


def test_the_newest_page_of_a_large_file_reads_little_of_it() -> None:
    body = BYTES["11-12-54"]
    file = Counting(body * 40)
    page = pages.newest(file, "s", 20)
    assert len(page.items) == 20 and page.before is not None
    assert file.count < len(body) * 4


def test_what_replies_ask_comes_with_their_items() -> None:
    text = "x " * 15_000 + "\n\nQuestion for Founder: Ship it?\n- Yes\n- No\nBlocking: yes"

    def row(ordinal: int, kind: str) -> bytes:
        item = {"type": kind, "id": f"i{ordinal}", "content": [{"type": "Text", "text": text}]}
        payload = {"type": "item_completed", "item": item}
        return json.dumps({"ordinal": ordinal, "type": "event_msg", "payload": payload}).encode() + b"\n"

    before = BYTES["11-07-12"]
    data = before + row(900, "UserMessage") + row(901, "AgentMessage")
    page = pages.newest(io.BytesIO(data), "s", 3)
    (asked,) = page.asks
    assert (asked.item_id, asked.questions[0].question) == (page.items[-1].id, "Ship it?")
    later = pages.after(io.BytesIO(data), "s", pages.newest(io.BytesIO(before), "s", 3).after, 50)
    assert later.asks == page.asks
