"""Processes of a machine in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from controlroom.kit.process import Process


def process(pid: int, ppid: int, exe: str, *argv: str, start: str = "", at_ms: int) -> Process:
    return Process(
        pid=pid,
        ppid=ppid,
        start=start or f"{pid}00",
        started_at_ms=at_ms,
        name=(exe or "".join(argv[:1])).rpartition("/")[2],
        argv=argv or (exe,),
        exe=exe,
        uid=1000,
    )


class FakeProcesses:
    """``Processes`` that a test adds; every attribute may be set at any time."""

    def __init__(self, *, folder: str, has_keyboard: bool = False) -> None:
        """``folder``: where those work that have none in ``folders``. ``has_keyboard``: all have it, not
        only those in ``at_keyboard``."""
        self.known: dict[int, Process] = {}
        self.environs: dict[int, dict[str, str]] = {}
        self.folders: dict[int, str] = {}
        self.files: dict[int, list[str]] = {}
        self.at_keyboard: set[int] = set()
        self.asked: list[int] = []  # whose open files were read
        self._folder = folder
        self._has_keyboard = has_keyboard

    def add(self, *processes: Process) -> None:
        self.known.update((each.pid, each) for each in processes)

    def refresh(self) -> None:
        return

    def get(self, pid: int) -> Process | None:
        return self.known.get(pid)

    def children(self, pid: int) -> tuple[Process, ...]:
        return tuple(each for each in self.known.values() if each.ppid == pid)

    def below(self, pid: int) -> Iterator[Process]:
        todo = [pid]
        while todo:
            if (found := self.known.get(todo.pop(0))) is not None:
                yield found
                todo += [each.pid for each in self.children(found.pid)]

    def all(self) -> Iterable[Process]:
        return self.known.values()

    def start_of(self, pid: int) -> str | None:
        found = self.known.get(pid)
        return None if found is None else found.start

    def parent_of(self, pid: int) -> int | None:
        found = self.known.get(pid)
        return None if found is None else found.ppid

    def has_keyboard(self, pid: int) -> bool:
        return self._has_keyboard or pid in self.at_keyboard

    def is_stopped(self, pid: int) -> bool:
        return False

    def environ(self, pid: int, keys: Iterable[str]) -> dict[str, str]:
        return {key: value for key, value in self.environs.get(pid, {}).items() if key in set(keys)}

    def cwd(self, pid: int) -> str:
        return self.folders.get(pid, self._folder)

    def open_files(self, pid: int) -> tuple[str, ...]:
        self.asked.append(pid)
        return tuple(self.files.get(pid, ()))
