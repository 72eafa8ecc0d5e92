"""Processes as /proc shows them, from a folder that looks like it."""

from __future__ import annotations

from pathlib import Path

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
