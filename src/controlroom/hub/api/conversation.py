"""One connection of the live socket from its hello to its end.

Who it is may be known only with the hello. What it may is looked up for each frame, in and out: a right that
ends, ends on open sockets too; without the right to read the socket is closed.

A reader (the request's own task), a writer that empties the outbox, a worker that presses keys in their
order, and a ping now and then. When one of them ends, all do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

import msgspec
import structlog
from aiohttp import WSMsgType, web

from controlroom import __version__
from controlroom.hub.acts import Acts
from controlroom.hub.api.callers import Caller, check
from controlroom.hub.api.errors import explain
from controlroom.hub.api.outbox import Full, Outbox
from controlroom.hub.chats import Chats
from controlroom.hub.errors import HubError
from controlroom.hub.mirror import Mirror
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.store.store import Store
from controlroom.kit.clock import Clock
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import (
    Ack,
    CloseChat,
    FromClient,
    HelloFrame,
    KeysFrame,
    OpenChat,
    Ping,
    Pong,
    PressKeys,
    Proof,
    Prove,
    Refused,
    Resync,
    Seen,
    Unwatch,
    Watch,
    Welcome,
    decode_from_client,
)
from controlroom.wire.codec import encode
from controlroom.wire.model import Fleet

_log = structlog.get_logger("live")

PROTOCOL = 1
POLICY = 1008  # RFC 6455: the endpoint does not go on with somebody like this
HELLO_S = 10.0  # who does not greet is not one of our clients
PING_S = 20.0
SILENCE_S = 65.0  # three pings without a word, and a little
SEND_S = 30.0  # a client that takes nothing for this long is gone
REPLAY_MOST = 10_000  # who missed more is quicker with a whole fleet
REPLAY_PAGE = 500
GOOD_BYE_S = 3.0
MOST_OPEN = 200  # chats, and panes, of one client
MOST_KEYS = 50  # key frames of one client that wait


class Shared(Protocol):
    """What all conversations use."""

    store: Store
    chats: Chats
    acts: Acts
    mirror: Mirror
    receipts: ReceiptBook
    clock: Clock

    def join(self, conversation: Conversation) -> Fleet: ...


class Conversation:
    """One client. Only its own writer sends to it."""

    def __init__(
        self,
        shared: Shared,
        socket: web.WebSocketResponse,
        transport: asyncio.Transport | None,
        greeted: Callable[[str | None], Caller],
    ) -> None:
        self._shared = shared
        self._socket = socket
        self._transport = transport
        self._greeted = greeted
        self._caller: Caller
        self.by = ""  # who it is, once that is known
        self._tasks = Tasks("live")
        self._keys: asyncio.Queue[KeysFrame] = asyncio.Queue(MOST_KEYS)
        self._heard_at = 0.0
        self.outbox = Outbox()
        self.chats: set[str] = set()
        self.watched: set[str] = set()

    async def run(self) -> None:
        """Serve it until it goes, falls silent or cannot follow."""
        try:
            hello = await self._hello()
            if hello is None or not await self._is_let_in(hello):
                return
            fleet = self._shared.join(self)
            self._heard_at = self._shared.clock.monotonic()
            self._tasks.start("write", self._write(hello.after, fleet))
            self._tasks.start("keys", self._press_keys())
            self._tasks.start("ping", self._ping())
            while (frame := await self._next()) is not None:
                await self._obey(frame)
        finally:
            for agent_id in self.watched:
                self._shared.mirror.unwatch(agent_id, self.outbox.frame)
            await self._tasks.aclose()
            await self.end(1000, "")

    async def end(self, code: int = 1001, why: str = "The control room stops.") -> None:
        """Say good-bye, or just hang up when it does not even take that."""
        try:
            async with asyncio.timeout(GOOD_BYE_S):
                await self._socket.close(code=code, message=why.encode())
        except (TimeoutError, ConnectionError):
            self._hang_up()

    @property
    def refusal(self) -> HubError | None:
        """Why it may not hear more, None while it may. Only of one that has joined."""
        try:
            check(self._caller, "live hello", "live")
        except HubError as refusal:
            return refusal
        return None

    async def dismiss(self, why: HubError) -> None:
        """Tell it that it is out, and why; whatever waited for it is not sent any more."""
        try:
            async with asyncio.timeout(GOOD_BYE_S):
                await self._socket.send_str(encode(Refused(code=why.code, text=why.text)).decode())
        except (TimeoutError, ConnectionError, RuntimeError):
            self._hang_up()
            return
        await self.end(POLICY, why.code)

    def _hang_up(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # ---- what it says ----------------------------------------------------------------------------------

    async def _hello(self) -> HelloFrame | None:
        try:
            message = await self._socket.receive(timeout=HELLO_S)
        except TimeoutError:
            return None
        if message.type is not WSMsgType.TEXT:
            return None
        frame = _decoded(message.data)
        if isinstance(frame, HelloFrame):
            return frame
        refusal = Refused(code="bad_request", text="Say hello first.")
        await self._send(encode(refusal))
        return None

    async def _is_let_in(self, hello: HelloFrame) -> bool:
        """Whether it says who it is, and may read; what it hears else is the last it hears."""
        try:
            self._caller = self._greeted(hello.key)
            check(self._caller, "live hello", "hello")
        except HubError as refusal:
            await self._send(encode(Refused(code=refusal.code, text=refusal.text)))
            await self.end(POLICY, refusal.code)
            return False
        self.by = self._caller.by
        return True

    async def _next(self) -> FromClient | HubError | None:
        """The next frame, a refusal for one that cannot be read, None at the end."""
        message = await self._socket.receive()
        if message.type is not WSMsgType.TEXT:
            return None
        self._heard_at = self._shared.clock.monotonic()
        return _decoded(message.data)

    async def _obey(self, frame: FromClient | HubError) -> None:
        try:
            if isinstance(frame, HubError):
                raise frame
            kind = str(frame.__struct_config__.tag)
            check(self._caller, f"live {kind}", kind)
            if not isinstance(frame, HelloFrame | Pong | Prove):
                self._caller.acts()
            match frame:
                case HelloFrame():
                    raise HubError("bad_request", "Hello was said already.")
                case OpenChat(chat_id=chat_id):
                    await self._shared.chats.must_exist(chat_id)
                    _check_room(self.chats, chat_id)
                    self.chats.add(chat_id)
                case CloseChat(chat_id=chat_id):
                    self.chats.discard(chat_id)
                case Watch(agent_id=agent_id):
                    _check_room(self.watched, agent_id)
                    self._shared.mirror.watch(agent_id, self.outbox.frame)
                    self.watched.add(agent_id)
                case Unwatch(agent_id=agent_id):
                    self.watched.discard(agent_id)
                    self._shared.mirror.unwatch(agent_id, self.outbox.frame)
                    self.outbox.forget_frame(agent_id)
                case Seen(chat_id=chat_id, item_id=item_id):
                    await self._shared.chats.seen(chat_id, item_id)
                case KeysFrame():
                    self._take_keys(frame)
                case Pong():
                    pass
                case Prove():  # events wait before it in the outbox: they go first
                    now_ms = self._shared.clock.now_ms()
                    self.outbox.say(Proof(seq=self._shared.store.seq, server_time_ms=now_ms))
        except Exception as error:  # noqa: BLE001 - the edge: it is said to the client, the socket stays
            refusal = explain(error)
            if isinstance(frame, KeysFrame):
                await self._refuse_keys(frame, refusal)
                return
            self.outbox.say(Refused(code=refusal.code, text=refusal.text))

    def _take_keys(self, frame: KeysFrame) -> None:
        if self._keys.full():
            raise HubError("too_many", "Too many keys are still under way.")
        self._keys.put_nowait(frame)

    async def _refuse_keys(self, frame: KeysFrame, refusal: HubError) -> None:
        if refusal.code == "not_allowed":
            await self._shared.receipts.refused(self.by, "keys", frame.agent_id, refusal.text)
        self._acknowledge(frame, refusal)

    async def _press_keys(self) -> None:
        while True:
            frame = await self._keys.get()
            body = PressKeys(request_id=frame.request_id, keys=frame.keys, seen_revision=frame.seen_revision)
            try:
                check(self._caller, "live keys", "keys")  # they may have waited for a while
                await self._shared.acts.keys(frame.agent_id, body, self.by)
            except Exception as error:  # noqa: BLE001 - the edge: the ack says it
                self._acknowledge(frame, explain(error))
            else:
                self._acknowledge(frame, None)

    def _acknowledge(self, frame: KeysFrame, refusal: HubError | None) -> None:
        code, text = (None, None) if refusal is None else (refusal.code, refusal.text)
        self.outbox.say(Ack(request_id=frame.request_id, code=code, text=text))

    # ---- what it is told -------------------------------------------------------------------------------

    async def _write(self, after: int | None, fleet: Fleet) -> None:
        try:
            await self._send(
                encode(
                    Welcome(
                        seq=fleet.seq,
                        protocol=PROTOCOL,
                        server_time_ms=self._shared.clock.now_ms(),
                        version=__version__,
                    )
                )
            )
            if after is None or not await self._replay(after, fleet.seq):
                await self._send(encode(Resync(fleet=fleet)))
            await self.outbox.drain(self._send_if_allowed, fleet.seq)
        except HubError as refusal:
            await self._send(encode(Refused(code=refusal.code, text=refusal.text)))
            await self.end(POLICY, refusal.code)
        except Full:
            _log.info("a client cannot follow, it will resume", by=self.by)
            await self.end(1013, "Too slow: come again with the last seq.")
        except Exception as error:  # noqa: BLE001 - whatever broke, the reader must hear that it is over
            _log.info("a client is gone", by=self.by, error=repr(error))
            self._hang_up()

    async def _replay(self, after: int, until: int) -> bool:
        """Send the events behind ``after`` up to ``until``; False when they cannot all be given."""
        if not until - REPLAY_MOST <= after <= until:
            return False
        is_first = True
        while after < until:
            page = await self._shared.store.events_after(after, REPLAY_PAGE)
            if is_first and (not page or page[0].seq != after + 1):
                return False
            is_first = False
            for event in page:
                if event.seq > until:  # those wait in the outbox
                    break
                await self._send_if_allowed(event.frame)
                after = event.seq
        return True

    async def _send_if_allowed(self, data: bytes) -> None:
        """Raises HubError when it may not read any more; a ping comes often enough to find that out."""
        check(self._caller, "live hello", "live")
        await self._send(data)

    async def _send(self, data: bytes) -> None:
        async with asyncio.timeout(SEND_S):
            await self._socket.send_str(data.decode())

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_S)
            if self._shared.clock.monotonic() - self._heard_at > SILENCE_S:
                _log.info("a client fell silent", by=self.by)
                self._hang_up()
                return
            self.outbox.say(Ping())


def _decoded(data: str) -> FromClient | HubError:
    try:
        return decode_from_client(data)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        return HubError("bad_request", f"This frame cannot be read: {str(error)[:200]}")


def _check_room(open_now: set[str], name: str) -> None:
    if name not in open_now and len(open_now) >= MOST_OPEN:
        raise HubError("too_many", f"At most {MOST_OPEN} can be open at a time.")
