"""One relay socket: frames in and out around the machine of ``core.relay``.

The reader feeds frames to the machine and performs what it says; each channel has a lane of its own; one
writer empties the outbox. Whatever ends the socket, its lanes are closed and its tasks are over when ``run``
returns.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

import structlog
from aiohttp import WSMsgType, web

from controlroom.core.limiter import Limiter
from controlroom.core.relay import (
    POLICY,
    SHUTDOWN,
    Accepted,
    AuthTimeout,
    Blocked,
    Changed,
    Close,
    CountFailure,
    Deliver,
    Effect,
    Ended,
    Event,
    Refused,
    Rights,
    Send,
    ShuttingDown,
    Socket,
    Text,
    Try,
    Unavailable,
    step,
    system_error,
)
from controlroom.gateway.channels import GRANT_EXPIRED, Channel
from controlroom.gateway.lanes import Lane
from controlroom.gateway.login import BookFailed, Login
from controlroom.gateway.outbox import Outbox
from controlroom.kit.clock import Clock, new_id, new_uuid
from controlroom.kit.http import Peer
from controlroom.kit.supervise import Tasks
from controlroom.wire.codec import encode
from controlroom.wire.device import Device, DeviceEnd
from controlroom.wire.relay import Envelope

_log = structlog.get_logger("relay")
FLUSH_S: Final = 2.0  # for a last word to a device that reads
GOOD_BYE_S: Final = 2.0  # for the peer's answer to our close frame
SHUTDOWN_DRAIN_S: Final = 2.0  # the whole service waits for it


class RelaySocket:
    """A socket from its upgrade to its end."""

    def __init__(
        self,
        *,
        ws: web.WebSocketResponse,
        request: web.Request,
        peer: Peer,
        channels: Mapping[str, Channel],
        login: Login,
        limiter: Limiter,
        clock: Clock,
        auth_timeout_s: float,
    ) -> None:
        self.id = new_id("sock")
        self.peer = peer
        self._ws = ws
        self._request = request
        self._channels = channels
        self._login = login
        self._limiter = limiter
        self._clock = clock
        self._auth_timeout_s = auth_timeout_s
        self._machine = Socket(channels={name: channel.right for name, channel in channels.items()})
        self._device: Device | None = None
        self._news: Device | None = None  # what the book told while the login went on
        self._outbox = Outbox()
        self._lanes: dict[str, tuple[Lane, asyncio.Task[None]]] = {}
        self._tasks = Tasks(self.id)
        self._is_shutting_down = False
        self._is_closing = False
        self._has_closed = asyncio.Event()
        self._patience: asyncio.Timeout | None = None  # while the reader waits for a frame
        self._is_idle = asyncio.Event()  # while it does not

    @property
    def is_waiting(self) -> bool:
        """Whether nobody knows yet who it is."""
        return self._machine.state in {"waiting", "trying"}

    @property
    def is_open(self) -> bool:
        return self._machine.state == "open" and self._outbox.is_open

    @property
    def device(self) -> Device | None:
        """Who it is; known a moment before the socket is open."""
        return self._device

    def may(self, right: str | None) -> bool:
        rights = self._machine.rights
        if self._machine.state != "open" or rights is None:
            return False
        return rights.may(right, self._clock.now_ms())

    async def send(self, effect: Send, **top_level: object) -> bool:
        """Send an envelope, waiting while the socket is full."""
        return await self._outbox.put(_frame(effect, top_level))

    def offer(self, effect: Send, **top_level: object) -> bool:
        """Send an envelope unless the socket is full; waits for nobody."""
        return self.is_open and self._outbox.offer(_frame(effect, top_level))

    async def run(self) -> None:
        """Serve the socket to its end."""
        self._tasks.start("write", self._write())
        try:
            await self._first_frames()
            while self._machine.state == "open" and (data := await self._next()) is not None:
                await self._feed(Text(data, self._clock.now_ms()))
        finally:
            # In a task of its own, so that a cancelled request does not leave a terminal behind.
            await asyncio.shield(self._tasks.start("end", self._end("socket closed")))
            await self._tasks.aclose()

    async def changed(self, device: Device) -> None:
        """The device has other rights now: channels that it may not use any more end."""
        self._device = self._news = device
        await self._feed(Changed(_rights(device)))
        if self._machine.state != "open":
            return
        lost = {name: lane for name, lane in self._lanes.items() if not self.may(self._channels[name].right)}
        for name in lost:
            del self._lanes[name]
        await asyncio.gather(*(lane.aclose(task, GRANT_EXPIRED) for lane, task in lost.values()))

    async def ended(self, why: DeviceEnd) -> None:
        """The device is out."""
        await self._feed(Ended(is_expired=why == "expired"))

    async def shut_down(self) -> None:
        """The service stops: channels say good-bye on the open socket, then it is closed."""
        self._is_shutting_down = True
        await self._close_lanes(SHUTDOWN, SHUTDOWN_DRAIN_S)
        await self._feed(ShuttingDown())

    async def _first_frames(self) -> None:
        try:
            data = await self._next(asyncio.get_running_loop().time() + self._auth_timeout_s)
        except TimeoutError:
            await self._feed(AuthTimeout())
            return
        if data is None:
            return
        if self._limiter.blocked_for(self.peer.address, self._clock.monotonic()):
            await self._feed(Blocked())
            return
        await self._feed(Text(data, self._clock.now_ms()))

    async def _next(self, deadline: float | None = None) -> str | None:
        """The next text frame, None when the socket has ended. Binary frames are ignored.

        Raises TimeoutError at ``deadline``, a time of the event loop.
        """
        while True:
            try:
                async with asyncio.timeout_at(deadline) as self._patience:
                    self._is_idle.clear()
                    message = await self._ws.receive()
            except TimeoutError:
                if self._is_closing:
                    return None
                raise
            finally:
                self._patience = None
                self._is_idle.set()
            if message.type is WSMsgType.TEXT:
                text: str = message.data
                return text
            if message.type is not WSMsgType.BINARY:
                return None

    async def _write(self) -> None:
        try:
            await self._outbox.write_all(lambda frame: self._ws.send_frame(frame, WSMsgType.TEXT))
        except (ConnectionError, RuntimeError):  # the device is gone; the reader notices too
            self._outbox.end(discard=True)

    async def _feed(self, event: Event) -> None:
        self._machine, effects = step(self._machine, event)
        for effect in effects:
            await self._perform(effect)

    async def _perform(self, effect: Effect) -> None:
        match effect:
            case Send():
                await self.send(effect)
            case Deliver():
                await self._deliver(effect)
            case CountFailure(bucket=bucket):
                self._limiter.failed(self.peer.address, bucket, self._clock.monotonic())
            case Try():
                await self._feed(await self._attempt(effect))
            case Close(code=code, reason=reason):
                await self._close(code, reason)

    async def _attempt(self, effect: Try) -> Event:
        try:
            issued = await self._login.attempt(effect.credential, effect.hello, self.peer, self._is)
        except BookFailed:
            return Unavailable()
        if issued is None:
            return Refused()
        self._limiter.succeeded(self.peer.address)
        answer = await self._login.answer(issued)
        self._device = self._news or issued.device
        return Accepted(_rights(self._device), answer)

    def _is(self, device: Device) -> None:
        self._device = device

    async def _deliver(self, effect: Deliver) -> None:
        if self._is_shutting_down:
            return
        name = effect.channel
        if name not in self._lanes:
            channel = self._channels[name]
            lane = Lane(channel, ChannelLink(self, name), lambda: self.may(channel.right))
            self._lanes[name] = (lane, self._tasks.start(f"lane:{name}", lane.run()))
        lane, _ = self._lanes[name]
        await lane.put(Envelope(channel=name, type=effect.type, id=effect.id, payload=effect.payload))

    async def _close(self, code: int, reason: str) -> None:
        """Let the last words out, then close; a peer that answers nothing is dropped."""
        self._is_closing = True
        try:
            await self._say_good_bye(code, reason)
        finally:
            self._has_closed.set()

    async def _say_good_bye(self, code: int, reason: str) -> None:
        self._outbox.end(discard=code == POLICY)
        try:
            async with asyncio.timeout(FLUSH_S):
                await self._outbox.flushed()
        except TimeoutError:
            self._outbox.end(discard=True)
        if self._patience is not None:
            # aiohttp hangs up without the peer's answer when somebody else still receives.
            self._patience.reschedule(asyncio.get_running_loop().time())
            await self._is_idle.wait()
        has_answered = False
        try:
            async with asyncio.timeout(GOOD_BYE_S + 1):
                await self._ws.close(code=code, message=reason.encode(), drain=False)
            has_answered = self._ws.exception() is None
        except (TimeoutError, ConnectionError, RuntimeError):
            pass
        transport = self._request.transport
        if transport is not None and not has_answered:
            transport.abort()  # it would wait without end for a device that reads nothing

    async def _end(self, reason: str) -> None:
        self._outbox.end(discard=self._ws.closed)
        await self._close_lanes(reason, None)
        if self._is_closing:  # aiohttp hangs up when the request's handler returns
            await self._has_closed.wait()
        elif not self._ws.closed:
            await self._ws.close()

    async def _close_lanes(self, reason: str, drain_s: float | None) -> None:
        lanes, self._lanes = self._lanes, {}
        limit = {} if drain_s is None else {"drain_s": drain_s}
        await asyncio.gather(*(lane.aclose(task, reason, **limit) for lane, task in lanes.values()))


class ChannelLink:
    """A socket as one of its channels sees it (``gateway.channels.Link``)."""

    def __init__(self, socket: RelaySocket, channel: str) -> None:
        self._socket = socket
        self._channel = channel

    @property
    def id(self) -> str:
        return self._socket.id

    @property
    def device(self) -> Device:
        device = self._socket.device
        assert device is not None, "a channel is opened after auth only"
        return device

    @property
    def peer(self) -> Peer:
        return self._socket.peer

    @property
    def is_open(self) -> bool:
        return self._socket.is_open

    def may(self, right: str) -> bool:
        return self._socket.may(right)

    async def send(self, type_: str, payload: Mapping[str, object], *, id: str | None = None) -> bool:
        return await self._socket.send(Send(self._channel, type_, payload, id))

    async def system_error(self, message: str, *, id: str | None = None) -> bool:
        return await self._socket.send(system_error(message, id or ""))


def _rights(device: Device) -> Rights:
    return Rights(device.expires_ms, device.grants)


def _frame(effect: Send, top_level: Mapping[str, object]) -> bytes:
    envelope = {
        "channel": effect.channel,
        "type": effect.type,
        "id": effect.id or new_uuid(),
        "payload": effect.payload,
    }
    return encode({**top_level, **envelope})
