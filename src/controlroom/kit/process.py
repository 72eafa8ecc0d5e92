"""Process facts of this machine behind one port; Linux reads ``/proc``.

Facts that cannot change are cached by pid and start time; environments are read only for the keys asked
for and never logged.
"""

from __future__ import annotations

import os
import select
import signal
import weakref
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import msgspec

READ_BYTES = 16_384
KERNEL_THREADS = 2  # the parent of those; every other process has words, but for a moment while it begins
STOPPED = "Tt"  # proc(5): by a signal, or by a debugger
STAT_FIELDS = 20  # as many as are wanted, behind the name; the rest stays one piece
MOST_HELD = 64  # processes that are held open to hear of their end; each is a file descriptor


class Process(msgspec.Struct, frozen=True, kw_only=True):
    """One process. ``start`` is the kernel's start time in clock ticks, as text: pid and start together
    name a process for ever (until reboot)."""

    pid: int
    ppid: int
    start: str
    started_at_ms: int
    name: str
    argv: tuple[str, ...]
    exe: str  # "" when it cannot be read
    uid: int

    @property
    def key(self) -> str:
        return f"{self.pid}@{self.start}"


class Processes(Protocol):
    """What parts ask about processes."""

    def refresh(self) -> None:
        """Look again; cheap for processes that were known."""

    def get(self, pid: int) -> Process | None: ...

    def children(self, pid: int) -> tuple[Process, ...]: ...

    def below(self, pid: int) -> Iterator[Process]:
        """The process itself and all its descendants, parents first."""

    def all(self) -> Iterable[Process]: ...

    def start_of(self, pid: int) -> str | None:
        """Freshly read start time, None when the process is gone (or a zombie)."""

    def parent_of(self, pid: int) -> int | None: ...

    def has_keyboard(self, pid: int) -> bool:
        """Whether its process group is the foreground one of its terminal, freshly read: keys typed there
        reach it. A stopped process (Ctrl-Z) has no keyboard."""

    def is_stopped(self, pid: int) -> bool:
        """Whether it was stopped (Ctrl-Z) at the last refresh: it sleeps until somebody continues it."""

    def environ(self, pid: int, keys: Iterable[str]) -> dict[str, str]:
        """These variables as the process was started with. Empty when they cannot be read."""

    def cwd(self, pid: int) -> str: ...

    def open_files(self, pid: int) -> tuple[str, ...]:
        """Paths of the regular files it holds open now."""


def ask_to_end(processes: Processes, pid: int, start: str) -> None:
    """SIGTERM to this very process; nothing where it has ended, or another one has its pid by now."""
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            if processes.start_of(pid) == start:
                signal.pidfd_send_signal(descriptor, signal.SIGTERM)
        finally:
            os.close(descriptor)


class _Living:
    """Processes that are asked after again and again, each held by its pidfd (pidfd_open(2)).

    It names this very process for ever and becomes readable when it ends, so one system call tells what
    else takes opening, reading and parsing a file.
    """

    def __init__(self) -> None:
        self._held: dict[int, tuple[int, str]] = {}  # by pid: its pidfd and its start time
        self._asked: set[int] = set()
        weakref.finalize(self, _close_all, self._held)

    def start_of(self, pid: int) -> str | None:
        """The start time of a process that is held and lives now; None says nothing."""
        held = self._held.get(pid)
        if held is None:
            return None
        self._asked.add(pid)
        if _has_no_word(held[0]):
            return held[1]
        os.close(self._held.pop(pid)[0])
        return None

    def hold(self, pid: int, descriptor: int, start: str) -> None:
        """``descriptor`` was opened before ``start`` was read."""
        if pid in self._held or len(self._held) >= MOST_HELD or not _has_no_word(descriptor):
            os.close(descriptor)
            return
        self._held[pid] = descriptor, start
        self._asked.add(pid)

    def let_go(self) -> None:
        """Of those that nobody asked after since the last call."""
        for pid in self._held.keys() - self._asked:
            os.close(self._held.pop(pid)[0])
        self._asked = set()


def _has_no_word(descriptor: int) -> bool:
    door = select.poll()
    door.register(descriptor, select.POLLIN)
    return not door.poll(0)


def _close_all(held: dict[int, tuple[int, str]]) -> None:
    for descriptor, _ in held.values():
        os.close(descriptor)


class ProcProcesses:
    """``Processes`` from /proc (see proc(5)); ``root`` is for tests."""

    def __init__(self, root: Path = Path("/proc"), uid: int | None = None) -> None:
        self._root = str(root)
        self._living = _Living() if self._root == "/proc" else None
        self._uid = os.getuid() if uid is None else uid
        self._known: dict[int, Process] = {}
        self._children: dict[int, list[int]] = {}
        self._below: dict[int, tuple[Process, ...]] = {}  # what was asked since the last refresh
        self._stopped: set[int] = set()
        self._boot_ms = self._boot_time_ms()
        self._tick = os.sysconf("SC_CLK_TCK")

    def _boot_time_ms(self) -> int:
        for line in Path(self._root, "stat").read_text().splitlines():
            if line.startswith("btime "):
                return int(line.split()[1]) * 1000
        return 0

    def _read_file(self, pid: int, name: str) -> bytes | None:
        """A file of a process. System calls without objects around them: a look reads hundreds of these."""
        try:
            file = os.open(f"{self._root}/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            parts = []
            while part := os.read(file, READ_BYTES):
                parts.append(part)
                if len(part) < READ_BYTES and name == "stat":
                    break
            return b"".join(parts)
        except OSError:
            return None  # it ended while it was read
        finally:
            os.close(file)

    def _stat(self, pid: int) -> tuple[str, str, int, str] | None:
        """(name, state, ppid, start) of a pid; proc(5): the name stands in brackets and may hold any."""
        raw = self._read_file(pid, "stat")
        if raw is None:
            return None
        head, _, tail = raw.rpartition(b")")
        fields = tail.split(None, STAT_FIELDS)
        if len(fields) < STAT_FIELDS:
            return None
        name = head.partition(b"(")[2].decode(errors="replace")
        return name, fields[0].decode(), int(fields[1]), fields[19].decode()

    def refresh(self) -> None:
        known: dict[int, Process] = {}
        children: dict[int, list[int]] = {}
        stopped: set[int] = set()
        for entry in os.scandir(self._root):
            if not entry.name.isdigit():
                continue
            pid = int(entry.name)
            stat = self._stat(pid)
            if stat is None or stat[1] in "ZX":
                continue
            old = self._known.get(pid)
            process: Process | None
            if old is not None and old.start == stat[3] and old.ppid == stat[2] and old.name == stat[0]:
                process = old if old.argv or old.ppid == KERNEL_THREADS else self._read(pid, stat)
            else:
                process = self._read(pid, stat)
            if process is None:
                continue
            if stat[1] in STOPPED:
                stopped.add(pid)
            known[pid] = process
            children.setdefault(process.ppid, []).append(pid)
        self._known, self._children, self._below, self._stopped = known, children, {}, stopped
        if self._living is not None:
            self._living.let_go()

    def _read(self, pid: int, stat: tuple[str, str, int, str]) -> Process | None:
        argv = self._read_file(pid, "cmdline")
        try:
            uid = os.stat(f"{self._root}/{pid}").st_uid  # noqa: PTH116 - see _read_file
        except OSError:
            return None
        if argv is None:
            return None
        return Process(
            pid=pid,
            ppid=stat[2],
            start=stat[3],
            started_at_ms=self._boot_ms + int(stat[3]) * 1000 // self._tick,
            name=stat[0],
            argv=tuple(part.decode(errors="replace") for part in argv.split(b"\0") if part),
            exe=self._link(pid, "exe"),
            uid=uid,
        )

    def get(self, pid: int) -> Process | None:
        return self._known.get(pid)

    def children(self, pid: int) -> tuple[Process, ...]:
        return tuple(self._known[child] for child in self._children.get(pid, ()))

    def below(self, pid: int) -> Iterator[Process]:
        found = self._below.get(pid)
        if found is None:
            found = self._below[pid] = tuple(self._walk(pid))
        return iter(found)

    def _walk(self, pid: int) -> Iterator[Process]:
        todo, seen = [pid], set()
        while todo:
            current = todo.pop(0)
            if current in seen or (process := self._known.get(current)) is None:
                continue
            seen.add(current)
            yield process
            todo += self._children.get(current, ())

    def all(self) -> Iterable[Process]:
        return self._known.values()

    def start_of(self, pid: int) -> str | None:
        if self._living is None or pid not in self._known:
            return self._read_start(pid)
        if (start := self._living.start_of(pid)) is not None:
            return start
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:  # it ended, or no descriptor is left
            return self._read_start(pid)
        start = self._read_start(pid)
        if start is None:
            os.close(descriptor)
        else:
            self._living.hold(pid, descriptor, start)
        return start

    def _read_start(self, pid: int) -> str | None:
        stat = self._stat(pid)
        return None if stat is None or stat[1] in "ZX" else stat[3]

    def parent_of(self, pid: int) -> int | None:
        stat = self._stat(pid)
        return None if stat is None else stat[2]

    def has_keyboard(self, pid: int) -> bool:
        raw = self._read_file(pid, "stat")
        if raw is None:
            return False
        fields = raw.rpartition(b")")[2].split()
        if len(fields) < 6:
            return False
        state, group, foreground = fields[0], fields[2], fields[5]
        return state not in (b"T", b"t", b"Z", b"X") and group == foreground

    def is_stopped(self, pid: int) -> bool:
        return pid in self._stopped

    def environ(self, pid: int, keys: Iterable[str]) -> dict[str, str]:
        wanted = set(keys)
        raw = self._read_file(pid, "environ")
        if raw is None:
            return {}
        pairs = (entry.partition(b"=") for entry in raw.split(b"\0") if entry)
        found = ((k.decode(errors="replace"), v.decode(errors="replace")) for k, _, v in pairs)
        return {key: value for key, value in found if key in wanted}

    def cwd(self, pid: int) -> str:
        return self._link(pid, "cwd")

    def _link(self, pid: int, name: str) -> str:
        """Where a link of a process leads, "" when it cannot be read."""
        try:
            return os.readlink(f"{self._root}/{pid}/{name}")  # noqa: PTH115 - see _read_file
        except OSError:
            return ""

    def open_files(self, pid: int) -> tuple[str, ...]:
        paths = []
        try:
            entries = list(os.scandir(f"{self._root}/{pid}/fd"))
        except OSError:
            return ()
        for entry in entries:
            try:
                target = os.readlink(entry.path)  # noqa: PTH115 - one call instead of a Path for each fd
            except OSError:
                continue
            if target.startswith("/") and not target.startswith("/dev/"):
                paths.append(target)
        return tuple(paths)


def stopped_now(pid: int, root: str = "/proc") -> bool:
    """Whether a process sleeps because it was stopped (Ctrl-Z), freshly read."""
    try:
        raw = Path(root, str(pid), "stat").read_bytes()
    except OSError:
        return False
    state = raw.rpartition(b")")[2].split()[:1]
    return bool(state) and state[0].decode() in STOPPED
