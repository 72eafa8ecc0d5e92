"""What the two model servers share: scripts that say how to answer, gates that hold a reply back, and a
small HTTP server on loopback.

A script is a list of steps; the first one that fits a request answers it. Nothing in a script depends on
time: a reply that has to last until a test has looked around is held at a ``Gate``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Generic, TypeVar

import msgspec
from aiohttp import web

Action = TypeVar("Action")
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

MAX_REQUEST_BYTES = 256 * 1024 * 1024  # agents repeat the whole conversation in each request
TOOL_RESULT = "TOOL_RESULT "  # stands before the output of a tool in the text that steps are matched with
CLOSE_S = 1.0  # a reply that still runs when the server closes is of no use to anybody


class Gate:
    """Stands between two pieces of a reply: what is behind it is sent when a test opens it."""

    def __init__(self) -> None:
        self._arrived = asyncio.Event()
        self._opened = asyncio.Event()

    async def arrived(self, timeout_s: float = 60) -> None:
        """Wait until a reply stands at the gate. All pieces before it are sent; the agent may not have shown
        them yet."""
        async with asyncio.timeout(timeout_s):
            await self._arrived.wait()

    def open(self) -> None:
        self._opened.set()

    async def wait(self) -> None:
        """For servers: report the arrival and wait until the gate is open."""
        self._arrived.set()
        await self._opened.wait()


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """An HTTP error instead of a reply."""

    status: int
    body: Mapping[str, object]
    headers: Mapping[str, str] = {}


class _Step(msgspec.Struct, Generic[Action], kw_only=True):
    action: Action
    match: re.Pattern[str]
    side: bool
    times_left: int | None  # None: for ever


class Script(Generic[Action]):
    """Steps in the order in which they were added."""

    def __init__(self) -> None:
        self._steps: list[_Step[Action]] = []

    def add(self, action: Action, *, match: str, times: int | None, side: bool) -> None:
        """``match`` is searched in the newest text of a request; ``side`` steps answer only the requests
        that an agent makes for itself (titles, checks). ``times`` None: for ever."""
        pattern = re.compile(match, re.DOTALL)
        self._steps.append(_Step(action=action, match=pattern, side=side, times_left=times))

    def clear(self) -> None:
        self._steps.clear()

    def take(self, text: str, *, side: bool) -> Action | None:
        """The action of the first step that fits, which is used up by one."""
        for step in self._steps:
            if step.side != side or not step.match.search(text):
                continue
            if step.times_left is not None:
                step.times_left -= 1
                if step.times_left == 0:
                    self._steps.remove(step)
            return step.action
        return None


class EventStream:
    """Server-sent events as the model APIs write them: the event's name is also its ``type``."""

    def __init__(self, response: web.StreamResponse) -> None:
        self.response = response

    async def send(self, type_: str, **fields: object) -> None:
        data = msgspec.json.encode({"type": type_, **fields})
        await self.response.write(b"event: " + type_.encode() + b"\ndata: " + data + b"\n\n")


async def open_stream(request: web.Request, headers: Mapping[str, str]) -> EventStream:
    """Begin a 200 answer that is a stream of events; the connection closes with it."""
    response = web.StreamResponse(headers={"cache-control": "no-cache", **headers})
    response.content_type = "text/event-stream"
    response.force_close()
    await response.prepare(request)
    return EventStream(response)


class Loopback:
    """An HTTP server on 127.0.0.1; all paths go to one handler."""

    def __init__(self, handler: Handler) -> None:
        self._app = web.Application(client_max_size=MAX_REQUEST_BYTES)
        self._app.router.add_route("*", "/{path:.*}", handler)
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self, port: int = 0) -> None:
        """Listen. A client that hangs up cancels the handler that answers it."""
        runner = web.AppRunner(
            self._app, handler_cancellation=True, shutdown_timeout=CLOSE_S, access_log=None
        )
        await runner.setup()
        self._runner = runner
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"

    async def aclose(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None


def chunks(text: str, size: int) -> list[str]:
    """``text`` in pieces of ``size`` characters; one empty piece when it is empty."""
    return [text[at : at + size] for at in range(0, len(text), size)] or [""]
