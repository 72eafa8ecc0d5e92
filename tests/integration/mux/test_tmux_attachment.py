"""Our client is sent away, killed or loses its session: we are back before anybody asks."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from controlroom.node.mux.base import PaneGone, PaneUnsure
from tests.support.multiplexers import TmuxBench, first_pane
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until


async def test_when_our_session_ends_we_go_to_the_next_oldest(tmux_bench: TmuxBench) -> None:
    await tmux_bench.start_server()
    server = tmux_bench.servers["default"]
    for _ in range(2):
        await tmux_bench.add_pane()
    for left in (3, 2, 1):
        listing = await tmux_bench.mux.list()
        assert len(listing.panes) == left
        assert [each.state for each in listing.servers] == ["ok"]
        oldest = server.run("list-clients", "-F", "#{session_name}")
        assert oldest == f"s{3 - left}"
        server.run("kill-session", "-t", f"={oldest}")
    assert not (await tmux_bench.mux.list()).servers


async def test_when_a_person_detaches_everybody_we_come_back(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    for _ in range(3):
        server.run("detach-client", "-s", "s0")
        assert len((await tmux_bench.mux.list()).panes) == 1
        assert (await tmux_bench.mux.screen(pane.ref)).height == 24


async def test_what_is_typed_as_our_session_ends_is_never_typed_twice(tmux_bench: TmuxBench) -> None:
    await tmux_bench.start_server()
    server = tmux_bench.servers["default"]
    pane = await tmux_bench.add_pane()
    await tmux_bench.mux.list()
    assert server.run("list-clients", "-F", "#{session_name}") == "s0"
    server.run("kill-session", "-t", "=s0")
    with suppress(PaneUnsure):  # sent to a client that had just been sent away
        await tmux_bench.mux.keys(pane, ["1"])
    await tmux_bench.mux.keys(pane, ["2"])
    await until(lambda: tmux_bench.received(pane).endswith(b"2"), "the next key")
    assert tmux_bench.received(pane) in (b"2", b"12")


async def test_a_killed_client_is_replaced(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    (client,) = server.clients()
    os.kill(int(client), signal.SIGKILL)
    assert (await tmux_bench.mux.screen(pane.ref)).height == 24
    await until(lambda: server.clients() not in ([], [client]), "another client")
    assert (await tmux_bench.mux.screen(pane.ref)).height == 24


ATTACH_AND_WAIT = """
import asyncio, os
from controlroom.kit.clock import SystemClock
from controlroom.node.mux.tmux import multiplexer

async def main():
    mux = multiplexer(environment=os.environ, clock=SystemClock())
    await mux.start()
    await mux.list()
    await asyncio.sleep(1000)

asyncio.run(main())
"""


async def test_a_killed_control_room_leaves_no_client_behind(tmux_folder: TmuxFolder) -> None:
    server = tmux_folder.server()
    server.session("s")
    environment = tmux_folder.environment | {"PYTHONPATH": os.pathsep.join(sys.path)}
    room = subprocess.Popen([sys.executable, "-c", ATTACH_AND_WAIT], env=environment)
    try:
        (client,) = await until(server.clients, "it attaches")
    finally:
        room.kill()
        room.wait()
    await until(lambda: not server.clients(), "the server forgot the client")
    await until(lambda: not Path(f"/proc/{client}").exists(), "its process ended")
    assert server.is_alive()


async def test_the_socket_file_may_vanish_while_we_are_attached(tmux_bench: TmuxBench) -> None:
    """Cleaners of /tmp do that; the server and its agents live on."""
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    hidden = str(tmux_bench.folder.path / "hidden")
    os.rename(server.path, hidden)
    try:
        assert [each.ref for each in (await tmux_bench.mux.list()).panes] == [pane.ref]
        assert (await tmux_bench.mux.screen(pane.ref)).height == 24
    finally:
        os.rename(hidden, server.path)


async def test_a_server_that_ends_while_everybody_asks_disturbs_nobody_else(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    await tmux_bench.start_server("work")
    work = next(p for p in (await tmux_bench.mux.list()).panes if p.ref.server != pane.ref.server)

    async def read_until_gone() -> None:
        while True:
            await tmux_bench.mux.screen(pane.ref)

    reading = [asyncio.ensure_future(read_until_gone()) for _ in range(5)]
    await tmux_bench.mux.screen(pane.ref)
    await tmux_bench.kill_server("default", hard=True)
    outcomes = await asyncio.wait_for(asyncio.gather(*reading, return_exceptions=True), 60)
    assert {type(outcome) for outcome in outcomes} == {PaneGone}
    assert [each.ref for each in (await tmux_bench.mux.list()).panes] == [work.ref]
    assert (await tmux_bench.mux.screen(work.ref)).height == 24


async def test_a_server_that_is_restarted_at_once_is_read_again(tmux_bench: TmuxBench) -> None:
    for _ in range(3):
        pane = await first_pane(tmux_bench)
        assert (await tmux_bench.mux.screen(pane.ref)).height == 24
        await tmux_bench.kill_server("default", hard=True)
    with pytest.raises(PaneGone):
        await tmux_bench.mux.screen(pane.ref)


async def test_a_server_without_sessions_is_fine_and_gets_its_first_pane(tmux_bench: TmuxBench) -> None:
    await tmux_bench.start_server()
    server = tmux_bench.servers["default"]
    server.run("set-option", "-s", "exit-empty", "off")
    await tmux_bench.mux.list()
    server.run("kill-session", "-t", "=s0")
    listing = await tmux_bench.mux.list()
    assert ([each.state for each in listing.servers], listing.panes) == (["ok"], ())
    await tmux_bench.add_pane()

    async def is_there() -> bool:
        return len((await tmux_bench.mux.list()).panes) == 1

    await until(is_there, "the first pane of the empty server")
