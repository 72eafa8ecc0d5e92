"""The tmux program: where it is, how old it is, and one command of it as a process of its own."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controlroom.core.text import clean_line
from controlroom.kit.child import Child
from controlroom.node.mux.tmux.protocol import is_too_old

# tmux sends its whole environment to the server, so it gets only what it needs: nothing secret travels, and
# neither TMUX ("sessions should be nested with care") nor the person's display.
_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TMUX_TMPDIR")
VERSION_TIMEOUT_S = 5.0  # printing a version needs milliseconds; a cold disk may need seconds
LONGEST_OUTPUT = 1024 * 1024  # a session has a row of some 60 bytes; of what prints more, the rest is dropped


class Ran(msgspec.Struct, frozen=True):
    """How one command ended. ``code`` is None when it did not end in time."""

    code: int | None
    out: str
    err: str


class Binary:
    """tmux as ``PATH`` of the given environment finds it, now."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._path = environment.get("PATH", "")
        self.environment = {key: environment[key] for key in _PASSED_ON if key in environment}
        # tmux draws and prints UTF-8 only when told so; programs it starts are the person's, never ours.
        self.environment |= {"LC_ALL": "C.UTF-8", "TERM": "dumb"}
        self._checked: tuple[str, int] = ("", 0)
        self._problem = ""

    @property
    def program(self) -> str:
        """The path of tmux, "" when it is not installed."""
        return shutil.which("tmux", path=self._path) or ""

    async def problem(self) -> str:
        """Why no server can be reached at all, as a sentence; "" when tmux is there and new enough."""
        program = self.program
        if not program:
            return "tmux is not installed, or not in PATH."
        try:
            identity = (program, Path(program).stat().st_mtime_ns)
        except OSError as error:
            return f"tmux cannot be run: {error.strerror}."
        if identity != self._checked:
            ran = await self.run("-V", timeout_s=VERSION_TIMEOUT_S)
            version = clean_line(ran.out, 40)
            if ran.code != 0:
                return f"{program} cannot be run: {clean_line(ran.err) or 'it does not answer'}."
            self._problem = f"{version} is too old; 3.2 or newer is needed." if is_too_old(version) else ""
            self._checked = identity
        return self._problem

    def arguments(self, socket: str, *words: str) -> list[str]:
        """A command line for one server. ``-N``: never start one, whatever the command."""
        return [self.program or "tmux", "-u", "-N", "-S", socket, *words]

    async def run(self, *words: str, timeout_s: float, given: bytes | None = None) -> Ran:
        """One tmux command; ``given`` goes to its standard input. Never raises for tmux's sake."""
        printed = {1: bytearray(), 2: bytearray()}

        def received(fd: int, data: bytes) -> None:
            printed[fd] += data[: LONGEST_OUTPUT - len(printed[fd])]

        try:
            child = await Child.spawn([self.program or "tmux", *words], self.environment, received)
        except OSError as error:
            return Ran(1, "", str(error.strerror))
        try:
            async with asyncio.timeout(timeout_s):
                if given:
                    child.write(given)
                child.close_input()
                await child.finished()
        except TimeoutError:
            return Ran(None, "", "")
        finally:
            await child.aclose()
        out, err = (printed[fd].decode("utf-8", "replace") for fd in (1, 2))
        return Ran(child.code, out, err)

    async def on(self, socket: str, *words: str, timeout_s: float, given: bytes | None = None) -> Ran:
        """One command to the server behind ``socket``, which must already run."""
        return await self.run("-u", "-N", "-S", socket, *words, timeout_s=timeout_s, given=given)
