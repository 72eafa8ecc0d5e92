"""What a pane keeps above its screen, and whether its program echoes, with a real tmux."""

from __future__ import annotations

import asyncio

import pytest

from controlroom.kit.clock import SystemClock
from controlroom.kit.process import ProcProcesses
from controlroom.node.mux.base import PaneBusy, PaneRef
from controlroom.node.watch import Mirror
from controlroom.node.world import PaneWorld
from tests.support.multiplexers import TmuxBench, first_pane
from tests.support.waiting import until

COUNT = "seq 1 60; exec sleep 100000"
PASSWORD = "stty -echo; printf 'Password: '; read secret; stty echo; echo thanks; exec sleep 100000"


async def pane_of(bench: TmuxBench, script: str) -> tuple[PaneRef, str]:
    server = bench.server_of((await first_pane(bench)).ref)
    return PaneRef("tmux", server.path, pane := server.session("more", "sh", "-c", script)), pane


async def test_rows_that_scrolled_away_are_above_the_screen(tmux_bench: TmuxBench) -> None:
    ref, pane = await pane_of(tmux_bench, COUNT)
    server = tmux_bench.server_of(ref)
    await until(lambda: "60" in server.text(pane), "it has counted")
    history = await tmux_bench.mux.scrollback(ref, 2000)
    assert history.rows[:60] == tuple(str(number) for number in range(1, 61))
    assert (history.height, history.kept) == (24, len(history.rows) - 24)
    few = await tmux_bench.mux.scrollback(ref, 30)
    assert few.rows == history.rows[-30:]


async def test_a_full_screen_program_stands_below_what_was_before_it(tmux_bench: TmuxBench) -> None:
    ref, pane = await pane_of(tmux_bench, COUNT)
    server = tmux_bench.server_of(ref)
    await until(lambda: "60" in server.text(pane), "it has counted")
    server.show(pane, b"\x1b[?1049h\x1b[2J\x1b[Hediting")
    await until(lambda: "editing" in server.text(pane), "the program has the screen")
    history = await tmux_bench.mux.scrollback(ref, 2000)
    assert history.alternate
    assert history.rows[-24] == "editing"
    assert history.rows[0] == "1"


async def test_watchers_hear_when_a_password_is_read(tmux_bench: TmuxBench) -> None:
    """Also when the screen stays as it is: the flag comes with the same revision again."""
    ref, pane = await pane_of(tmux_bench, PASSWORD)
    world = PaneWorld([tmux_bench.mux], ProcProcesses(), SystemClock())
    await world.refresh()
    mirror = Mirror(world)
    try:
        async for sight in mirror.watch(ref):
            if sight.frame.rows[0].startswith("Password:") and sight.echo is False:
                break
        await tmux_bench.mux.keys(ref, ["x", "Enter"])
        async for sight in mirror.watch(ref):
            if sight.echo is True:
                break
        await until(lambda: "thanks" in tmux_bench.server_of(ref).text(pane), "it has read")
    finally:
        await mirror.aclose()


async def test_a_pane_that_cannot_be_read_is_not_shown_as_live(
    tmux_bench: TmuxBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever watches hears the end; watching begins anew when it can be read again."""
    monkeypatch.setattr("controlroom.node.watch.STUCK_S", 0.0)
    ref, _ = await pane_of(tmux_bench, COUNT)
    world = PaneWorld([tmux_bench.mux], ProcProcesses(), SystemClock())
    await world.refresh()
    mirror = Mirror(world)

    async def busy(pane: PaneRef) -> None:
        raise PaneBusy("It does not answer.")

    try:
        async with asyncio.timeout(30):
            async for _ in mirror.watch(ref):
                monkeypatch.setattr(world, "frame", busy)
        monkeypatch.undo()
        async with asyncio.timeout(30):
            async for sight in mirror.watch(ref):
                assert sight.frame.height == 24
                break
    finally:
        await mirror.aclose()
