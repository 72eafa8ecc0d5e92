"""Ends what the tests have left running: exactly the processes that carry the mark of this run.

Agents start programs that outlive them (Codex' shared server, shells in tmux); all inherit the variables
that they were started with: the mark of the run, and the home of one test.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

MARK = "CONTROLROOM_REAL_RUN"
PATIENCE_S = 5.0  # for programs that write their files before they end


class Left(NamedTuple):
    pid: int
    start: str  # start time: names the process together with its pid
    name: str


def end_leftovers(variable: str, value: str) -> list[Left]:
    """End all processes that were started with this variable, asking first; returns those that were found."""
    mark = f"{variable}={value}".encode()
    found = _marked(mark)
    for number in (signal.SIGTERM, signal.SIGKILL):
        for left in _marked(mark):
            _signal(left, number)
        end = time.monotonic() + PATIENCE_S
        while _marked(mark) and time.monotonic() < end:
            time.sleep(0.05)
    return found


def _signal(left: Left, number: signal.Signals) -> None:
    if _stat(left.pid) != (left.start, left.name):
        return
    try:
        os.kill(left.pid, number)
    except ProcessLookupError:
        pass


def _marked(mark: bytes) -> list[Left]:
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if mark not in (entry / "environ").read_bytes().split(b"\0"):
                continue
        except OSError:
            continue
        if stat := _stat(int(entry.name)):
            found.append(Left(int(entry.name), *stat))
    return found


def _stat(pid: int) -> tuple[str, str] | None:
    """(start time, name) of a living process; proc(5)."""
    try:
        head, _, tail = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")
    except OSError:
        return None
    fields = tail.split()
    return None if fields[0] in (b"Z", b"X") else (fields[19].decode(), head.partition(b"(")[2].decode())
