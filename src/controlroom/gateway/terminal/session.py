"""What one socket holds of a terminal: a session that shows output, takes input, and ends with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from controlroom.core.terminal import Reason, Size
from controlroom.gateway.channels import Link

RIGHT: Final = "terminal"
NOT_ANY_MORE: Final = "Terminal grant expired for this device"


class CannotAttach(Exception):
    """There is no terminal to show; the text is for people."""


class Session(Protocol):
    """One attached session of one socket."""

    @property
    def name(self) -> str:
        """What the client calls it."""

    def described(self) -> Mapping[str, object]:
        """``pid``, ``shell``, ``cols``, ``rows`` and ``tmux_available`` as they are now."""

    async def type(self, data: str) -> str | None:
        """Take input. None, or why it was refused."""

    def resize(self, size: Size) -> bool:
        """Take a size. False: it stays as it is, and the client should hear which that is."""

    async def pump(self) -> None:
        """Send output until the end, then ``terminal.detached`` with the reason."""

    async def end(self, reason: Reason, *, say: bool = True) -> None:
        """Let go of everything; then ``pump`` ends too. Safe to call again, the first reason counts."""


class Voice:
    """How a session speaks to its client: never after the right has expired, and its end only once."""

    def __init__(self, link: Link, name: str) -> None:
        self._link = link
        self._name = name
        self._is_silent = False
        self.asked: Reason | None = None
        """Why the session was ended from here."""

    def may(self) -> bool:
        return self._link.may(RIGHT)

    async def output(self, text: str) -> bool:
        """Send output, waiting for a slow device. False: the session must end."""
        if not text:
            return True
        if self.asked is None and self._link.is_open and not self.may():
            self.ask("grant expired")
            await self._link.system_error(NOT_ANY_MORE)
        if self.asked == "grant expired":
            return False
        return await self._link.send("terminal.output", {"session_name": self._name, "data": text})

    async def attached(self, described: Mapping[str, object], id: str | None = None) -> bool:
        """Send ``terminal.attached``."""
        return await self._link.send("terminal.attached", {"session_name": self._name, **described}, id=id)

    def ask(self, reason: Reason, *, say: bool = True) -> None:
        """Note why the session ends; the first reason counts."""
        if self.asked is None:
            self.asked = reason
            self._is_silent = not say

    async def detached(self, reason: Reason) -> None:
        if not self._is_silent:
            self._is_silent = True
            await self._link.send("terminal.detached", {"session_name": self._name, "reason": reason})
