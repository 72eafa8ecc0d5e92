"""Processes as /proc shows them, from a folder that looks like it, and real ones."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controlroom.kit import process
from controlroom.kit.process import ProcProcesses


def put(root: Path, pid: int, name: str, argv: bytes, *, ppid: int = 1) -> None:
    folder = root / str(pid)
    folder.mkdir(exist_ok=True)
    (folder / "stat").write_text(f"{pid} ({name}) S {ppid} {' '.join('0' for _ in range(17))} 4711 0 0\n")
    (folder / "cmdline").write_bytes(argv)


def test_a_program_that_was_seen_while_it_began_is_read_again(tmp_path: Path) -> None:
    """An exec changes the name before the words are there: an agent would never be found."""
    (tmp_path / "stat").write_text("btime 1796000000\n")
    processes = ProcProcesses(tmp_path)
    put(tmp_path, 7, "claude", b"")
    put(tmp_path, 8, "kworker", b"", ppid=2)
    processes.refresh()
    begun = processes.get(7)
    assert begun is not None and begun.argv == ()
    put(tmp_path, 7, "claude", b"claude\0--resume\0")
    put(tmp_path, 8, "kworker", b"never read again\0", ppid=2)
    processes.refresh()
    there, thread = processes.get(7), processes.get(8)
    assert there is not None and there.argv == ("claude", "--resume")
    assert thread is not None and thread.argv == ()
    put(tmp_path, 7, "claude", b"never read again\0")
    processes.refresh()
    assert processes.get(7) is there


@contextmanager
def child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits for its input to end."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running:
        try:
            yield running
        finally:
            running.kill()


def held() -> int:
    """How many processes this one holds open."""
    found = 0
    for name in os.listdir("/proc/self/fd"):
        try:
            found += "pidfd" in os.readlink(f"/proc/self/fd/{name}")
        except FileNotFoundError:  # that of the listing itself
            continue
    return found


def test_a_process_that_is_asked_after_again_is_held_until_nobody_does() -> None:
    before = held()
    processes = ProcProcesses()
    with child() as running:
        fresh = processes.start_of(running.pid)
        assert fresh is not None
        assert held() == before  # not in the table: nobody asks every second
        processes.refresh()
        assert [processes.start_of(running.pid) for _ in range(3)] == [fresh] * 3
        assert held() == before + 1
        processes.refresh()
        assert held() == before + 1
        assert processes.start_of(running.pid) == fresh
        processes.refresh()
        processes.refresh()
        assert held() == before
        assert processes.start_of(running.pid) == fresh
    assert processes.start_of(running.pid) is None
    assert held() == before


def test_the_end_of_a_process_that_is_held_is_seen_at_once() -> None:
    processes = ProcProcesses()
    with child() as running:
        processes.refresh()
        assert processes.start_of(running.pid) is not None
        running.kill()
        os.waitid(os.P_PID, running.pid, os.WEXITED | os.WNOWAIT)  # a zombie: it has ended, nobody was told
        assert processes.start_of(running.pid) is None
        running.wait()
        assert processes.start_of(running.pid) is None


def test_no_more_are_held_than_there_are_descriptors_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_HELD", 1)
    before = held()
    processes = ProcProcesses()
    with child() as one, child() as other:
        processes.refresh()
        starts = [processes.start_of(each.pid) for each in (one, other)]
        assert None not in starts
        assert [processes.start_of(each.pid) for each in (one, other)] == starts
        assert held() == before + 1
    del processes
    assert held() == before
