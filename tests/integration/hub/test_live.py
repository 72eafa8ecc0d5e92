"""The live socket: resuming, screens, acks, slow clients, bad frames."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

import aiohttp
import pytest

from controlroom.client import HubClient, Live, Lost
from controlroom.hub.api import conversation, outbox
from controlroom.hub.api.conversation import Conversation
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import Ack, EventFrame, Proof, Refused, Resync, ScreenFrame, Welcome
from tests.integration.hub.conftest import House
from tests.support.waiting import until

T = TypeVar("T")


async def ready(house: House) -> None:
    await house.node.put(agent_state())
    await house.node.draw("agt_1", "one")
    await house.until_agent()


async def first(live: Live, kind: type[T], fits: Callable[[T], bool] = lambda frame: True) -> T:
    async with asyncio.timeout(60):
        async for frame in live:
            if isinstance(frame, kind) and fits(frame):
                return frame
    raise AssertionError("the socket ended")


async def test_a_greeting_without_seq_gets_a_welcome_and_the_fleet(house: House) -> None:
    await ready(house)
    async with house.client.live() as live:
        welcome = await first(live, Welcome)
        resync = await first(live, Resync)
        assert welcome.seq == resync.fleet.seq
        assert [agent.id for agent in resync.fleet.agents] == ["agt_1"]


async def test_events_come_without_gaps_while_the_past_is_replayed(house: House) -> None:
    await ready(house)
    start = (await house.client.fleet()).seq
    for number in range(60):
        await house.node.put(agent_state(since_ms=number))
        await house.until_agent(since_ms=number)
    seen: list[int] = []
    async with house.client.live(start) as live:
        async for frame in live:
            if isinstance(frame, EventFrame):
                seen.append(frame.seq)
                if len(seen) == 30:
                    await house.node.put(agent_state(name="last"))
                if b"last" in bytes(frame.data):
                    break
    assert seen == list(range(start + 1, start + 1 + len(seen)))
    assert len(seen) == 61


async def test_a_hub_that_was_restarted_is_found_again_and_nothing_is_missed(house: House) -> None:
    await ready(house)
    async with HubClient(house.home.socket) as client, client.live() as live:
        await live.watch("agt_1")
        resync = await first(live, Resync)
        await house.restart()
        await house.node.put(agent_state(name="renamed"))
        await first(live, Lost)
        await first(live, Welcome)
        seqs: list[int] = []
        data = b""
        while b"renamed" not in data:
            event = await first(live, EventFrame)
            data = bytes(event.data)
            seqs.append(event.seq)
        assert seqs == list(range(resync.fleet.seq + 1, seqs[-1] + 1))
        assert (await first(live, ScreenFrame)).agent_id == "agt_1"  # what was watched is watched again


async def test_a_watched_screen_comes_at_once_and_when_it_changes_only(house: House) -> None:
    await ready(house)
    async with house.client.live() as live:
        await live.watch("agt_1")
        frame = await first(live, ScreenFrame)
        assert "one" in frame.data
        assert (frame.width, frame.height, frame.cursor.row) == (80, 1, 0)
        await house.node.draw("agt_1", "one")
        await house.node.draw("agt_1", "two")
        assert "two" in (await first(live, ScreenFrame)).data
        await live.unwatch("agt_1")
        await until(lambda: house.node.watchers == 0)


async def test_many_watchers_are_one_capture(house: House) -> None:
    await ready(house)
    async with house.client.live() as one, house.client.live() as two:
        await one.watch("agt_1")
        await first(one, ScreenFrame)
        await two.watch("agt_1")
        await first(two, ScreenFrame)
        assert house.node.captures == 1
        await one.unwatch("agt_1")
        await house.node.draw("agt_1", "two")
        assert "two" in (await first(two, ScreenFrame)).data
    await until(lambda: house.node.watchers == 0)
    assert house.node.captures == 1


async def test_a_screen_is_shown_again_when_its_machine_is_back(house: House) -> None:
    await ready(house)
    async with house.client.live() as live:
        await live.watch("agt_1")
        await first(live, ScreenFrame)
        await house.node.go_away()
        old = await first(live, ScreenFrame)
        assert old.is_old  # the screen that was, told as such
        assert "one" in old.data
        await until(lambda: not house.hub.fleet().machines[0].online)
        await house.node.draw("agt_1", "back")
        await house.node.come_back()
        back = await first(live, ScreenFrame)
        assert "back" in back.data
        assert not back.is_old


async def test_keys_are_acknowledged_in_order(house: House) -> None:
    await ready(house)
    async with house.client.live() as live:
        await live.keys("req_1", "agt_1", ("a",))
        await live.keys("req_2", "agt_1", ("b",))
        await live.keys("req_3", "none", ("c",))
        acks = [await first(live, Ack) for _ in range(3)]
    assert [(ack.request_id, ack.code) for ack in acks] == [
        ("req_1", None),
        ("req_2", None),
        ("req_3", "not_found"),
    ]
    assert [act.keys for act in house.node.asked] == [("a",), ("b",)]  # type: ignore[union-attr] # all are keys


async def test_a_client_that_cannot_follow_is_closed_and_resumes(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outbox, "QUEUE_EVENTS", 3)
    await ready(house)
    held = asyncio.Event()

    async def slow(self: Conversation, data: bytes) -> None:
        await held.wait()
        await self._socket.send_str(data.decode())

    monkeypatch.setattr(Conversation, "_send", slow)
    async with house.client.live() as live:
        await until(lambda: house.hub._live._open)
        for number in range(5):
            await house.node.put(agent_state(since_ms=number))
            await house.until_agent(since_ms=number)
        held.set()
        await first(live, Lost)
        await first(live, Welcome)
        await house.node.put(agent_state(name="end"))
        await first(live, EventFrame, lambda event: b"end" in bytes(event.data))


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("rubbish", "bad_request"),
        ('{"type":"fly"}', "bad_request"),
        ('{"type":"hello"}', "bad_request"),
        ('{"type":"watch","agent_id":"none"}', "not_found"),
        ('{"type":"open","chat_id":"none"}', "not_found"),
        ('{"type":"seen","chat_id":"none","item_id":"i"}', "not_found"),
    ],
)
async def test_a_bad_frame_is_answered_and_the_socket_stays(house: House, frame: str, code: str) -> None:
    await ready(house)
    async with house.client.live() as live:
        await first(live, Resync)
        assert live._link is not None
        await live._link.send_str(frame)
        assert (await first(live, Refused)).code == code
        await live.watch("agt_1")
        await first(live, ScreenFrame)


async def test_who_does_not_greet_is_sent_away(house: House) -> None:
    async with house.raw() as session, session.ws_connect("/api/v1/live") as socket:
        await socket.send_str('{"type":"pong"}')
        assert "Say hello first" in (await socket.receive_str())
        assert (await socket.receive()).type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)


async def test_a_client_that_vanishes_takes_nothing_with_it(house: House) -> None:
    await ready(house)
    gone = house.raw()
    socket = await gone.ws_connect("/api/v1/live")
    await socket.send_str('{"type":"hello"}')
    await socket.send_str('{"type":"watch","agent_id":"agt_1"}')
    await until(lambda: house.node.watchers == 1)
    await gone.close()
    await until(lambda: house.node.watchers == 0)
    assert not house.hub._live._open


async def test_frames_are_compressed_for_who_asks_for_it(house: House) -> None:
    await ready(house)
    async with house.raw() as session, session.ws_connect("/api/v1/live", compress=15) as socket:
        assert socket.compress == 15
        await socket.send_str('{"type":"hello"}')
        assert '"type":"welcome"' in (await socket.receive_str())
        assert '"type":"resync"' in (await socket.receive_str())


async def test_pings_are_answered(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "PING_S", 0.05)
    async with house.client.live() as live:
        await first(live, Resync)
        (one,) = house.hub._live._open
        heard_at = one._heard_at
        reader = asyncio.ensure_future(first(live, Ack))  # reads on, and pings are not given out
        await until(lambda: one._heard_at > heard_at)
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)


async def test_the_proof_of_a_link_comes_behind_every_event_that_it_counts(house: House) -> None:
    await ready(house)
    async with house.client.live() as live:
        seq = start = (await first(live, Resync)).fleet.seq
        assert live._link is not None
        for number in range(20):
            await house.node.put(agent_state(since_ms=number))
            await house.until_agent(since_ms=number)
            await live._link.send_str('{"type":"prove"}')
        for _ in range(20):
            async for frame in live:
                if isinstance(frame, EventFrame):
                    assert frame.seq == seq + 1
                    seq = frame.seq
                elif isinstance(frame, Proof):
                    assert start < frame.seq <= seq
                    assert frame.server_time_ms > 0
                    break


async def test_a_client_that_falls_silent_is_cut_off(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation, "PING_S", 0.05)
    monkeypatch.setattr(conversation, "SILENCE_S", 0.2)
    async with house.raw() as session:
        silent = await session.ws_connect("/api/v1/live")
        await silent.send_str('{"type":"hello"}')
        await until(lambda: house.hub._live._open)
        await until(lambda: not house.hub._live._open)
