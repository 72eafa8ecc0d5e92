"""Tabs that were opened for an operation: none is left behind empty, none is called dead without a look."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.kit.clock import SystemClock
from controlroom.kit.supervise import Tasks
from controlroom.node.mux.base import PaneBusy, PaneRef, PaneUnsure
from controlroom.node.mux.herdr.link import Link
from controlroom.node.mux.herdr.protocol import LONGEST_REQUEST
from tests.integration.mux.test_herdr_trouble import is_dead
from tests.support.multiplexers import HerdrBench, first_pane
from tests.support.waiting import until


async def opened(bench: HerdrBench, near: PaneRef, *argv: str) -> PaneRef:
    return await bench.mux.open_window(near, name="pears", folder="/", environment={}, argv=argv)


async def test_a_tab_whose_opening_is_broken_off_is_closed_again(
    herdr_bench: HerdrBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controlroom.node.mux.herdr.adapter.PROMPT_EVERY_S", 0.01)
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    herdr.new_shell_looks = 1_000_000
    tasks = Tasks("test")
    tasks.start("open", opened(herdr_bench, near, "sleep", "9"))
    looked_at = ("pane.process_info", {"pane_id": "w1:p2"})
    await until(lambda: herdr.socket.asked.count(looked_at) > 1, "it waits for a prompt")
    assert len(herdr.panes) == 2
    await tasks.aclose()
    assert list(herdr.panes) == [near.id]


async def test_a_tab_in_which_nothing_could_be_typed_is_closed_again(herdr_bench: HerdrBench) -> None:
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    with pytest.raises(PaneBusy, match="Nothing was sent"):
        await opened(herdr_bench, near, "x" * LONGEST_REQUEST)
    assert list(herdr.panes) == [near.id]


async def test_a_tab_in_which_something_may_run_stays(herdr_bench: HerdrBench) -> None:
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    herdr.socket.loses_answers = {"pane.send_input"}
    with pytest.raises(PaneUnsure):
        await opened(herdr_bench, near, "sleep", "9")
    assert len(herdr.panes) == 2


async def test_a_program_whose_end_was_not_seen_goes_on(
    herdr_bench: HerdrBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known of its processes is from before it began."""
    monkeypatch.setattr("controlroom.node.mux.herdr.link.BEGINS_WITHIN_S", 0.0)
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    place = await opened(herdr_bench, near, "sleep", "9")
    await herdr_bench.mux.list()
    herdr.panes[place.id].foreground = 7  # the program runs
    herdr.socket.unknown_methods = {"pane.process_info"}
    await herdr_bench.mux.keep(place, is_kept=True)
    assert not await is_dead(herdr_bench, place)
    herdr.socket.unknown_methods = set()
    assert not await is_dead(herdr_bench, place)
    herdr.panes[place.id].foreground = herdr.panes[place.id].shell_pid
    assert await is_dead(herdr_bench, place)


async def test_nothing_is_remembered_of_tabs_that_are_gone(herdr_bench: HerdrBench) -> None:
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    link = Link(near.server, SystemClock(), lambda: None, 30.0)
    for pane in (herdr.add_pane(), herdr.add_pane()):
        link.opened.add(pane.pane_id)
    await link.listing()
    herdr.drop_pane(pane)
    await link.listing()
    assert link.opened == {"w1:p2"}
    await link.aclose()


async def test_a_server_that_came_back_is_not_gone(herdr_bench: HerdrBench) -> None:
    near = (await first_pane(herdr_bench)).ref
    herdr = herdr_bench.servers["default"]
    link = Link(near.server, SystemClock(), lambda: None, 30.0)
    await herdr.stop()
    assert (await link.listing(), link.is_gone) == ((None, ()), True)
    await herdr.start()
    server, panes = await link.listing()
    assert server is not None and len(panes) == 1 and not link.is_gone
    await link.aclose()


async def test_of_two_listings_that_wait_for_a_look_both_tell_what_came_after_it(
    herdr_bench: HerdrBench,
) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    await herdr_bench.mux.list()
    herdr.socket.delay_s["pane.process_info"] = 0.1  # the snapshot is taken, and the look goes on
    await herdr_bench.add_pane()

    def looks() -> int:
        return sum(method == "session.snapshot" for method, _ in herdr.socket.asked)

    before = looks()
    first = asyncio.create_task(herdr_bench.mux.list())
    await until(lambda: looks() > before, "a look")
    newest = await herdr_bench.add_pane()
    listings = await asyncio.gather(herdr_bench.mux.list(), herdr_bench.mux.list())
    assert all(newest in [pane.ref for pane in listing.panes] for listing in listings)
    await first
