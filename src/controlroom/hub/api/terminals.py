"""Shells of this machine for browsers: one socket from its hello to its end.

What a shell is and how it is attached is the terminals' own business (``hub.ports.HostTerminals``); here is
who it is, whether it may, and in which order things are said. The right ``terminal`` is asked for each
message, for each piece of output, and every few seconds: when it ends, or the device locks itself, the
socket lets go of its shells at once. They go on in their tmux server.

A reader, and a worker that hands on what was said in its order. Whoever sends waits for a slow browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import msgspec
import structlog
from aiohttp import WSMsgType, web

from controlroom import __version__
from controlroom.core.access import API, rule_of
from controlroom.core.terminal import SESSIONS_PER_SOCKET
from controlroom.core.text import clean_line
from controlroom.hub.api.callers import Caller
from controlroom.hub.api.errors import explain
from controlroom.hub.devices import DeviceBook
from controlroom.hub.errors import HubError
from controlroom.hub.ports import HostTerminals, TerminalHandler
from controlroom.hub.receipts import ReceiptBook
from controlroom.kit.clock import new_id, wait_at_most
from controlroom.kit.http import Peer, peer_of
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import HelloFrame, Refused, decode_from_client
from controlroom.wire.codec import decode, encode
from controlroom.wire.device import Device
from controlroom.wire.relay import Envelope
from controlroom.wire.terminals import PROTOCOL, TerminalMessage, TerminalsReady

_log = structlog.get_logger("terminals")

SUBJECT = f"GET {API}/terminals"
POLICY = 1008  # RFC 6455: the endpoint does not go on with somebody like this
AWAY = 1001
FRAME_LIMIT = 1024 * 1024  # of what a browser says; a paste has 256 k characters
HELLO_S = 10.0  # who does not greet is not our page
HEARTBEAT_S = 25.0  # a browser answers pings by itself; a silent one is gone after half of that again
SEND_S = 30.0  # a browser that takes nothing for this long is gone
GOOD_BYE_S = 3.0
CHECK_S = 2.0  # how soon a shell that prints nothing goes when its right does
CLOSE_S = 5.0  # for shells to be let go of; a hang-up takes milliseconds
MOST_WAITING = 64  # messages of one browser
RIGHT_ENDED = "grant expired"  # ``core.terminal.Reason``
STOPS = "server shutdown"


class TerminalSockets:
    """All of these sockets. Without ``over`` there are no terminals to speak of."""

    def __init__(self, devices: DeviceBook, receipts: ReceiptBook) -> None:
        self.devices = devices
        self.receipts = receipts
        self.over: HostTerminals | None = None
        self._open: set[TerminalSocket] = set()

    async def serve(
        self, request: web.Request, greeted: Callable[[str | None], Caller]
    ) -> web.WebSocketResponse:
        if self.over is None:
            raise HubError("not_found", "This control room has no terminals.")
        ws = web.WebSocketResponse(
            compress=True, max_msg_size=FRAME_LIMIT, timeout=GOOD_BYE_S, heartbeat=HEARTBEAT_S
        )
        await ws.prepare(request)
        socket = TerminalSocket(self, self.over, ws, request, greeted)
        self._open.add(socket)
        try:
            await socket.run()
        finally:
            self._open.discard(socket)
        return ws

    def poke(self, device_id: str) -> None:
        """Something about this device's rights changed: its sockets look now."""
        for socket in self._open:
            if socket.by == f"device:{device_id}":
                socket.poke()

    async def aclose(self) -> None:
        """Let go of all shells and say good-bye; browsers come again by themselves."""
        await asyncio.gather(*(socket.stop() for socket in tuple(self._open)))


class TerminalSocket:
    """One browser; also what the terminals see of it (``hub.ports.TerminalLink``)."""

    def __init__(
        self,
        shared: TerminalSockets,
        terminals: HostTerminals,
        ws: web.WebSocketResponse,
        request: web.Request,
        greeted: Callable[[str | None], Caller],
    ) -> None:
        self.id = new_id("sock")
        self.by = ""
        self.peer: Peer = peer_of(request)
        self._shared = shared
        self._terminals = terminals
        self._ws = ws
        self._request = request
        self._greeted = greeted
        self._caller: Caller
        self._device: Device
        self._handler: TerminalHandler | None = None
        self._typed: set[str] = set()
        self._said: asyncio.Queue[TerminalMessage] = asyncio.Queue(MOST_WAITING)
        self._turn = asyncio.Lock()  # one frame after the other
        self._look = asyncio.Event()
        self._is_over = False
        self._tasks = Tasks(f"terminals:{self.id}")

    async def run(self) -> None:
        try:
            if not await self._is_let_in():
                return
            self._tasks.start("work", self._work())
            self._tasks.start("rights", self._watch_rights())
            while (message := await self._next()) is not None:
                await self._said.put(message)
        finally:
            # In a task of its own, so that a request that is cancelled leaves no terminal behind.
            await asyncio.shield(self._tasks.start("end", self._end("socket closed", 1000, "")))
            await self._tasks.aclose()

    def poke(self) -> None:
        self._look.set()

    async def stop(self) -> None:
        """The control room stops."""
        await self._end(STOPS, AWAY, "The control room stops.")

    # ---- as the terminals see it -----------------------------------------------------------------------

    @property
    def device(self) -> Device:
        return self._device

    @property
    def is_open(self) -> bool:
        return not self._is_over

    def may(self, right: str) -> bool:
        return right == rule_of(SUBJECT).right and self._caller.may(rule_of(SUBJECT))

    async def send(self, type_: str, payload: Mapping[str, object], *, id: str | None = None) -> bool:
        return await self._put(encode(TerminalMessage(type=type_, id=id or new_id("msg"), payload=payload)))

    async def system_error(self, message: str, *, id: str | None = None) -> bool:
        """What ends everything is told by why it ends, the rest by the terminals' own words."""
        try:
            self._check()
        except HubError as refusal:
            return await self._refuse(refusal)
        return await self._refuse(HubError("failed", message))

    # ---- what it says ----------------------------------------------------------------------------------

    async def _is_let_in(self) -> bool:
        try:
            message = await self._ws.receive(timeout=HELLO_S)
        except TimeoutError:
            return False
        if message.type is not WSMsgType.TEXT:
            return False
        try:
            self._caller = self._greeted(_hello(message.data).key)
            self.by = self._caller.by
            self._check()
            device = self._shared.devices.get(self.by.removeprefix("device:"))
            if device is None:
                raise HubError("not_allowed", "Shells are for paired devices.")
        except HubError as refusal:
            await self._refuse(refusal)
            await self._close(POLICY, refusal.code)
            return False
        self._device = device
        await self._put(
            encode(TerminalsReady(protocol=PROTOCOL, version=__version__, sessions=SESSIONS_PER_SOCKET))
        )
        return True

    def _check(self) -> None:
        """Raises HubError, which says what is missing."""
        rule = rule_of(SUBJECT)
        if not self._caller.may(rule):
            raise self._caller.refusal("terminal", rule)

    async def _next(self) -> TerminalMessage | None:
        """The next message, None at the end."""
        while True:
            message = await self._ws.receive()
            if message.type is not WSMsgType.TEXT:
                return None
            try:
                return decode(message.data, TerminalMessage)
            except (msgspec.ValidationError, msgspec.DecodeError) as error:
                text = f"This message cannot be read: {str(error)[:200]}"
                await self._refuse(HubError("bad_request", text))

    async def _work(self) -> None:
        while True:
            message = await self._said.get()
            try:
                self._check()
                self._caller.acts()
                if self._handler is None:
                    self._handler = await self._terminals.open(self)
                await self._note(message)
                await self._handler.receive(
                    Envelope(channel="terminal", type=message.type, id=message.id, payload=message.payload)
                )
            except Exception as error:  # noqa: BLE001 - the edge: it is said to the browser, the socket stays
                refusal = explain(error)
                if refusal.code == "not_allowed":
                    await self._shared.receipts.refused(self.by, "terminal", None, refusal.text)
                await self._refuse(refusal)

    async def _note(self, message: TerminalMessage) -> None:
        """A receipt for what changes something: typing (once for each shell of this socket), ending one."""
        name = clean_line(str(message.payload.get("session_name") or ""), 60) or "a shell"
        if message.type == "terminal.kill":
            await self._shared.receipts.done(self.by, "terminal", None, f"Ended the shell {name}.")
        elif message.type == "terminal.input" and name not in self._typed:
            self._typed.add(name)
            await self._shared.receipts.done(self.by, "terminal", None, f"Typed into the shell {name}.")

    # ---- its end ---------------------------------------------------------------------------------------

    async def _watch_rights(self) -> None:
        while True:
            await wait_at_most(self._look, CHECK_S)
            self._look.clear()
            try:
                self._check()
            except HubError as refusal:
                await self._refuse(refusal)
                self._tasks.start("out", self._end(RIGHT_ENDED, POLICY, refusal.code))
                return

    async def _end(self, reason: str, code: int, why: str) -> None:
        """Let go of the shells, then hang up."""
        handler, self._handler = self._handler, None
        if handler is not None:
            try:
                async with asyncio.timeout(CLOSE_S):
                    await handler.aclose(reason)
            except Exception as error:  # noqa: BLE001 - the socket must end whatever its shells do
                _log.error("shells were not let go of", by=self.by, exc_info=error)
        self._is_over = True
        await self._close(code, why)

    async def _close(self, code: int, why: str) -> None:
        if self._ws.closed:
            return
        try:
            async with asyncio.timeout(GOOD_BYE_S):
                await self._ws.close(code=code, message=why.encode())
        except (TimeoutError, ConnectionError):
            self._hang_up()

    def _hang_up(self) -> None:
        if self._request.transport is not None:
            self._request.transport.abort()

    # ---- what it is told -------------------------------------------------------------------------------

    async def _refuse(self, refusal: HubError) -> bool:
        return await self._put(encode(Refused(code=refusal.code, text=refusal.text)))

    async def _put(self, data: bytes) -> bool:
        if self._is_over or self._ws.closed:
            return False
        try:
            async with asyncio.timeout(SEND_S), self._turn:
                await self._ws.send_str(data.decode())
        except (TimeoutError, ConnectionError, RuntimeError) as error:
            _log.info("a browser is gone", by=self.by, error=repr(error))
            self._is_over = True
            self._hang_up()
            return False
        return True


def _hello(data: str) -> HelloFrame:
    try:
        frame = decode_from_client(data)
    except (msgspec.ValidationError, msgspec.DecodeError):
        frame = None
    if not isinstance(frame, HelloFrame):
        raise HubError("bad_request", "Say hello first.")
    return frame
