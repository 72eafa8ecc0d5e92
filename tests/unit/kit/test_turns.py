"""Tickets as locked files: what others see, and what stays when they end."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from controlroom.core.turns import Ticket
from controlroom.kit.clock import FakeClock
from controlroom.kit.process import ProcProcesses, stopped_now
from controlroom.kit.turns import Turns, TurnsError, pid_space


def ticket(space: str | None = None) -> Ticket:
    pid = os.getpid()
    return Ticket(
        number=0,
        pid=pid,
        started=ProcProcesses().start_of(pid) or "",
        program="make",
        folder="/srv",
        space=pid_space() if space is None else space,
        since_ms=0,
    )


def test_a_ticket_lives_as_long_as_its_file_is_open(tmp_path: Path) -> None:
    turns = Turns(tmp_path / "browser", FakeClock())
    assert turns.look() == ()
    first, second = turns.draw(ticket()), turns.draw(ticket())
    assert [one.number for one in turns.look()] == [1, 2]
    assert turns.advance(first, 1).may_go
    assert not turns.advance(second, 1).may_go
    assert [one.has_turn for one in turns.look()] == [True, False]
    first.leave()
    assert turns.advance(second, 1).may_go
    second.leave()
    assert turns.look() == ()
    assert [path.name for path in turns.folder.iterdir()] == ["door"]


def test_a_file_of_the_dead_is_cleared_away(tmp_path: Path) -> None:
    turns = Turns(tmp_path, FakeClock())
    (tmp_path / "7").write_text("{}")
    (tmp_path / "notes").write_text("not ours")
    turns.draw(ticket()).leave()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["door", "notes"]


def test_a_process_of_another_namespace_has_no_number_here(tmp_path: Path) -> None:
    turns = Turns(tmp_path, FakeClock())
    turn = turns.draw(ticket(space="pid:[1]"))
    (seen,) = turns.look()
    assert (seen.pid, seen.program) == (0, "make")
    turn.leave()


def test_our_own_turn_is_known_by_the_process_or_by_the_file(tmp_path: Path) -> None:
    turns, processes = Turns(tmp_path, FakeClock()), ProcProcesses()
    turn = turns.draw(ticket())
    assert not turns.is_ours(turns.look(), processes)  # it waits itself
    turns.advance(turn, 1)
    assert turns.is_ours(turns.look(), processes)
    other = turns.draw(ticket(space="pid:[1]"))
    turn.leave()
    turns.advance(other, 1)
    assert turns.is_ours(turns.look(), processes)
    other.leave()
    assert not turns.is_ours(turns.look(), processes)


def test_it_outlives_exec_high_up(tmp_path: Path) -> None:
    turns = Turns(tmp_path, FakeClock())
    turn = turns.draw(ticket())
    before = set(os.listdir("/proc/self/fd"))
    turn.hand_on()
    (new,) = {int(name) for name in os.listdir("/proc/self/fd")} - {int(name) for name in before}
    assert new >= 200
    assert not fcntl.fcntl(new, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
    turn.leave()
    os.close(new)


def test_a_door_that_never_opens_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controlroom.kit.turns.DOOR_S", 0.05)

    class Clock(FakeClock):
        def monotonic(self) -> float:
            self.elapsed += 0.02
            return self.elapsed

    held = os.open(tmp_path / "door", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(TurnsError, match="is held up: a process was stopped"):
        Turns(tmp_path, Clock()).look()
    os.close(held)


def test_who_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "stat").write_bytes(b"7 (a ) T b) T 1 7 7")
    assert stopped_now(7, str(tmp_path))
    assert not stopped_now(8, str(tmp_path))
    assert not stopped_now(os.getpid())
