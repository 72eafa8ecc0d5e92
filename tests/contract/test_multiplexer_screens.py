"""The contract of multiplexers: frames."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest

from controlroom.core.screen import Cursor, Frame
from controlroom.node.mux.base import PaneGone, PaneRef
from tests.support.multiplexers import MultiplexerBench, first_pane, that_can
from tests.support.waiting import until


async def frame_when(bench: MultiplexerBench, ref: PaneRef, good: Callable[[Frame], bool]) -> Frame:
    async def look() -> Frame | None:
        frame = await bench.mux.screen(ref)
        return frame if good(frame) else None

    frame = await until(look, "the screen shows it")
    assert frame is not None
    return frame


async def test_a_frame_carries_its_own_size(bench: MultiplexerBench) -> None:
    await bench.start_server()
    pane = await bench.add_pane(width=123, height=17)
    frame = await bench.mux.screen(pane)
    assert (frame.width, frame.height) == (123, 17)
    assert len(frame.rows) == len(frame.ansi) == 17


async def test_watching_never_resizes(bench: MultiplexerBench) -> None:
    await bench.start_server()
    refs = [await bench.add_pane(width=w, height=h) for w, h in ((200, 60), (47, 49), (20, 5))]
    for _ in range(5):
        await asyncio.gather(*(bench.mux.screen(ref) for ref in refs))
    sizes = {pane.ref: (pane.width, pane.height) for pane in (await bench.mux.list()).panes}
    assert [sizes[ref] for ref in refs] == [(200, 60), (47, 49), (20, 5)]


async def test_text_cursor_and_kind_of_screen_are_in_the_frame(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(
        pane.ref,
        "first",
        "",
        "  third  x",
        alternate=True,
        title="My title",
        cursor=Cursor(2, 4, visible=False),
    )
    frame = await frame_when(bench, pane.ref, lambda f: f.title == "My title")
    assert frame.rows[:4] == ("first", "", "  third  x", "")
    assert "cursor" in bench.cannot or frame.cursor == Cursor(2, 4, visible=False)
    assert frame.alternate != ("alternate" in bench.cannot)


async def test_an_unchanged_screen_has_the_same_revision(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, "same", title="t")
    first = await frame_when(bench, pane.ref, lambda f: f.rows[0] == "same" and f.title == "t")
    assert await bench.mux.screen(pane.ref) == first


@pytest.mark.parametrize("row", ["other", "\x1b[1mtext"], ids=["text", "style"])
async def test_whatever_a_person_could_see_changes_the_revision(bench: MultiplexerBench, row: str) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, "text")
    before = await frame_when(bench, pane.ref, lambda f: f.rows[0] == "text" and f.cursor.row == 0)
    await bench.show(pane.ref, row)
    after = await frame_when(bench, pane.ref, lambda f: f.revision != before.revision)
    assert after.rows[0] == re.sub("\x1b.*?m", "", row)


@pytest.mark.parametrize("bench", that_can("cursor"), indirect=True)
async def test_a_cursor_that_moves_changes_the_revision(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, "text")
    before = await frame_when(bench, pane.ref, lambda f: f.rows[0] == "text" and f.cursor.row == 0)
    await bench.show(pane.ref, "text", cursor=Cursor(1, 0))
    after = await frame_when(bench, pane.ref, lambda f: f.revision != before.revision)
    assert (after.rows, after.cursor.row) == (before.rows, 1)


async def test_a_style_that_runs_over_rows_is_in_each_row(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, "\x1b[1;38;5;208mone", "two", "\x1b[0mthree")
    frame = await frame_when(bench, pane.ref, lambda f: f.rows[2] == "three")
    assert frame.ansi[0] == "\x1b[0;1;38;5;208mone\x1b[0m"
    assert frame.ansi[1] == "\x1b[0;1;38;5;208mtwo\x1b[0m"
    assert frame.ansi[2] == "three"


HOSTILE = (
    "%end 1796045846 359 1",
    "%error 1 1 1",
    "%begin 1796045846 360 1",
    "%output %0 \\033[2J",
    "%exit",
    "%begin 1 1 0",
    "can't find pane: %0",
    "%sessions-changed",
)


async def test_rows_that_imitate_replies_are_only_rows(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, *HOSTILE)
    frame = await frame_when(bench, pane.ref, lambda f: f.rows[7] == HOSTILE[7])
    assert frame.rows[:8] == HOSTILE
    assert len((await bench.mux.list()).panes) == 1


async def test_wide_and_joined_characters_come_through(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    rows = ("⏳|", "✅|", "漢字|", "e\u0301|", "─│╭⠋|", "🙂|", "1\ufe0f\u20e3|")
    await bench.show(pane.ref, *rows)
    frame = await frame_when(bench, pane.ref, lambda f: f.rows[6].endswith("|"))
    assert frame.rows[:7] == rows


async def test_many_reads_at_once_are_all_answered(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    other = await bench.add_pane()
    await bench.show(pane.ref, "one")
    await bench.show(other, "two")
    await frame_when(bench, pane.ref, lambda f: f.rows[0] == "one")
    await frame_when(bench, other, lambda f: f.rows[0] == "two")
    frames = await asyncio.gather(*(bench.mux.screen(ref) for ref in [pane.ref, other] * 20))
    assert [frame.rows[0] for frame in frames] == ["one", "two"] * 20


async def test_a_pane_that_vanishes_while_it_is_read_is_gone(bench: MultiplexerBench) -> None:
    await bench.start_server()
    pane = await bench.add_pane()

    async def read_until_gone() -> None:
        while True:
            assert (await bench.mux.screen(pane)).height == 24

    reading = asyncio.gather(*(read_until_gone() for _ in range(3)), return_exceptions=True)
    await asyncio.sleep(0)
    await bench.close_pane(pane)
    for outcome in await asyncio.wait_for(reading, 60):
        assert isinstance(outcome, PaneGone)
    assert len((await bench.mux.list()).panes) == 1


async def test_scrollback_gives_the_last_rows_oldest_first(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, *[f"row {number}" for number in range(24)])
    await frame_when(bench, pane.ref, lambda f: f.rows[23] == "row 23")
    last = await bench.mux.scrollback(pane.ref, 3)
    assert last.rows == ("row 21", "row 22", "row 23")
    assert (last.height, last.kept, last.alternate) == (24, 0, False)
    assert (await bench.mux.scrollback(pane.ref, 0)).rows == ()
    assert len((await bench.mux.scrollback(pane.ref, 5000)).rows) == 24


async def test_each_row_of_a_scrollback_stands_alone(bench: MultiplexerBench) -> None:
    pane = await first_pane(bench)
    await bench.show(pane.ref, "\x1b[31mred", "still red\x1b[0m", "plain")
    await frame_when(bench, pane.ref, lambda f: f.rows[2] == "plain")
    history = await bench.mux.scrollback(pane.ref, 24)
    assert history.rows[:3] == ("red", "still red", "plain")
    assert "31" in history.ansi[1] and "31" not in history.ansi[2]
