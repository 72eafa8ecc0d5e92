"""A child process and its pipes, whose end never has to be waited for.

Not ``asyncio.subprocess``: a tmux client, for one, hands its standard input and output to the server. A
server that is stopped, or another program behind the socket, keeps them open after the client was killed,
and ``Process.wait`` of Python 3.11 then waits for ever. Here the pipes are closed on our side.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

END_TIMEOUT_S = 10.0  # a killed process is reaped within milliseconds, even on a loaded machine
TRY_S = 5.0  # setpriv only becomes another program

Received = Callable[[int, bytes], None]


class Child(asyncio.SubprocessProtocol):
    """One running program. ``received`` gets (1 or 2, data) as its output and errors come; ``ended`` is
    called when it has ended or closed its output (perhaps twice)."""

    def __init__(self, received: Received, ended: Callable[[], None]) -> None:
        self._received = received
        self._ended = ended
        self._transport: asyncio.SubprocessTransport | None = None
        self._exited = asyncio.Event()
        self._finished = asyncio.Event()

    @classmethod
    async def spawn(
        cls,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        received: Received,
        ended: Callable[[], None] = lambda: None,
        *,
        folder: Path | None = None,
        ends_with_us: bool = False,
    ) -> Child:
        """Start it in a session of its own: Ctrl-C at our terminal is for us. ``folder``: where it works,
        else where we do. ``ends_with_us``: it is killed when we are, where the system can do that. Raises
        OSError."""
        child = cls(received, ended)
        words = (*(await asyncio.to_thread(_tie)), *arguments) if ends_with_us else arguments
        await asyncio.get_running_loop().subprocess_exec(
            lambda: child, *words, env=dict(environment), start_new_session=True, cwd=folder
        )
        return child

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        return None if self._transport is None else self._transport.get_returncode()

    def kill_group(self) -> None:
        """Kill it and everything it started and kept in its session."""
        if self._transport is not None and self.code is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)

    def write(self, data: bytes) -> None:
        """Give it input. A closed pipe shows as the end of the process, not here."""
        self._stdin().write(data)

    def close_input(self) -> None:
        """Everything written so far, then the end of its input."""
        self._stdin().close()

    async def exited(self) -> None:
        """Returns when the process has ended, whoever holds its pipes."""
        await self._exited.wait()

    async def finished(self) -> None:
        """Returns when it has ended and all its output was received."""
        await self._finished.wait()

    async def aclose(self) -> None:
        """Close the pipes, kill it if it still runs, and wait until it is reaped, also when cancelled
        meanwhile: a process that nobody waits for outlives its event loop."""
        if self._transport is None:
            return
        self._transport.close()
        latest = asyncio.get_running_loop().time() + END_TIMEOUT_S
        cancelled: asyncio.CancelledError | None = None
        while not self._finished.is_set():
            try:
                async with asyncio.timeout_at(latest):
                    await self._finished.wait()
            except TimeoutError:
                break
            except asyncio.CancelledError as error:
                cancelled = error
        if cancelled is not None:
            raise cancelled

    def _stdin(self) -> asyncio.WriteTransport:
        assert self._transport is not None
        return cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))

    # --- called by asyncio ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._received(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self._ended()

    def process_exited(self) -> None:
        self._exited.set()
        self._ended()

    def connection_lost(self, exc: Exception | None) -> None:
        self._finished.set()


@functools.cache
def _tie() -> tuple[str, ...]:
    """The words before a command that let the kernel end it when the thread that starts it ends (prctl(2),
    PR_SET_PDEATHSIG). Empty where setpriv of util-linux is not there."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return ()
    words = (setpriv, "--pdeathsig", "KILL", "--")
    try:
        tried = subprocess.run([*words, "true"], capture_output=True, timeout=TRY_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return words if tried.returncode == 0 else ()
