"""Tickets as locked files: whoever is alive keeps its own locked, and the kernel unlocks it with the process.

One folder for each lock or slot, one file in it for each ticket, named by its number, and ``door``: the file
that is locked for the moment in which tickets are looked at, drawn or changed. No control room has to run.

The lock of a ticket (flock, see flock(2)) belongs to the open file, and so to every process that got it: the
command, which takes our place by exec, and what it starts. It ends when the last of them closed it or died.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from controlroom.core.turns import Standing, Ticket, next_number, standing
from controlroom.kit.clock import Clock
from controlroom.kit.process import Processes, stopped_now

DOOR_S: Final = 10.0  # it is held for milliseconds; longer means that its holder was stopped right then
DOOR_STEP_S: Final = 0.005
HIGH_FD: Final = 200  # shells and scripts use small numbers for files of their own, and would close ours
TICKET_BYTES: Final = 16_384


class TurnsError(Exception):
    """The files cannot be used; the text is one line for people."""


class Turns:
    """The tickets of one lock or slot."""

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder = folder
        self._clock = clock

    def look(self) -> tuple[Ticket, ...]:
        """All tickets that are locked, in order; what the dead left is cleared away. Raises TurnsError."""
        if not self.folder.is_dir():
            return ()
        with self._door():
            return self._alive()

    def draw(self, ticket: Ticket) -> Turn:
        """A ticket with the next number, locked. Its number is given here. Raises TurnsError."""
        with self._door():
            ticket = msgspec.structs.replace(ticket, number=next_number(self._alive()))
            file = os.open(self.path(ticket), os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            turn = Turn(self, ticket, file)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody else looks while we hold the door
                turn.write(ticket)
            except OSError:
                turn.leave()
                raise
        return turn

    def path(self, ticket: Ticket) -> Path:
        return self.folder / f"{ticket.number}"

    def advance(self, turn: Turn, limit: int) -> Standing:
        """How it stands; when the ticket may go, it has its turn from now on. Raises TurnsError."""
        with self._door():
            tickets = self._alive()
            asleep = {one.number for one in tickets if not one.has_turn and stopped_now(one.pid)}
            found = standing(tickets, turn.ticket.number, limit, asleep)
            if found.may_go:
                now_ms = self._clock.now_ms()
                turn.write(msgspec.structs.replace(turn.ticket, has_turn=True, since_ms=now_ms))
            return found

    def is_ours(self, tickets: Iterable[Ticket], processes: Processes) -> bool:
        """Whether we run inside one of these turns: what has it is above us, or left us its file."""
        ours, pid = set(), os.getpid()
        open_here = set(processes.open_files(pid))
        above: int | None = pid
        while above and above not in ours:
            ours.add(above)
            above = processes.parent_of(above)
        return any(
            ticket.has_turn
            and (
                (ticket.pid in ours and processes.start_of(ticket.pid) == ticket.started)
                or os.path.realpath(self.path(ticket)) in open_here
            )
            for ticket in tickets
        )

    def _alive(self) -> tuple[Ticket, ...]:
        tickets = []
        for entry in os.scandir(self.folder):
            if entry.name.isascii() and entry.name.isdigit() and (ticket := self._read(entry)) is not None:
                tickets.append(ticket)
        return tuple(sorted(tickets, key=lambda ticket: ticket.number))

    def _read(self, entry: os.DirEntry[str]) -> Ticket | None:
        """The ticket in a file, None when nobody has it locked: then the file goes."""
        try:
            file = os.open(entry.path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            ticket = _decoded(os.pread(file, TICKET_BYTES, 0), int(entry.name))
            # In another namespace the number is another process's here.
            return ticket if ticket.space == pid_space() else msgspec.structs.replace(ticket, pid=0)
        else:
            with contextlib.suppress(FileNotFoundError):  # given back at this very moment
                os.unlink(entry.path)  # noqa: PTH108 - the entry has no Path
            return None
        finally:
            os.close(file)

    @contextlib.contextmanager
    def _door(self) -> Iterator[None]:
        """Alone with the tickets. Ctrl-Z and Ctrl-C come after it: nobody may sleep in the door."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = os.open(self.folder / "door", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise TurnsError(f"{self.folder} cannot be used: {error.strerror}.") from None
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTSTP, signal.SIGINT})
        try:
            self._wait_for(file)
            yield
        except OSError as error:
            raise TurnsError(f"The queue in {self.folder} cannot be used: {error.strerror}.") from None
        finally:
            os.close(file)
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _wait_for(self, file: int) -> None:
        ends_at = self._clock.monotonic() + DOOR_S
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if self._clock.monotonic() > ends_at:
                    raise TurnsError(
                        f"The queue in {self.folder} is held up: a process was stopped while it looked at it."
                    ) from None
                time.sleep(DOOR_STEP_S)
            else:
                return


class Turn:
    """Our own ticket and its locked file."""

    def __init__(self, turns: Turns, ticket: Ticket, file: int) -> None:
        self.ticket = ticket
        self._turns = turns
        self._file = file

    def write(self, ticket: Ticket) -> None:
        """What others see of it. Called with the door held."""
        data = msgspec.json.encode(ticket)
        os.pwrite(self._file, data, 0)
        os.ftruncate(self._file, len(data))
        self.ticket = ticket

    def hand_on(self) -> None:
        """From now on the ticket stays locked over exec."""
        for lowest in (HIGH_FD, 10, 3):
            try:
                fcntl.fcntl(self._file, fcntl.F_DUPFD, lowest)
            except OSError:  # above this process's limit of files
                continue
            return
        raise TurnsError("There is no room for one more open file.")

    def leave(self) -> None:
        """Give the ticket back before the process ends."""
        with contextlib.suppress(OSError):
            self._turns.path(self.ticket).unlink()
        os.close(self._file)


def pid_space() -> str:
    """The namespace that our process ids are meant in; "" when it cannot be read."""
    try:
        return os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - no path
    except OSError:
        return ""


def _decoded(data: bytes, number: int) -> Ticket:
    """A ticket whose words cannot be read still counts: it is locked."""
    try:
        ticket = msgspec.json.decode(data, type=Ticket)
    except msgspec.DecodeError:
        return Ticket(
            number=number, pid=0, started="", program="", folder="", space="", since_ms=0, has_turn=True
        )
    return msgspec.structs.replace(ticket, number=number)
