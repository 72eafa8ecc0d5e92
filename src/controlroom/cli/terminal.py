"""The person's terminal, borrowed for a full-screen picture and given back on any exit.

Borrowing means: alternate screen, no cursor, no line wrap, keys without Enter and without echo. Ctrl-C still
interrupts, Ctrl-Z suspends and gives the terminal back meanwhile. Only changed rows are written, inside a
synchronized update where the terminal knows it, so that nothing flickers.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Sequence
from types import TracebackType
from typing import Any

ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
LEAVE = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
_ARROWS = {b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left"}
_LEAVE_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Terminal:
    """Use it as ``with Terminal() as terminal`` inside a running loop."""

    def __init__(self) -> None:
        self._input = sys.stdin.fileno()
        self._output = sys.stdout.fileno()
        self._saved: list[Any] = []  # as termios gives it
        self._shown: list[str] = []
        self._keys: list[str] = []
        self._news = asyncio.Event()
        self.ended_by: signal.Signals | None = None  # the person or the system wants us to leave
        self.width, self.height = self._size()

    def __enter__(self) -> Terminal:
        loop = asyncio.get_running_loop()
        self._saved = termios.tcgetattr(self._input)
        self._borrow()
        loop.add_reader(self._input, self._read)
        loop.add_signal_handler(signal.SIGWINCH, self._resized)
        loop.add_signal_handler(signal.SIGTSTP, self._suspend)
        for number in _LEAVE_SIGNALS:
            loop.add_signal_handler(number, self._leave, number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._input)
        for number in (signal.SIGWINCH, signal.SIGTSTP, *_LEAVE_SIGNALS):
            loop.remove_signal_handler(number)
        with contextlib.suppress(OSError, termios.error):  # the terminal itself may be gone
            self._give_back()

    async def wait(self, timeout_s: float) -> None:
        """Until a key, a new size, a signal to leave, ``wake``, or the time is up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._news.wait()
        self._news.clear()

    def wake(self) -> None:
        self._news.set()

    def take_keys(self) -> list[str]:
        """Keys since the last call: one character each, or ``up``, ``down``, ``left``, ``right``."""
        keys, self._keys = self._keys, []
        return keys

    def draw(self, rows: Sequence[str]) -> None:
        """Show these rows (each at most as wide as the screen, complete in its colours)."""
        rows = [*rows[: self.height], *[""] * (self.height - len(rows))]
        changed = [
            # Erased before: at the last column, without wrap, an erase behind it would take its character.
            f"\x1b[{number};1H\x1b[0m\x1b[K{row}"
            for number, row in enumerate(rows, 1)
            if number > len(self._shown) or self._shown[number - 1] != row
        ]
        self._shown = rows
        if changed:
            self._write(BEGIN + "".join(changed) + END)

    def redraw(self) -> None:
        """Write everything again next time: something else may have written here."""
        self._shown = []
        self._write("\x1b[0m\x1b[2J")

    def _borrow(self) -> None:
        tty.setcbreak(self._input, termios.TCSADRAIN)
        self._write(ENTER)
        self._shown = []

    def _give_back(self) -> None:
        termios.tcsetattr(self._input, termios.TCSADRAIN, self._saved)
        self._write(LEAVE)

    def _write(self, data: str) -> None:
        left = data.encode(errors="replace")
        while left:
            try:
                left = left[os.write(self._output, left) :]
            except BlockingIOError:  # somebody made the terminal non-blocking
                select.select([], [self._output], [])

    def _read(self) -> None:
        try:
            data = os.read(self._input, 1024)
        except OSError:
            data = b""
        if not data:
            self._leave(signal.SIGHUP)
            return
        for sequence, name in _ARROWS.items():
            self._keys += [name] * data.count(sequence)
            data = data.replace(sequence, b"")
        if not data.startswith(b"\x1b"):  # other keys with a sequence are not ours
            self._keys += data.decode(errors="ignore")
        self._news.set()

    def _size(self) -> tuple[int, int]:
        try:
            size = os.get_terminal_size(self._output)
        except OSError:
            size = shutil.get_terminal_size((80, 24))
        return max(size.columns, 2), max(size.lines, 2)

    def _resized(self) -> None:
        self.width, self.height = self._size()
        self.redraw()
        self._news.set()

    def _suspend(self) -> None:
        self._give_back()
        os.kill(os.getpid(), signal.SIGSTOP)
        self._borrow()  # goes on here after SIGCONT
        self._resized()

    def _leave(self, number: signal.Signals) -> None:
        self.ended_by = number
        self._news.set()
