"""What a person with tmux notices of us: one more client in a list, and nothing else."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlroom.kit.clock import FakeClock, SystemClock
from controlroom.node.mux.base import PaneRef
from controlroom.node.mux.tmux import multiplexer
from tests.support.multiplexers import TmuxBench, first_pane
from tests.support.tmux import TmuxFolder, TmuxServer
from tests.support.waiting import until, until_now


@contextmanager
def person_attached(server: TmuxServer, session: str, columns: int, lines: int) -> Iterator[str]:
    """A person's own terminal of this size, attached to the session; the name of its tmux client."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    name = os.ttyname(theirs)
    subprocess.run(["stty", "-F", name, "cols", str(columns), "rows", str(lines)], check=True)
    client = subprocess.Popen(
        ["tmux", "-L", server.name, "attach-session", "-t", f"={session}"],
        env=server.environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        until_now(lambda: name in server.run("list-clients", "-F", "#{client_tty}"), "the person attaches")
        yield name
    finally:
        client.kill()
        client.wait()
        os.close(ours)


def sizes(server: TmuxServer) -> str:
    clients = server.run("list-clients", "-F", "#{client_tty} #{client_width} #{client_height}")
    attached = "\n".join(row for row in clients.split("\n") if row.startswith("/dev"))
    return attached + server.run("list-windows", "-a", "-F", "#{window_id} #{window_width} #{window_height}")


async def use_everything(bench: TmuxBench, pane: PaneRef) -> None:
    await bench.mux.list()
    await bench.mux.screen(pane)
    await bench.mux.scrollback(pane, 50)
    await bench.mux.paste(pane, "typed by us")
    await bench.mux.keys(pane, ["Enter"])
    await bench.mux.set_hint(pane, "agt_1")


async def test_an_attached_person_keeps_the_size(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    with person_attached(server, "s0", 101, 31):
        await until(lambda: server.get(pane.ref.id, "pane_width") == "101", "their size counts")
        before = sizes(server)
        await use_everything(tmux_bench, pane.ref)
        assert sizes(server) == before
        frame = await tmux_bench.mux.screen(pane.ref)
        assert (frame.width, frame.height) == (101, 30)


async def test_a_person_who_comes_after_us_gets_their_own_size(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    await use_everything(tmux_bench, pane.ref)
    with person_attached(server, "s0", 63, 20):
        await until(lambda: server.get(pane.ref.id, "pane_width") == "63", "their size counts")
        await use_everything(tmux_bench, pane.ref)
        assert server.get(pane.ref.id, "pane_height") == "19"
    await use_everything(tmux_bench, pane.ref)
    assert server.get(pane.ref.id, "pane_width") == "63"


async def test_the_sessions_environment_stays(tmux_bench: TmuxBench) -> None:
    """An attach without ``-E`` took SSH_AUTH_SOCK and DISPLAY out of the person's session."""
    await tmux_bench.start_server()
    server = tmux_bench.servers["default"]
    server.run("set-environment", "-t", "s0", "SSH_AUTH_SOCK", "/home/ada/agent")
    server.run("set-environment", "-t", "s0", "DISPLAY", ":7")
    before = server.run("show-environment", "-t", "s0")
    assert (await tmux_bench.mux.list()).panes
    assert server.run("show-environment", "-t", "s0") == before


async def test_what_is_typed_stays_in_no_buffer_and_no_log(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    server.run("set-buffer", "the person's own")
    before = server.run("list-buffers")
    await tmux_bench.mux.paste(pane.ref, "a very private text")
    assert server.run("list-buffers") == before
    with person_attached(server, "s0", 80, 25) as client:
        log = server.run("show-messages", "-t", client)
    assert "paste-buffer" in log
    assert "very private" not in log


async def test_texts_that_a_killed_control_room_left_are_taken_away(tmux_folder: TmuxFolder) -> None:
    server = tmux_folder.server()
    server.session("s")
    for name in ("controlroom-0123456789abcdef", "controlroom-notes", "theirs"):
        server.run("set-buffer", "-b", name, "a private text")
    clock = FakeClock(at_ms=int(server.run("display-message", "-p", "#{start_time}")) * 1000 + 90_000)
    mux = multiplexer(environment=tmux_folder.environment, clock=clock)
    await mux.start()
    await mux.list()
    left = server.run("list-buffers", "-F", "#{buffer_name}").split()
    await mux.aclose()
    assert sorted(left) == ["controlroom-notes", "theirs"]


async def test_one_client_for_each_server_and_none_afterwards(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    for _ in range(3):
        await use_everything(tmux_bench, pane.ref)
    (client,) = server.clients()
    await tmux_bench.mux.aclose()
    assert not Path(f"/proc/{client}").exists()
    await until(lambda: not server.clients(), "the server forgot our client")


async def test_no_program_of_a_pane_sees_anything_of_our_environment(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    server = tmux_bench.server_of(pane.ref)
    (client,) = server.clients()
    environment = Path(f"/proc/{client}/environ").read_bytes()
    assert b"TMUX=" not in environment and b"DISPLAY=" not in environment


async def test_a_persons_hooks_do_not_disturb_us(tmux_bench: TmuxBench) -> None:
    await tmux_bench.start_server()
    server = tmux_bench.servers["default"]
    for hook in ("client-attached", "after-list-panes", "after-capture-pane", "after-display-message"):
        server.run("set-hook", "-g", hook, "run-shell 'echo from a hook'")
    server.run("set-hook", "-ga", "after-list-panes", "list-sessions")
    for _ in range(3):
        (pane,) = (await tmux_bench.mux.list()).panes
        assert (await tmux_bench.mux.screen(pane.ref)).height == 24


async def test_a_session_that_lives_only_while_watched_is_not_kept_alive(tmux_folder: TmuxFolder) -> None:
    server = tmux_folder.server()
    server.session("theirs")
    with person_attached(server, "theirs", 80, 25):
        server.run("set-option", "-t", "=theirs:", "destroy-unattached", "on")
        server.session("other")
        mux = multiplexer(environment=tmux_folder.environment, clock=SystemClock())
        await mux.start()
        assert len((await mux.list()).panes) == 2
        ours = server.run("list-clients", "-F", "#{client_control_mode} #{session_name}")
        assert "1 other" in ours.split("\n")

    def is_over() -> bool:
        return server.run("list-sessions", "-F", "#{session_name}") == "other"

    await until(is_over, "the session ends with its person's client")
    assert len((await mux.list()).panes) == 1
    await mux.aclose()
