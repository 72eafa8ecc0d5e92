"""Herdr's servers that are slow or stall: nothing else waits for them, and nothing old is told as new."""

from __future__ import annotations

import asyncio
import time

import pytest

from controlroom.kit.clock import SystemClock
from controlroom.kit.process import ProcProcesses
from controlroom.node.mux.base import PaneBusy
from controlroom.node.world import PaneWorld
from controlroom.testing.fake_multiplexer import FakeMultiplexer
from tests.integration.mux.test_herdr_trouble import state_of
from tests.support.multiplexers import HerdrBench, first_pane
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until


async def test_a_server_that_stalls_holds_up_nobody(tmux_folder: TmuxFolder) -> None:
    bench = HerdrBench(tmux_folder.path, patience_s=0.05)
    await bench.start_server()
    fake = FakeMultiplexer()
    fake.add_server().add_pane()
    world = PaneWorld((fake, bench.mux), ProcProcesses(), SystemClock())

    async def both() -> bool:
        await world.refresh()
        return len(world.listing.panes) == 2

    await until(both, "both multiplexers are listed")
    bench.servers["default"].socket.delay_s[""] = 3600.0
    began = time.monotonic()
    for _ in range(20):
        await world.refresh()
        assert len(world.listing.panes) == 2  # as it was seen last: it may just be busy
    assert time.monotonic() - began < 5.0
    await bench.close()


async def test_a_server_that_was_slow_once_is_waited_for_again(tmux_folder: TmuxFolder) -> None:
    bench = HerdrBench(tmux_folder.path, patience_s=0.05)
    await bench.start_server()
    herdr = bench.servers["default"]
    herdr.socket.delay_s[""] = 0.2
    assert (await bench.mux.list()).panes == ()  # not known yet
    herdr.socket.delay_s.clear()

    async def knows_the_newest() -> bool:
        newest = await bench.add_pane()
        return newest in [pane.ref for pane in (await bench.mux.list()).panes]

    await until(knows_the_newest, "what happened before a listing is in it")
    await bench.close()


async def test_a_listing_never_tells_what_was_read_before_it(herdr_bench: HerdrBench) -> None:
    await herdr_bench.start_server()
    herdr = herdr_bench.servers["default"]
    await herdr_bench.mux.list()
    herdr.socket.delay_s["pane.process_info"] = 0.1  # the snapshot is taken, and the look goes on
    await herdr_bench.add_pane()
    looked = sum(method == "session.snapshot" for method, _ in herdr.socket.asked)
    first = asyncio.create_task(herdr_bench.mux.list())
    await until(
        lambda: sum(method == "session.snapshot" for method, _ in herdr.socket.asked) > looked, "a look"
    )
    newest = await herdr_bench.add_pane()
    assert newest in [pane.ref for pane in (await herdr_bench.mux.list()).panes]
    await first


async def test_a_stall_that_lasts_is_said(herdr_bench: HerdrBench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controlroom.node.mux.herdr.client.CALL_TIMEOUT_S", 0.05)
    monkeypatch.setattr("controlroom.node.mux.herdr.link.FRESH_S", 0.1)
    bench = HerdrBench(herdr_bench.folder, patience_s=0.01)
    bench.servers = herdr_bench.servers
    await herdr_bench.start_server()
    await until(lambda: listed(bench), "its pane")
    bench.servers["default"].socket.delay_s[""] = 3600.0
    listing = await state_of(bench, "failing")
    assert "does not answer" in listing.servers[0].problem and not listing.panes
    bench.servers["default"].socket.delay_s.clear()
    await state_of(bench, "ok")
    await bench.mux.aclose()


async def test_after_one_screen_that_stalls_none_is_waited_for(
    herdr_bench: HerdrBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look at a fleet would wait for each pane in turn."""
    pane = (await first_pane(herdr_bench)).ref
    other = await herdr_bench.add_pane()
    await herdr_bench.mux.list()
    delays = herdr_bench.servers["default"].socket.delay_s
    delays["pane.read"] = 3600.0
    with monkeypatch.context() as short:
        short.setattr("controlroom.node.mux.herdr.adapter.READ_TIMEOUT_S", 0.05)
        with pytest.raises(PaneBusy, match="no answer in"):
            await herdr_bench.mux.screen(pane)
    for ref in [pane, other] * 10:
        with pytest.raises(PaneBusy, match="at the moment"):
            await herdr_bench.mux.screen(ref)
    with pytest.raises(PaneBusy, match="at the moment"):
        await herdr_bench.mux.keys(other, ["Enter"])
    assert herdr_bench.received(other) == b""
    delays.clear()

    async def is_read() -> bool:
        try:
            return (await herdr_bench.mux.screen(other)).height == 24
        except PaneBusy:
            return False

    await until(is_read, "it answers again")


async def listed(bench: HerdrBench) -> bool:
    return bool((await bench.mux.list()).panes)
