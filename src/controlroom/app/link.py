"""The node in this process, still spoken to in encoded messages.

Encoding keeps the in-process hub honest: what works here works over a network.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TypeVar

from controlroom.hub.ports import NodeRefused
from controlroom.node.api import NodeApi, Refused
from controlroom.wire.codec import decode, encode
from controlroom.wire.node import (
    Act,
    ActResult,
    ActsAnswer,
    FileOffer,
    FilePlaced,
    FrameAnswer,
    Hello,
    HistoryAnswer,
    HitsAnswer,
    ItemsAnswer,
    Snapshot,
    decode_act,
)
from controlroom.wire.usage import UsageAnswer, UsageBy

T = TypeVar("T")


class InProcessLink:
    """``hub.ports.NodeLink`` over a ``NodeApi`` of the same process."""

    def __init__(self, node: NodeApi) -> None:
        self._node = node

    async def hello(self) -> Hello:
        return _travel(await self._node.hello(), Hello)

    async def snapshot(self, after: int, wait_s: float) -> Snapshot | None:
        snapshot = await self._node.snapshot(after, wait_s)
        return None if snapshot is None else _travel(snapshot, Snapshot)

    async def items(
        self,
        agent_id: str,
        chat_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsAnswer:
        try:
            answer = await self._node.items(agent_id, chat_id, before=before, after=after, limit=limit)
        except Refused as error:
            raise NodeRefused(error.refusal) from None
        return _travel(answer, ItemsAnswer)

    async def search(
        self, agent_id: str, chat_id: str, text: str, *, before: str | None = None, limit: int = 50
    ) -> HitsAnswer:
        try:
            answer = await self._node.search(agent_id, chat_id, text, before=before, limit=limit)
        except Refused as error:
            raise NodeRefused(error.refusal) from None
        return _travel(answer, HitsAnswer)

    async def around(self, agent_id: str, chat_id: str, item_id: str) -> ItemsAnswer:
        try:
            return _travel(await self._node.around(agent_id, chat_id, item_id), ItemsAnswer)
        except Refused as error:
            raise NodeRefused(error.refusal) from None

    async def act(self, act: Act) -> ActResult:
        return _travel(await self._node.act(decode_act(encode(act))), ActResult)

    async def put_file(self, offer: FileOffer, pieces: AsyncIterator[bytes]) -> FilePlaced:
        try:
            placed = await self._node.put_file(_travel(offer, FileOffer), pieces)
        except Refused as error:
            raise NodeRefused(error.refusal) from None
        return _travel(placed, FilePlaced)

    async def usage(self, by: UsageBy) -> UsageAnswer:
        try:
            return _travel(await self._node.usage(by), UsageAnswer)
        except Refused as error:
            raise NodeRefused(error.refusal) from None

    async def read_usage(self) -> None:
        await self._node.read_usage()

    async def acts(self, after: int, wait_s: float) -> ActsAnswer:
        return _travel(await self._node.acts(after, wait_s), ActsAnswer)

    async def screen(self, agent_id: str) -> FrameAnswer:
        try:
            return _travel(await self._node.screen(agent_id), FrameAnswer)
        except Refused as error:
            raise NodeRefused(error.refusal) from None

    async def scrollback(self, agent_id: str, lines: int) -> HistoryAnswer:
        try:
            return _travel(await self._node.scrollback(agent_id, lines), HistoryAnswer)
        except Refused as error:
            raise NodeRefused(error.refusal) from None

    async def watch(self, agent_id: str) -> AsyncIterator[FrameAnswer]:
        try:
            async for frame in self._node.watch(agent_id):
                yield _travel(frame, FrameAnswer)
        except Refused as error:
            raise NodeRefused(error.refusal) from None


def _travel(message: object, kind: type[T]) -> T:
    return decode(encode(message), kind)
