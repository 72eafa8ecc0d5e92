"""Flow control, ends and leaks of the terminal channel, with real programs on real terminals."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.gateway.terminal.pty import INPUT_BYTES
from tests.integration.gateway.terminal_stage import (
    RecordingLink,
    Stage,
    say,
    shows,
    terminals_of_this_process,
)
from tests.support.tmux import TmuxFolder
from tests.support.waiting import until


@contextlib.asynccontextmanager
async def opened(folder: TmuxFolder, *, has_tmux: bool) -> AsyncIterator[Stage]:
    path = None
    if not has_tmux:
        path = str(folder.path / "bin")
        Path(path).mkdir()
        for program in ("yes", "stty", "cat", "head", "sleep"):
            found = shutil.which(program)
            assert found is not None
            (Path(path) / program).symlink_to(found)
    stage = Stage(folder, path=path)
    await stage.start()
    try:
        yield stage
    finally:
        await stage.aclose()


@pytest.fixture(params=["tmux", "bare"])
async def stage(request: pytest.FixtureRequest, tmux_folder: TmuxFolder) -> AsyncIterator[Stage]:
    """With tmux, and on a machine that has none."""
    async with opened(tmux_folder, has_tmux=request.param == "tmux") as stage:
        yield stage


@pytest.fixture
async def bare(tmux_folder: TmuxFolder) -> AsyncIterator[Stage]:
    async with opened(tmux_folder, has_tmux=False) as stage:
        yield stage


@pytest.fixture
async def with_tmux(tmux_folder: TmuxFolder) -> AsyncIterator[Stage]:
    async with opened(tmux_folder, has_tmux=True) as stage:
        yield stage


def sizes(link: RecordingLink) -> int:
    return sum(len(one["data"]) for one in link.of("terminal.output"))


async def rests(link: RecordingLink) -> int:
    """How much output was sent, once nothing more comes."""
    before = -1
    while before != sizes(link):
        before = sizes(link)
        await asyncio.sleep(0.3)
    return before


async def test_a_program_that_prints_without_end_waits_for_a_slow_phone(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="loud")
    await say(handler, "input", data="yes 0123456789abcdef\r")
    await until(lambda: sizes(link) > 200_000, "it prints")
    tracemalloc.start()
    try:
        link.hold()
        await asyncio.sleep(0.5)  # what would gather without flow control: tens of megabytes
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    printed = sizes(link)
    link.let_go()
    await until(lambda: sizes(link) > printed + 20_000, "it goes on")
    await say(handler, "input", data="\x03")
    await rests(link)
    await say(handler, "input", data="echo still-$((1+1))\r")
    await shows(link, "loud", "still-2")


async def test_the_loop_is_free_while_programs_print(stage: Stage) -> None:
    link, handler = await stage.socket()
    for name in ("one", "two"):
        await say(handler, "attach", session_name=name)
        await say(handler, "input", session_name=name, data="yes\r")
    await until(lambda: sizes(link) > 100_000, "they print")
    rounds = 0
    end = asyncio.get_running_loop().time() + 0.5
    while asyncio.get_running_loop().time() < end:
        await asyncio.sleep(0)
        rounds += 1
    assert rounds > 10


async def test_long_input_arrives_in_full_and_in_order(stage: Stage, tmux_folder: TmuxFolder) -> None:
    link, handler = await stage.socket()
    got = tmux_folder.path / "got"
    await say(handler, "attach", session_name="in")
    await say(handler, "input", data=f"stty raw -echo; echo re''ady; head -c 600000 > {got}\r")
    await shows(link, "in", "ready")
    sent = "".join(f"{number:06d}é\n" for number in range(60_000))[: 600_000 * 8 // 9]
    data = sent.encode()[:600_000].decode(errors="ignore")
    for at in range(0, len(data), 4_000):
        await say(handler, "input", data=data[at : at + 4_000])
    rest = 600_000 - len(data.encode())
    if rest > 0:
        await say(handler, "input", data="." * rest)
    await until(lambda: got.exists() and got.stat().st_size == 600_000, "all of it arrived")
    assert got.read_bytes() == data.encode() + b"." * max(rest, 0)
    assert link.of("terminal.error") == []


async def test_input_that_nobody_reads_is_refused_as_a_whole(bare: Stage) -> None:
    link, handler = await bare.socket()
    await say(handler, "attach", session_name="deaf")
    await say(handler, "input", data="stty raw -echo; echo re''ady; sleep 1000\r")
    await shows(link, "deaf", "ready")
    refused = 0
    for _ in range(INPUT_BYTES // 100_000 + 4):
        await say(handler, "input", "i", data="x" * 100_000)
        refused = len(link.of("terminal.error"))
    assert 0 < refused <= 4
    error = link.of("terminal.error")[0]
    assert error["session_name"] == "deaf" and "refused" in error["message"]


async def test_a_dropped_socket_leaves_nothing_behind(stage: Stage) -> None:
    open_before = len(os.listdir("/proc/self/fd"))
    link, handler = await stage.socket()
    pids = []
    for name in "abc":
        await say(handler, "attach", session_name=name)
        pids.append(link.of("terminal.attached")[-1]["pid"])
    await say(handler, "input", session_name="a", data="yes\r")
    await until(lambda: sizes(link) > 100_000, "it prints")
    link.drop()
    await handler.aclose("socket closed")
    assert terminals_of_this_process() == []
    assert not [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    if stage.terminals.has_tmux:
        assert stage.clients() == []
        assert len(stage.tmux.run("list-sessions").splitlines()) == 3
    await until(lambda: len(os.listdir("/proc/self/fd")) <= open_before, "all descriptors are closed")


async def test_a_socket_that_goes_while_it_attaches_leaves_nothing_behind(stage: Stage) -> None:
    link, handler = await stage.socket()
    attaching = asyncio.get_running_loop().create_task(say(handler, "attach", session_name="half"))
    for _ in range(3):
        await asyncio.sleep(0)
    attaching.cancel()
    await asyncio.wait({attaching})
    link.drop()
    await handler.aclose("socket closed")
    await stage.terminals.aclose()
    assert terminals_of_this_process() == []
    if stage.terminals.has_tmux:
        assert stage.clients() == []


async def test_a_kill_is_finished_when_the_socket_goes(with_tmux: Stage) -> None:
    link, handler = await with_tmux.socket()
    await say(handler, "attach", session_name="killed")
    killing = asyncio.get_running_loop().create_task(say(handler, "kill", session_name="killed"))
    await asyncio.sleep(0)
    link.drop()
    killing.cancel()
    await asyncio.wait({killing})
    await handler.aclose("socket closed")
    await with_tmux.terminals.aclose()
    assert with_tmux.tmux.run("list-sessions", check=False) == ""
    assert terminals_of_this_process() == []


async def test_an_expired_right_ends_the_output(stage: Stage) -> None:
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="s")
    await say(handler, "input", data="yes\r")
    await until(lambda: sizes(link) > 10_000, "it prints")
    link.has_right = False
    await until(lambda: link.of("terminal.detached"), "the session ends")
    shown = sizes(link)
    texts = [payload["message"] for kind, payload, _ in link.sent if kind == "system.error"]
    assert texts == ["Terminal grant expired for this device"]
    assert link.of("terminal.detached") == [{"session_name": "s", "reason": "grant expired"}]
    assert terminals_of_this_process() == []
    assert sizes(link) == shown


async def test_a_shutdown_is_said_on_each_session(stage: Stage) -> None:
    link, handler = await stage.socket()
    for name in "ab":
        await say(handler, "attach", session_name=name)
    await handler.aclose("server shutdown")
    reasons = {one["session_name"]: one["reason"] for one in link.of("terminal.detached")}
    assert reasons == {"a": "server shutdown", "b": "server shutdown"}
    assert terminals_of_this_process() == []


async def test_a_shell_in_tmux_survives_a_restart(with_tmux: Stage) -> None:
    link, handler = await with_tmux.socket()
    await say(handler, "attach", session_name="keep")
    await say(handler, "input", data="MARK=kept; echo se''t\r")
    await shows(link, "keep", "set")
    await with_tmux.restart()
    link, handler = await with_tmux.socket()
    await say(handler, "attach", session_name="keep")
    assert link.of("terminal.attached")[0]["reattach"] is True
    await say(handler, "input", data="echo mark=$MARK\r")
    await shows(link, "keep", "mark=kept")


async def test_characters_survive_a_burst(stage: Stage, tmux_folder: TmuxFolder) -> None:
    burst = tmux_folder.path / "burst"
    burst.write_text("é€𝄞" * 6000 + "\nend-of-burst\n")
    link, handler = await stage.socket()
    await say(handler, "attach", session_name="wide")
    await say(handler, "input", data=f"cat {burst}\r")
    await shows(link, "wide", "end-of-burst")
    assert "\ufffd" not in link.output("wide")
    assert max(len(one["data"].encode()) for one in link.of("terminal.output")) <= 12_287


async def test_without_tmux_a_login_shell_is_shown_and_ends_with_its_socket(bare: Stage) -> None:
    link, handler = await bare.socket()
    await say(handler, "attach", session_name="bare", cols=90, rows=20)
    attached = link.of("terminal.attached")[0]
    assert (attached["tmux_available"], attached["reattach"]) == (False, False)
    await say(handler, "input", data="echo $0 $TERM $COLORTERM $HERMES_RELAY_TERMINAL; stty size\r")
    await shows(link, "bare", "xterm-256color truecolor bare")
    await shows(link, "bare", "20 90")
    await say(handler, "list")
    row = {"name": "bare", "pid": attached["pid"], "shell": "/bin/sh", "live": True, "owned_by_client": True}
    assert link.of("terminal.sessions")[-1] == {"sessions": [row], "tmux_available": False}
    await say(handler, "kill", session_name="bare")
    assert link.of("terminal.detached") == [{"session_name": "bare", "reason": "client kill"}]
    assert not Path(f"/proc/{attached['pid']}").exists()


async def test_a_shell_that_ignores_the_hang_up_is_ended_all_the_same(bare: Stage) -> None:
    link, handler = await bare.socket()
    await say(handler, "attach", session_name="stubborn")
    await say(handler, "input", data="trap '' HUP; echo tr''apped; while :; do sleep 1; done\r")
    await shows(link, "stubborn", "trapped")
    await say(handler, "detach")
    assert link.of("terminal.detached") == [{"session_name": "stubborn", "reason": "client detach"}]
    assert not Path(f"/proc/{link.of('terminal.attached')[0]['pid']}").exists()


async def test_a_failing_tmux_is_an_error_with_its_words(with_tmux: Stage) -> None:
    with_tmux.tmux.session("hermes-x")
    socket = Path(with_tmux.tmux.path)
    before = socket.parent.stat().st_mode
    socket.parent.chmod(0o777)  # tmux refuses a folder that others may use
    try:
        link, handler = await with_tmux.socket()
        await say(handler, "attach", "a", session_name="x")
        error = link.of("terminal.error")[0]
        assert error["session_name"] == "x" and error["message"]
        assert link.of("terminal.attached") == []
    finally:
        socket.parent.chmod(before & 0o777)
    await until(lambda: not terminals_of_this_process(), "its terminal is closed")


async def test_input_right_before_the_end_of_the_socket_is_not_lost(
    with_tmux: Stage, tmux_folder: TmuxFolder
) -> None:
    for number in range(10):
        made = tmux_folder.path / f"made-{number}"
        link, handler = await with_tmux.socket()
        await say(handler, "attach", session_name="last")
        await say(handler, "input", data=f"touch {made}\r")
        link.drop()
        await handler.aclose("socket closed")
        await until(made.exists, f"what was typed the {number}th time is done")


async def test_a_tmux_that_hangs_is_said_and_holds_up_nothing(
    with_tmux: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controlroom.gateway.terminal.tmux.COMMAND_S", 0.5)
    link, handler = await with_tmux.socket()
    await say(handler, "attach", session_name="s")
    server = int(with_tmux.tmux.run("display-message", "-p", "#{pid}"))
    os.kill(server, signal.SIGSTOP)
    try:
        await say(handler, "attach", "a", session_name="t")
        await say(handler, "kill", "k", session_name="u")
        texts = {error["session_name"]: error["message"] for error in link.of("terminal.error")}
        assert texts == dict.fromkeys(("t", "u"), "tmux did not answer in 0.5 s")
        await say(handler, "detach", session_name="s")
        assert link.of("terminal.detached") == [{"session_name": "s", "reason": "client detach"}]
        assert terminals_of_this_process() == []
    finally:
        os.kill(server, signal.SIGCONT)
