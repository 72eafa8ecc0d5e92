"""Servers that cannot be used: each gets a sentence, and the others are as complete as ever."""

from __future__ import annotations

import os
import signal
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controlroom.kit.clock import SystemClock
from controlroom.node.mux.base import Listing, PaneBusy, PaneUnsure, Server
from controlroom.node.mux.tmux import TmuxMultiplexer, adapter, multiplexer
from controlroom.node.mux.watch import Sockets
from tests.support.multiplexers import TmuxBench, first_pane
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until


async def listing_of(folder: TmuxFolder, *, sockets: Sockets = "auto", path: str | None = None) -> Listing:
    """What a multiplexer that is started now finds."""
    environment = folder.environment | ({} if path is None else {"PATH": path})
    mux = multiplexer(environment=environment, sockets=sockets, clock=SystemClock())
    await mux.start()
    try:
        return await mux.list()
    finally:
        await mux.aclose()


def stub(folder: TmuxFolder, script: str) -> str:
    """A PATH with another program as tmux."""
    place = folder.path / "bin"
    place.mkdir()
    program = place / "tmux"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return f"{place}:/usr/bin:/bin"


@contextmanager
def listening(path: Path, answer: bytes = b"") -> Iterator[None]:
    """Another program behind a socket: it says ``answer`` and nothing else."""
    path.parent.mkdir(mode=0o700, exist_ok=True)
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(path))
    door.listen(8)
    callers: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                caller, _ = door.accept()
            except OSError:
                return
            callers.append(caller)
            if answer:
                try:
                    caller.sendall(answer)
                except OSError:
                    pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        door.shutdown(socket.SHUT_RDWR)
        door.close()
        thread.join()
        for caller in callers:
            caller.close()


async def test_without_tmux_one_sentence_says_so(tmux_folder: TmuxFolder) -> None:
    listing = await listing_of(tmux_folder, path=str(tmux_folder.path))
    assert listing == Listing(servers=(), panes=(), problem="tmux is not installed, or not in PATH.")


async def test_an_old_tmux_is_named_with_its_version(tmux_folder: TmuxFolder) -> None:
    listing = await listing_of(tmux_folder, path=stub(tmux_folder, "echo tmux 3.1c"))
    assert listing.problem == "tmux 3.1c is too old; 3.2 or newer is needed."


async def test_a_tmux_that_cannot_run_is_a_sentence(tmux_folder: TmuxFolder) -> None:
    listing = await listing_of(tmux_folder, path=stub(tmux_folder, "echo libevent is missing >&2; exit 127"))
    assert listing.problem.endswith("/bin/tmux cannot be run: libevent is missing.")


async def test_an_old_server_that_still_runs_is_named(tmux_folder: TmuxFolder) -> None:
    script = """case "$*" in -V) echo tmux 3.3a;; *list-sessions*) echo '12|34|2.9a|$0|56|0';; esac"""
    with listening(tmux_folder.sockets / "old"):
        (server,) = (await listing_of(tmux_folder, path=stub(tmux_folder, script))).servers
    assert (server.state, server.version) == ("too_old", "2.9a")
    assert "3.2 or newer" in server.problem and server.path in server.problem


@pytest.mark.parametrize("said", ["server version is too old for client", "protocol version mismatch (8, 7)"])
async def test_a_server_of_another_protocol_is_named(tmux_folder: TmuxFolder, said: str) -> None:
    script = f"""case "$*" in -V) echo tmux 3.3a;; *) echo '{said}' >&2; exit 1;; esac"""
    with listening(tmux_folder.sockets / "old"):
        (server,) = (await listing_of(tmux_folder, path=stub(tmux_folder, script))).servers
    assert server.state == "too_old"
    assert said in server.problem


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 4096, b"%begin 1 1 1\n"])
async def test_another_program_behind_a_socket_is_trouble(tmux_folder: TmuxFolder, answer: bytes) -> None:
    tmux_folder.server("good").session("s")
    with listening(tmux_folder.sockets / "odd", answer):
        listing = await listing_of(tmux_folder)
    states = {Path(server.path).name: server.state for server in listing.servers}
    assert states == {"good": "ok", "odd": "failing"}
    assert all(server.problem for server in listing.servers if server.state != "ok")
    assert len(listing.panes) == 1


async def test_a_program_that_never_answers_holds_up_nothing_for_long(tmux_folder: TmuxFolder) -> None:
    tmux_folder.server("good").session("s")
    mux = multiplexer(environment=tmux_folder.environment, clock=SystemClock())
    await mux.start()
    with listening(tmux_folder.sockets / "odd"):
        listing = await mux.list()
        assert len(listing.panes) == 1

        async def is_named() -> bool:
            return "does not answer as a tmux server" in (await odd_server(mux)).problem

        await until(is_named)
    await mux.aclose()


async def odd_server(mux: TmuxMultiplexer) -> Server:
    return next(server for server in (await mux.list()).servers if server.path.endswith("odd"))


async def test_sockets_left_behind_and_other_files_are_no_servers(tmux_folder: TmuxFolder) -> None:
    dead = tmux_folder.server("dead")
    dead.session("s")
    dead.kill(hard=True)
    assert stat.S_ISSOCK(os.stat(dead.path).st_mode)
    (tmux_folder.sockets / "file").write_text("no socket")
    (tmux_folder.sockets / "folder").mkdir()
    (tmux_folder.sockets / "loop").symlink_to("loop")
    assert await listing_of(tmux_folder) == Listing(servers=(), panes=())


async def test_a_folder_that_cannot_be_read_is_a_sentence(tmux_folder: TmuxFolder) -> None:
    tmux_folder.environment["TMUX_TMPDIR"] = "/" + "x" * 5000
    listing = await listing_of(tmux_folder)
    assert "cannot be read: File name too long" in listing.problem


async def test_named_sockets_are_the_only_ones(tmux_folder: TmuxFolder) -> None:
    for name in ("one", "two"):
        tmux_folder.server(name).session("s")
    wanted = str(tmux_folder.sockets / "two")
    listing = await listing_of(tmux_folder, sockets=[wanted, wanted, "/nowhere/at-all", "/" + "x" * 300])
    assert [server.path for server in listing.servers if server.state == "ok"] == [wanted]
    assert [server.state for server in listing.servers] == ["ok", "failing"]  # no path can be that long


async def test_a_stopped_server_is_trouble_and_the_others_go_on(tmux_bench: TmuxBench) -> None:
    pane = await first_pane(tmux_bench)
    await tmux_bench.start_server("work")
    await tmux_bench.mux.list()
    stopped = tmux_bench.servers["default"]
    os.kill(stopped.pid, signal.SIGSTOP)
    try:
        listing = await tmux_bench.mux.list()
        states = {Path(server.path).name: server.state for server in listing.servers}
        assert states == {"default": "failing", "work": "ok"}
        assert len(listing.panes) == 1
        with pytest.raises(PaneBusy, match="does not answer"):
            await tmux_bench.mux.screen(pane.ref)
        with pytest.raises(PaneBusy):
            await tmux_bench.mux.keys(pane.ref, ["1"])
    finally:
        os.kill(stopped.pid, signal.SIGCONT)

    async def is_well() -> bool:
        return [server.state for server in (await tmux_bench.mux.list()).servers] == ["ok", "ok"]

    await until(is_well, "it is used again", 60)
    assert tmux_bench.received(pane.ref) == b""


async def test_typing_whose_answer_is_lost_says_that_it_is_not_sure(
    tmux_bench: TmuxBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "TYPE_TIMEOUT_S", 0.5)  # it never answers, however long one waits
    pane = await first_pane(tmux_bench)
    stopped = tmux_bench.servers["default"]
    os.kill(stopped.pid, signal.SIGSTOP)
    try:
        with pytest.raises(PaneUnsure):
            await tmux_bench.mux.keys(pane.ref, ["1"])
    finally:
        os.kill(stopped.pid, signal.SIGCONT)
    await until(lambda: tmux_bench.received(pane.ref) == b"1", "it arrives after all")
