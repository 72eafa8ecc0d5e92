"""A person's shell: most often a client of our tmux server on a terminal of ours, else a bare login shell."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from controlroom.core.terminal import OutputBatch, Reason, Size, reason_of_end
from controlroom.core.text import clean_line
from controlroom.gateway.terminal.pty import INPUT_BYTES, Pty
from controlroom.gateway.terminal.session import CannotAttach, Voice

FIRST_OUTPUT_S: Final = 10.0  # tmux draws within 30 ms; a loaded machine may need seconds
ESCAPE: Final = b"\x1b"


class ShellSession:
    """One client's terminal on a shell. ``lives``: whether the shell goes on without it (a tmux session)."""

    def __init__(
        self,
        *,
        voice: Voice,
        name: str,
        tmux_name: str,
        shell: str,
        size: Size,
        pty: Pty,
        lives: Callable[[], Awaitable[bool]] | None,
    ) -> None:
        self.name = name
        self.tmux_name = tmux_name
        self.shell = shell
        self.was_killed = False
        self._voice = voice
        self._size = size
        self._pty = pty
        self._lives = lives
        self._batch = OutputBatch(is_from_tmux=lives is not None)

    @property
    def pid(self) -> int:
        return self._pty.pid

    async def start(self) -> None:
        """Wait until tmux draws: what fails, fails before. Raises CannotAttach."""
        if self._lives is None:
            return
        said = b""
        try:
            async with asyncio.timeout(FIRST_OUTPUT_S):
                while ESCAPE not in said:
                    data = await self._pty.read()
                    if not data:
                        raise CannotAttach(clean_line(said.decode(errors="replace")) or "tmux ended at once")
                    said += data
        except TimeoutError:
            raise CannotAttach(f"tmux drew nothing in {FIRST_OUTPUT_S:g} s") from None
        self._batch.add(said)

    def described(self) -> Mapping[str, object]:
        size = {"cols": self._size.columns, "rows": self._size.rows}
        has_tmux = self._lives is not None
        return {"pid": self.pid, "shell": self.shell, **size, "tmux_available": has_tmux}

    async def type(self, data: str) -> str | None:
        if self._pty.write(data.encode(errors="replace")):
            return None
        most = f"{INPUT_BYTES // 1024} kB"
        return (
            f"Input refused: the program has not read what waits already ({most} at most). It was not typed."
        )

    def resize(self, size: Size) -> bool:
        self._size = size
        self._pty.resize(size)
        return True

    async def pump(self) -> None:
        try:
            if await self._copy():
                await self._voice.output(self._batch.rest())
            reason = await self._reason()
        finally:
            await self._pty.aclose()
        await self._voice.detached(reason)

    async def end(self, reason: Reason, *, say: bool = True) -> None:
        self._voice.ask(reason, say=say)
        await self._pty.aclose()

    async def _copy(self) -> bool:
        """Copy output until the program has ended. False: the socket has, or its right."""
        now = asyncio.get_running_loop().time
        while True:
            due = self._batch.due_at
            if due is not None and due <= now():
                if not await self._voice.output(self._batch.take(now())):
                    return False
                await asyncio.sleep(0)  # a program that prints without end is not alone here
                continue
            data = await self._pty.read(None if due is None else due - now())
            if data == b"":
                return self._voice.asked is None
            if data is not None:
                self._batch.add(data)

    async def _reason(self) -> Reason:
        asked = self._voice.asked
        lives = asked is None and not self.was_killed and self._lives is not None and await self._lives()
        return reason_of_end(
            asked=self._voice.asked, was_killed=self.was_killed, session_lives=lives, broke=self._pty.broke
        )
