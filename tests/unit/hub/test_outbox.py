"""What waits for one client of the live socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from controlroom.hub.api.outbox import QUEUE_EVENTS, QUEUE_ITEMS, Full, Outbox
from controlroom.wire.client import Ping
from tests.support.waiting import until


class Slow:
    """Takes what it is sent only when the test lets it."""

    def __init__(self) -> None:
        self.got: list[bytes] = []
        self.may = asyncio.Event()

    async def send(self, data: bytes) -> None:
        await self.may.wait()
        self.got.append(data)


@asynccontextmanager
async def draining(outbox: Outbox, client: Slow, after: int = 0) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.ensure_future(outbox.drain(client.send, after))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_events_go_first_and_in_order_screens_last() -> None:
    outbox, client = Outbox(), Slow()
    client.may.set()
    outbox.frame("agt_1", b"screen")
    outbox.items(b"items")
    outbox.event(1, b"old")
    outbox.event(2, b"e2")
    outbox.event(3, b"e3")
    async with draining(outbox, client, after=1):
        await until(lambda: len(client.got) == 4)
    assert client.got == [b"e2", b"e3", b"items", b"screen"]


async def test_a_slow_client_gets_the_newest_screen_only() -> None:
    outbox, client = Outbox(), Slow()
    async with draining(outbox, client):
        outbox.event(1, b"e1")
        for number in range(50):
            outbox.frame("agt_1", b"a%d" % number)
            outbox.frame("agt_2", b"b%d" % number)
        outbox.forget_frame("agt_2")
        client.may.set()
        await until(lambda: len(client.got) == 2)
    assert client.got == [b"e1", b"a49"]


async def test_items_are_thrown_away_when_too_many_wait_and_the_client_stays() -> None:
    outbox, client = Outbox(), Slow()
    for number in range(QUEUE_ITEMS + 50):
        outbox.items(b"%d" % number)
    client.may.set()
    async with draining(outbox, client) as task:
        await until(lambda: len(client.got) == QUEUE_ITEMS)
        assert not task.done()


async def test_too_many_events_end_the_client() -> None:
    outbox, client = Outbox(), Slow()
    for number in range(QUEUE_EVENTS + 1):
        outbox.event(number, b"e")
    with pytest.raises(Full):
        await outbox.drain(client.send, 0)


async def test_a_client_that_asks_without_reading_is_ended() -> None:
    outbox, client = Outbox(), Slow()
    for _ in range(QUEUE_ITEMS * 2 + 1):
        outbox.say(Ping())
    with pytest.raises(Full):
        await outbox.drain(client.send, 0)
