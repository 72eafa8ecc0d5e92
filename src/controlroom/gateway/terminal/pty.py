"""A program on a pseudo-terminal: read when wanted, written in full, resized, and always ended.

Nothing reads ahead: while nobody calls ``read``, the kernel's buffer (a few kilobytes) fills and the program
waits, so that one which prints without end costs no memory. Input waits in a bounded queue in its order.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import struct
import termios
import tty
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from controlroom.core.terminal import READ_BYTES, Size

INPUT_BYTES: Final = 1024 * 1024  # what a program that does not read may leave waiting
DRAIN_S: Final = 0.3  # for input that the program has not read yet; a living one reads within milliseconds
DRAIN_EVERY_S: Final = 0.005
HANGUP_S: Final = 1.0  # from SIGHUP to SIGKILL (relay contract section 10.2)
REAP_S: Final = 10.0  # a killed process is reaped within milliseconds, even on a loaded machine

# The terminal becomes the controlling one because a session leader opens it; a function between fork and
# exec would do the same, but is not safe in a program with threads.
_OPEN_TERMINAL: Final = 'exec "$@" <>"$0" >&0 2>&0'


class Pty(asyncio.SubprocessProtocol):
    """One program and the master side of its terminal. ``aclose`` must be called."""

    def __init__(self, master: int, name: str, may_write: Callable[[], bool]) -> None:
        self._master = master
        self._name = name
        self._may_write = may_write
        self._loop = asyncio.get_running_loop()
        self._process: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self._reaped = asyncio.Event()
        self._readable = asyncio.Event()
        self._input: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._has_input = False
        self._is_closed = False
        self.pid = 0
        self.broke = False
        """Writing failed while the program lived."""

    @classmethod
    async def spawn(
        cls,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        folder: str,
        size: Size,
        *,
        is_raw: bool,
        may_write: Callable[[], bool] = lambda: True,
    ) -> Pty:
        """Start ``arguments`` in a session of its own. ``is_raw``: the program is a terminal client that
        draws by itself, so nothing is echoed or translated before it has set its terminal up. ``may_write``
        is asked whenever waiting input could be written; then a no drops it. Raises OSError."""
        master, slave = os.openpty()
        try:
            name = os.ttyname(slave)
            if is_raw:
                tty.setraw(slave)
            _set_size(master, size)
            os.set_blocking(master, False)
            pty = cls(master, name, may_write)
            await pty._loop.subprocess_exec(
                lambda: pty,
                "/bin/sh",
                "-c",
                _OPEN_TERMINAL,
                name,
                *arguments,
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
            )
        except BaseException:
            os.close(master)
            raise
        finally:
            os.close(slave)
        return pty

    @property
    def has_exited(self) -> bool:
        return self._exited.is_set()

    async def read(self, timeout_s: float | None = None) -> bytes | None:
        """What the program wrote next, at most 8,192 bytes; b"" when it has ended; None after
        ``timeout_s``."""
        deadline = None if timeout_s is None else self._loop.time() + timeout_s
        while not self._is_closed and not self.broke:
            self._readable.clear()
            try:
                return os.read(self._master, READ_BYTES)
            except BlockingIOError:
                if self.has_exited:  # what it left was read; its children may still hold the terminal
                    return b""
            except OSError:  # EIO: nobody has the other side open
                return b""
            self._loop.add_reader(self._master, self._wake_reader)
            try:
                async with asyncio.timeout_at(deadline):
                    await self._readable.wait()
            except TimeoutError:
                return None
            finally:
                self._stop_reading()
        return b""

    def write(self, data: bytes) -> bool:
        """Give it input, all of it, after what still waits. False: it does not fit, nothing was taken."""
        if self._waiting_bytes + len(data) > INPUT_BYTES:
            return False
        if self._is_closed or not data:
            return True
        self._has_input = True
        self._input.append(data)
        self._waiting_bytes += len(data)
        if len(self._input) == 1:
            self._write_more()
            if self._input:
                self._loop.add_writer(self._master, self._write_more)
        return True

    def resize(self, size: Size) -> None:
        """Change the size; the program is told by the kernel."""
        if not self._is_closed:
            with contextlib.suppress(OSError):
                _set_size(self._master, size)

    async def aclose(self) -> None:
        """Hang up, and end the program for certain: SIGHUP, after a second SIGKILL. Safe to call again.

        A hang-up throws away what the program has not read; it gets a moment for that first.
        """
        try:
            await self._drained()
        finally:
            self._hang_up()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HANGUP_S):
                await self._exited.wait()
        if not self.has_exited:
            self._signal(signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REAP_S):
                await self._reaped.wait()
        if self._process is not None:
            self._process.close()

    def _hang_up(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._forget_input()
        self._loop.remove_reader(self._master)
        os.close(self._master)
        self._wake_reader()
        self._signal(signal.SIGHUP)

    async def _drained(self) -> None:
        latest = self._loop.time() + DRAIN_S
        while self._loop.time() < latest and not (self._is_closed or self.broke or self.has_exited):
            if not (self._may_write() and (self._input or self._is_unread())):
                return
            await asyncio.sleep(DRAIN_EVERY_S)

    def _is_unread(self) -> bool:
        """Whether input lies in the kernel that the program has not read."""
        if not self._has_input:
            return False
        try:
            slave = os.open(self._name, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            waiting: int = struct.unpack("i", fcntl.ioctl(slave, termios.FIONREAD, bytes(4)))[0]
        except OSError:
            return False
        finally:
            os.close(slave)
        return waiting > 0

    def _write_more(self) -> None:
        if not self._may_write():
            self._forget_input()
            return
        while self._input:
            data = self._input[0]
            try:
                written = os.write(self._master, data)
            except BlockingIOError:
                return
            except OSError:
                self._forget_input()
                self.broke = not self.has_exited
                self._wake_reader()
                return
            self._waiting_bytes -= written
            if written < len(data):
                self._input[0] = data[written:]
            else:
                self._input.popleft()
        self._loop.remove_writer(self._master)

    def _forget_input(self) -> None:
        self._input.clear()
        self._waiting_bytes = 0
        self._loop.remove_writer(self._master)

    def _stop_reading(self) -> None:
        if not self._is_closed:
            self._loop.remove_reader(self._master)

    def _wake_reader(self) -> None:
        self._readable.set()

    def _signal(self, number: signal.Signals) -> None:
        """To the program's process group; programs that it put into groups of their own hear the hang-up."""
        if self.pid and not self.has_exited:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    # --- called by asyncio ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.SubprocessTransport)
        self._process = transport
        self.pid = transport.get_pid() or 0

    def process_exited(self) -> None:
        self._exited.set()
        self._wake_reader()

    def connection_lost(self, exc: Exception | None) -> None:
        self._reaped.set()


def _set_size(terminal: int, size: Size) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))
