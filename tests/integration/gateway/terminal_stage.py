"""A stage for the terminal channel without a socket: a link that remembers, and a tmux server of its own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from controlroom.gateway.ports import AgentPanes
from controlroom.gateway.terminal.channel import TerminalHandler
from controlroom.gateway.terminal.part import Terminals
from controlroom.gateway.terminal.tmux import server_name
from controlroom.kit.home import Home
from controlroom.kit.http import Peer
from controlroom.wire.device import Device
from controlroom.wire.relay import Envelope
from tests.support.tmux import TmuxFolder, TmuxServer
from tests.support.waiting import until

DEVICE = Device(
    id="dev_1",
    prefix="12345678",
    kind="relay",
    name="Phone",
    device_id="phone-1",
    created_ms=0,
    last_seen_ms=0,
    expires_ms=None,
    grants={"terminal": None},
)


class RecordingLink:
    """A device that reads everything at once, or (``hold``) nothing."""

    def __init__(self) -> None:
        self.id = "sock_1"
        self.device = DEVICE
        self.peer = Peer(door="device", address="192.0.2.7")
        self.is_open = True
        self.sent: list[tuple[str, dict[str, Any], str | None]] = []
        self.has_right = True
        self._room = asyncio.Event()
        self._room.set()

    def may(self, right: str) -> bool:
        return self.has_right and right == "terminal"

    def hold(self) -> None:
        self._room.clear()

    def let_go(self) -> None:
        self._room.set()

    def drop(self) -> None:
        """The socket has ended."""
        self.is_open = False
        self._room.set()

    async def send(self, type_: str, payload: Mapping[str, object], *, id: str | None = None) -> bool:
        await self._room.wait()
        if self.is_open:
            self.sent.append((type_, dict(payload), id))
        return self.is_open

    async def system_error(self, message: str, *, id: str | None = None) -> bool:
        return await self.send("system.error", {"message": message}, id=id)

    def of(self, type_: str) -> list[dict[str, Any]]:
        return [payload for kind, payload, _ in self.sent if kind == type_]

    def output(self, name: str) -> str:
        return "".join(one["data"] for one in self.of("terminal.output") if one["session_name"] == name)


class Stage:
    """The part with sockets on it. ``tmux`` is its server, for looking at."""

    def __init__(
        self,
        folder: TmuxFolder,
        *,
        panes: AgentPanes | None = None,
        path: str | None = None,
        more: Mapping[str, str] | None = None,
    ) -> None:
        self.home = Home(folder.path / "home")
        self.home.path.mkdir(exist_ok=True)
        self.environment = {**folder.environment, "PS1": "$ ", **(more or {})}
        if path is not None:
            self.environment["PATH"] = path
        self.panes = panes
        self.tmux = TmuxServer(folder.path, server_name(self.home.path))
        self.terminals = self._make()
        self._handlers: list[TerminalHandler] = []

    def _make(self) -> Terminals:
        return Terminals(home=self.home, environment=self.environment, panes=self.panes)

    async def start(self) -> None:
        await self.terminals.start()

    async def restart(self) -> None:
        """As a restart of the Control Room."""
        await self.close_sockets("server shutdown")
        await self.terminals.aclose()
        self.terminals = self._make()
        await self.terminals.start()

    async def socket(self) -> tuple[RecordingLink, TerminalHandler]:
        link = RecordingLink()
        (channel,) = self.terminals.channels()
        handler = await channel.open(link)
        assert isinstance(handler, TerminalHandler)
        self._handlers.append(handler)
        return link, handler

    async def close_sockets(self, reason: str = "socket closed") -> None:
        for handler in self._handlers:
            await handler.aclose(reason)
        self._handlers.clear()

    async def aclose(self) -> None:
        await self.close_sockets()
        await self.terminals.aclose()
        if pid := self.tmux.run("display-message", "-p", "#{pid}", check=False):
            self.tmux.pid = int(pid)
            self.tmux.kill()

    def clients(self) -> list[str]:
        return self.tmux.clients()


async def say(handler: TerminalHandler, type_: str, id: str = "q", **payload: object) -> None:
    await handler.receive(Envelope(channel="terminal", type=f"terminal.{type_}", id=id, payload=payload))


async def shows(link: RecordingLink, name: str, text: str) -> None:
    try:
        await until(lambda: text in link.output(name))
    except AssertionError:
        raise AssertionError(f"{name} never showed {text!r}: {link.output(name)!r}") from None


def terminals_of_this_process() -> list[str]:
    """Master sides of terminals that this process has open."""
    found = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(entry)
        except OSError:
            continue
        if target.endswith("/ptmx"):
            found.append(entry.name)
    return found
