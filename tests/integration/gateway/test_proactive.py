"""Messages to the relay's app: a queue on disk for each phone, over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from controlroom.gateway.proactive import NO_REPLIES, ProactivePart
from controlroom.hub.channels.base import Delivered, Notice, Target
from controlroom.hub.channels.proactive import MOST, PhoneMail
from controlroom.kit.clock import FakeClock
from tests.support.relay_door import Client, RelayDoor
from tests.support.waiting import until

NOTICE = Notice(
    id="ntc_1",
    kind="question",
    tag="agt_1",
    title="limiter asks",
    body="Per tenant or per key?",
    open="inbox/q_1",
    at_ms=1_796_000_000_000,
    badge=2,
    question_id="q_1",
    chat_id="cht_1",
)


class House:
    def __init__(self, path: Path) -> None:
        self.clock = FakeClock()
        self.mail: PhoneMail
        self.door = RelayDoor(path, parts=self._parts, clock=self.clock)

    def _parts(self) -> list[ProactivePart]:
        self.mail = self.door.phones()
        return [ProactivePart(self.mail, self.clock)]

    async def target(self, number: int = 0) -> Target:
        await self.door.subscriptions.start()
        return self.door.subscriptions.all()[number]

    async def send(self, target: Target, *numbers: int) -> None:
        for number in numbers:
            notice = replace(NOTICE, id=f"ntc_{number}", tag=f"agt_{number}")
            assert await self.mail.send(target, notice) == Delivered()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    house = House(tmp_path)
    await house.door.start()
    yield house
    await house.door.aclose()


async def subscribe(client: Client) -> None:
    await client.send("proactive", "proactive.subscribe")
    assert (await client.receive())["type"] == "proactive.subscribed"


async def settled(client: Client) -> None:
    """Everything that was said on the channel has been handled: it is answered in order."""
    await client.send("proactive", "proactive.reply", {"text": "hi"})
    assert (await client.receive())["type"] == "error"


async def received(client: Client, count: int) -> list[Any]:
    return [await client.receive() for _ in range(count)]


async def test_a_phone_that_looks_gets_it_at_once_in_the_contracts_words(house: House) -> None:
    client, _ = await house.door.paired()
    await subscribe(client)
    assert await house.mail.send(await house.target(), NOTICE) == Delivered()
    envelope = await client.receive()
    assert (envelope["channel"], envelope["type"], envelope["id"]) == ("proactive", "phone.message", "ntc_1")
    payload = envelope["payload"]
    assert payload | {"metadata": None} == {
        "message_id": "ntc_1",
        "chat_id": "cht_1",
        "text": NOTICE.body,
        "title": NOTICE.title,
        "surfacing": "notification",
        "reply_to": None,
        "metadata": None,
        "sent_at": NOTICE.at_ms,
    }
    assert payload["metadata"]["question_id"] == "q_1"
    device_id = (await house.target()).address

    async def is_empty() -> bool:
        return await house.mail.waiting(device_id) == []

    await until(is_empty, "it is taken from the queue")


async def test_what_came_meanwhile_waits_over_a_restart_and_comes_in_order(house: House) -> None:
    client, paired = await house.door.paired()
    await subscribe(client)
    await client.send("proactive", "proactive.unsubscribe")
    await settled(client)
    await house.send(await house.target(), 1, 2, 1)  # the newer one of a tag takes the older one's place
    await house.door.restart()
    client = await house.door.connect()
    assert (await client.auth(session_token=paired["session_token"]))["type"] == "auth.ok"
    await subscribe(client)
    envelopes = await received(client, 3)
    assert [one["id"] for one in envelopes[:2]] == ["ntc_2", "ntc_1"]
    assert all(one["payload"]["queued_delivery"] is True for one in envelopes[:2])
    assert envelopes[2]["type"] == "proactive.backlog.complete" and envelopes[2]["payload"]["count"] == 2
    await client.send("system", "ping", {"ts": 1})
    assert (await client.receive())["type"] == "pong", "each comes once"


async def test_each_phone_has_a_queue_of_its_own(house: House) -> None:
    one, _ = await house.door.paired("phone-1")
    two, _ = await house.door.paired("phone-2")
    await subscribe(one)
    await subscribe(two)
    await house.send(await house.target(0), 1)
    await house.send(await house.target(1), 2)
    assert (await one.receive())["id"] == "ntc_1"
    assert (await two.receive())["id"] == "ntc_2"


async def test_the_queue_is_bounded_grows_old_and_can_be_emptied(house: House) -> None:
    client, _ = await house.door.paired()
    await subscribe(client)
    await client.send("proactive", "proactive.unsubscribe")
    await settled(client)
    target = await house.target()
    await house.send(target, *range(MOST + 5))
    assert [row.message.message_id for row in await house.mail.waiting(target.address)][:1] == ["ntc_5"]
    await house.mail.clear(target, ["agt_5", "agt_6"], 0)
    await client.send("proactive", "proactive.cancel", {"message_id": "ntc_7"})
    await settled(client)
    waiting = [row.message.message_id for row in await house.mail.waiting(target.address)]
    assert (waiting[0], len(waiting)) == ("ntc_8", MOST - 3)
    house.clock.advance(NOTICE.ttl_s + 1)
    assert await house.mail.waiting(target.address) == []


async def test_replies_are_refused_in_words(house: House) -> None:
    client, _ = await house.door.paired()
    await client.send("proactive", "proactive.reply", {"text": "hi"}, "m-1")
    answer = await client.receive()
    assert (answer["channel"], answer["type"], answer["id"]) == ("system", "error", "m-1")
    assert answer["payload"] == {"message": NO_REPLIES}


async def test_it_needs_the_right_to_read(house: House) -> None:
    client, _ = await house.door.paired(grants={"chat": -1})
    await client.send("proactive", "proactive.subscribe", id_="x")
    answer = await client.receive()
    assert (answer["type"], answer["id"]) == ("error", "x")
