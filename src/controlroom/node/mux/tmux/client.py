"""One control client: a ``tmux -C attach`` process with its pipe, from attach to its end.

It asks and answers in order, and never reconnects: whoever owns it (``link``) starts another. It draws
nothing, receives no output of panes (``no-output``: a slow reader would stall agents, spikes.md section 1)
and does not count for sizes (``ignore-size``; ``refresh-client -C`` is never sent, it resizes all the same).
``-E`` keeps the session's environment: without it an attach from a service removed SSH_AUTH_SOCK and
DISPLAY from the person's session (measured with tmux 3.3a).
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable
from typing import Literal, TypeVar

import structlog

from controlroom.kit.child import Child
from controlroom.node.mux.tmux.binary import Binary
from controlroom.node.mux.tmux.protocol import Block, ControlParser, Event, Garbage, Notice, request

_log = structlog.get_logger("tmux")
T = TypeVar("T")

OUTPUT = 1
ATTACH_TIMEOUT_S = 5.0  # an attach needs 10 ms; a loaded machine may need seconds
END_TIMEOUT_S = 2.0  # the client ends as soon as its input does


End = Literal["left", "torn", "stuck", "closed"]
"""Why a client ended. ``left``: the server sent it away, or the process ended; ``torn``: it printed what
control mode never prints, most likely a hostile screen; ``stuck``: no answer in time; ``closed``: by its
owner."""


class Disconnected(Exception):
    """The control client ended or cannot be trusted; what it was asked last may or may not have happened."""


class NoAnswer(Disconnected):
    """The server did not answer in time."""


class _Request:
    def __init__(self, nonce: bytes) -> None:
        self.nonce = nonce
        self.blocks: list[Block] = []
        self.answer: asyncio.Future[list[Block]] = asyncio.get_running_loop().create_future()


class ControlClient:
    """Attached to ``session`` of the server behind ``socket`` after ``start``."""

    def __init__(
        self, binary: Binary, socket: str, session: str, noticed: Callable[[Notice], None] = lambda _: None
    ) -> None:
        self._arguments = binary.arguments(
            socket, "-C", "attach-session", "-E", "-f", "no-output,ignore-size", "-t", session
        )
        self._environment = binary.environment
        self._noticed = noticed
        self._child: Child | None = None
        self._parser = ControlParser()
        self._waiting: deque[_Request] = deque()
        self._attached: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._closed = asyncio.Event()
        self.end: End | None = None

    @property
    def is_open(self) -> bool:
        return self._attached.done() and not self._closed.is_set()

    async def start(self) -> None:
        """Returns when attached. Raises Disconnected."""
        try:
            self._child = await Child.spawn(
                self._arguments,
                self._environment,
                self._received,
                lambda: self._end("left", "the client process ended"),
                # One that outlives us with an answer unread is never let go by tmux 3.3a, whose server then
                # cannot end either.
                ends_with_us=True,
            )
            async with asyncio.timeout(ATTACH_TIMEOUT_S):
                await self._attached
        except TimeoutError:
            raise NoAnswer("the attach did not finish") from None
        except OSError as error:
            raise Disconnected(str(error.strerror)) from error

    async def closed(self) -> None:
        """Returns when this client has ended, for whatever reason."""
        await self._closed.wait()

    def abandon(self, why: str) -> None:
        """End now: answers of this connection are not believed any more."""
        self._end("torn", why)

    async def aclose(self) -> None:
        """Detach, and end the process. The server and its sessions stay as they are."""
        self._end("closed", "")
        if self._child is None:
            return
        self._child.close_input()
        try:
            async with asyncio.timeout(END_TIMEOUT_S):
                await self._child.exited()
        except TimeoutError:
            pass
        finally:
            await self._child.aclose()

    async def ask(self, *lines: str, timeout_s: float) -> list[Block]:
        """The blocks that these command lines printed, errors included.

        Raises Disconnected. After a time-out nothing of this connection is used any more: answers have no
        other order than that of the questions.
        """
        if not self.is_open or self._child is None:
            raise Disconnected(self.end or "not attached")
        nonce = secrets.token_hex(12)
        waiting = _Request(nonce.encode())
        self._waiting.append(waiting)
        self._parser.expect(nonce)
        self._child.write(request(nonce, *lines))
        try:
            async with asyncio.timeout(timeout_s):
                return await waiting.answer
        except TimeoutError:
            self._end("stuck", f"no answer in {timeout_s:g} s")
            raise NoAnswer(f"no answer in {timeout_s:g} s") from None

    def _received(self, fd: int, data: bytes) -> None:
        if fd == OUTPUT:
            for event in self._parser.feed(data):
                self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case Garbage(text):
                self._end("torn", text)
            case Notice("exit", rest):
                self._end("left", rest)
            case Notice():
                self._noticed(event)
            case Block() if not self._attached.done():
                if event.ok:
                    self._attached.set_result(None)
                else:
                    self._end("left", event.text)
            case Block(ours=True) if self._waiting:
                self._answer(event)
            case Block(ours=True):
                self._end("torn", "an answer to no question")
            case _:
                pass  # a hook of the person printed something

    def _answer(self, block: Block) -> None:
        asked = self._waiting[0]
        if block.lines == (asked.nonce,):
            self._waiting.popleft()
            if not asked.answer.done():
                asked.answer.set_result(asked.blocks)
        else:
            asked.blocks.append(block)

    def _end(self, end: End, why: str) -> None:
        if self._closed.is_set():
            return
        self.end = end
        self._closed.set()
        _log.debug("control client ended", end=end, why=why)
        error = f"{end}: {why}"
        _fail(self._attached, error)
        for waiting in self._waiting:
            _fail(waiting.answer, error)
        self._waiting.clear()


def _fail(future: asyncio.Future[T], why: str) -> None:
    if not future.done():
        future.set_exception(Disconnected(why))
        future.exception()  # counts as seen: whoever asked may have given up before
