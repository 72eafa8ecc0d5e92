"""Child processes end whoever holds their pipes."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from controlroom.kit.child import Child
from controlroom.node.mux.tmux.binary import LONGEST_OUTPUT, Binary
from tests.support.waiting import until

# Hands its output on to a process that lives on, as tmux hands its pipes to the server.
HOLDER = (
    "import subprocess, sys; print(subprocess.Popen(['sleep', '1000']).pid, flush=True); sys.stdin.read()"
)


async def test_output_comes_and_the_end_is_told() -> None:
    got: list[tuple[int, bytes]] = []
    ends: list[str] = []
    child = await Child.spawn(
        ["cat"], {}, lambda fd, data: got.append((fd, data)), lambda: ends.append("end")
    )
    child.write(b"text")
    child.close_input()
    await child.finished()
    assert (got, child.code) == ([(1, b"text")], 0)
    assert ends
    await child.aclose()


async def test_a_program_that_is_missing_is_an_error_at_once() -> None:
    with pytest.raises(OSError, match="No such file"):
        await Child.spawn(["/nowhere/tmux"], {}, lambda fd, data: None)


async def test_closing_does_not_wait_for_pipes_that_others_hold() -> None:
    got: list[bytes] = []
    child = await Child.spawn(
        [sys.executable, "-S", "-E", "-c", HOLDER], {}, lambda fd, data: got.append(data)
    )
    await until(lambda: b"\n" in b"".join(got), "the holder runs")
    await asyncio.wait_for(child.aclose(), 60)
    assert child.code == -9
    os.kill(int(b"".join(got)), signal.SIGKILL)


async def test_a_cancelled_close_still_leaves_no_process_behind() -> None:
    child = await Child.spawn(["sleep", "1000"], {}, lambda fd, data: None)
    closing = asyncio.ensure_future(child.aclose())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert child.code == -9


async def test_of_what_prints_without_end_only_the_beginning_is_kept(tmp_path: Path) -> None:
    program = tmp_path / "tmux"
    program.write_text(f"#!/bin/sh\nexec head -c {3 * LONGEST_OUTPUT} /dev/zero\n")
    program.chmod(0o755)
    ran = await Binary({"PATH": f"{tmp_path}:/usr/bin:/bin"}).run(timeout_s=60.0)
    assert (ran.code, len(ran.out)) == (0, LONGEST_OUTPUT)
