"""Small channels that show what a socket does for them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from aiohttp import web

from controlroom.gateway.access import Access
from controlroom.gateway.channels import Channel, Handler, Link
from controlroom.wire.relay import Envelope


class Echo:
    """What happened on the channels, and how they behave."""

    def __init__(self) -> None:
        self.handled: list[str] = []
        self.closed: list[str] = []
        self.links: list[Link] = []
        self.gate = asyncio.Event()
        self.gate.set()


class EchoChannel:
    """``x.slow`` waits for the gate, ``x.flood`` sends without end, ``x.fail`` fails, others are echoed."""

    def __init__(self, name: str, right: str | None, echo: Echo) -> None:
        self.name = name
        self.right = right
        self._echo = echo

    async def open(self, link: Link) -> Handler:
        self._echo.links.append(link)
        return _EchoHandler(link, self._echo)


class _EchoHandler:
    def __init__(self, link: Link, echo: Echo) -> None:
        self._link = link
        self._echo = echo

    async def receive(self, message: Envelope) -> None:
        self._echo.handled.append(f"{message.channel}:{message.payload.get('n', message.type)}")
        if message.type == "x.fail":
            raise RuntimeError("made to fail")
        if message.type == "x.slow":
            await self._echo.gate.wait()
        if message.type == "x.flood":
            while await self._link.send("x.flood", {"data": "x" * 4096}):
                pass
            return
        await self._link.send("x.echoed", message.payload, id=message.id or None)

    async def aclose(self, reason: str) -> None:
        if reason == "server shutdown":
            await self._link.send("x.bye", {"reason": reason})
        self._echo.closed.append(f"{reason}:{self._link.is_open}")


class EchoPart:
    capabilities: Sequence[str] = ("echo",)

    def __init__(self, echo: Echo) -> None:
        self._echo = echo

    def channels(self) -> Sequence[Channel]:
        return (
            EchoChannel("terminal", "terminal", self._echo),
            EchoChannel("bridge", "bridge", self._echo),
            EchoChannel("free", None, self._echo),
        )

    def routes(self, access: Access) -> Sequence[web.RouteDef]:
        return ()

    def numbers(self) -> Mapping[str, int]:
        return {"echoes": 1}

    async def start(self) -> None: ...

    async def aclose(self) -> None: ...
