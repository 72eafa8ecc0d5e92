"""The live socket as an iterator that reconnects by itself and loses nothing.

It remembers the last ``seq`` it has given out, the chats that are open and the panes that are watched. After
a break it says all of that again, so the hub sends what was missed, or a ``resync``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from types import TracebackType

import aiohttp
import msgspec

from controlroom.client.errors import CannotReach, Refused, cannot_reach
from controlroom.wire.client import (
    CloseChat,
    EventFrame,
    FromClient,
    FromServer,
    HelloFrame,
    KeysFrame,
    OpenChat,
    Ping,
    Pong,
    Resync,
    Seen,
    Unwatch,
    Watch,
    decode_from_server,
)
from controlroom.wire.codec import encode

SILENCE_S = 60.0  # the hub pings every 20 s: after three missed ones the link is dead
FIRST_DELAY_S, LAST_DELAY_S = 0.2, 5.0
LARGEST_FRAME = 64 * 1024 * 1024  # a resync of thousands of agents


class Lost(msgspec.Struct, frozen=True):
    """Stands in the stream when the connection broke; a new ``welcome`` follows when it is back."""

    text: str


class Live:
    """``async with hub.live() as live: async for frame in live: …``

    Entering raises CannotReach when no hub answers. ``welcome`` comes first; pings are answered here and
    not given out.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        url: str,
        name: str,
        after: int | None,
        headers: Mapping[str, str],
    ) -> None:
        self._session = session
        self._url = url
        self._name = name
        self._headers = headers
        self._after = after
        self._chats: set[str] = set()
        self._watched: set[str] = set()
        self._link: aiohttp.ClientWebSocketResponse | None = None

    async def __aenter__(self) -> Live:
        await self._connect()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._link is not None:
            await self._link.close()

    async def open(self, chat_id: str) -> None:
        """From now on new items of this chat come as ``items`` frames."""
        self._chats.add(chat_id)
        await self._say(OpenChat(chat_id=chat_id))

    async def close(self, chat_id: str) -> None:
        self._chats.discard(chat_id)
        await self._say(CloseChat(chat_id=chat_id))

    async def watch(self, agent_id: str) -> None:
        """From now on the agent's screen comes as ``frame`` frames, the newest only."""
        self._watched.add(agent_id)
        await self._say(Watch(agent_id=agent_id))

    async def unwatch(self, agent_id: str) -> None:
        self._watched.discard(agent_id)
        await self._say(Unwatch(agent_id=agent_id))

    async def keys(
        self, request_id: str, agent_id: str, keys: tuple[str, ...], seen_revision: str | None = None
    ) -> None:
        """Press keys; the ``ack`` with this request id comes in the stream. Raises CannotReach."""
        frame = KeysFrame(request_id=request_id, agent_id=agent_id, keys=keys, seen_revision=seen_revision)
        if not await self._say(frame):
            raise CannotReach(f"The control room at {self._name} is not connected now.")

    async def seen(self, chat_id: str, item_id: str) -> None:
        """A person has read the chat up to this item."""
        if not await self._say(Seen(chat_id=chat_id, item_id=item_id)):
            raise CannotReach(f"The control room at {self._name} is not connected now.")

    async def __aiter__(self) -> AsyncIterator[FromServer | Lost]:
        # The position moves only with what was given out: a break between welcome and resync costs nothing.
        while True:
            why = "it closed the connection"
            while self._link is not None:
                try:
                    message = await self._link.receive(timeout=SILENCE_S)
                except TimeoutError:
                    why = "it fell silent"
                    break
                if message.type is not aiohttp.WSMsgType.TEXT:
                    break
                frame = decode_from_server(message.data)
                if isinstance(frame, Ping):
                    await self._say(Pong())
                elif frame is not None:
                    yield self._noted(frame)
            yield Lost(f"Lost the control room at {self._name}: {why}. Connecting again.")
            await self._reconnect()

    def _noted(self, frame: FromServer) -> FromServer:
        if isinstance(frame, EventFrame):
            self._after = frame.seq
        elif isinstance(frame, Resync):
            self._after = frame.fleet.seq
        return frame

    async def _connect(self) -> None:
        try:
            self._link = await self._session.ws_connect(
                self._url, autoping=True, max_msg_size=LARGEST_FRAME, headers=self._headers
            )
        except aiohttp.WSServerHandshakeError as error:
            if error.status in (401, 403):  # trying again does not help
                raise Refused("not_paired", f"The control room at {self._name} lets us in no more.") from None
            raise cannot_reach(self._name, error) from None
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            raise cannot_reach(self._name, error) from None
        await self._say(HelloFrame(after=self._after))
        for chat_id in self._chats:
            await self._say(OpenChat(chat_id=chat_id))
        for agent_id in self._watched:
            await self._say(Watch(agent_id=agent_id))

    async def _reconnect(self) -> None:
        old, self._link = self._link, None
        if old is not None:
            await old.close()
        delay = FIRST_DELAY_S
        while self._link is None:
            await asyncio.sleep(delay)
            delay = min(delay * 2, LAST_DELAY_S)
            try:
                await self._connect()
            except CannotReach:
                continue

    async def _say(self, frame: FromClient) -> bool:
        """Whether the frame went out; when not, the next connection says what still counts."""
        if self._link is None or self._link.closed:
            return False
        try:
            await self._link.send_str(encode(frame).decode())
        except (aiohttp.ClientError, ConnectionError):
            return False
        return True
