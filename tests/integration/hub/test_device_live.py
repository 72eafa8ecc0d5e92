"""The live socket of paired devices: who gets in, and what ends on a socket that stays open."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from controlroom.hub import device_memory
from controlroom.hub.api import conversation
from controlroom.hub.api.device_callers import KEY_HEADER
from controlroom.testing.fake_node import agent_state
from controlroom.wire.device import PairingPolicy
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door, open_door

LIMIT_S = 60.0


@pytest.fixture
async def door(house: House) -> AsyncIterator[Door]:
    await house.node.put(agent_state())
    await house.node.draw("agt_1", "one")
    await house.until_agent()
    async with open_door(house) as door:
        yield door


async def until(socket: aiohttp.ClientWebSocketResponse, kind: str) -> dict[str, Any]:
    while True:
        said = await socket.receive_json(timeout=LIMIT_S)
        if said["type"] == kind:
            return dict(said)


async def end_of(socket: aiohttp.ClientWebSocketResponse) -> object:
    """The code of the close frame; whatever still comes before it is read over."""
    while (said := await socket.receive(timeout=LIMIT_S)).type is aiohttp.WSMsgType.TEXT:
        pass
    return said.data


async def test_a_program_is_known_by_its_token(door: Door) -> None:
    async with door.live(await door.laptop()) as socket:
        await socket.send_json({"type": "hello"})
        await until(socket, "resync")


async def test_a_browser_shows_its_key_in_the_hello(door: Door) -> None:
    browser = await door.browser()
    key = browser.pop(KEY_HEADER)
    headers = {**browser, "Origin": door.origin}
    async with door.live(headers) as socket:
        await socket.send_json({"type": "hello", "key": key})
        await until(socket, "resync")
    for wrong in (None, "", "x" * 43, "k" * 10_000):
        async with door.live(headers) as socket:
            await socket.send_json({"type": "hello", "key": wrong})
            assert (await until(socket, "error"))["code"] == "not_paired"
            assert await end_of(socket) == 1008


@pytest.mark.parametrize("origin", [None, "https://evil.example", "null", "http://127.0.0.1:1"])
async def test_a_socket_with_a_cookie_needs_our_origin(door: Door, origin: str | None) -> None:
    browser = await door.browser()
    if origin is not None:
        browser["Origin"] = origin
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await door.live(browser)
    assert refused.value.status == 403


async def test_a_revoked_device_s_sockets_close_at_once(house: House, door: Door) -> None:
    laptop, other = await door.laptop(), await door.laptop(name="other")
    me = (await door.ask("GET", "/devices", headers=laptop)).body["current"]
    async with door.live(laptop) as socket, door.live(other) as stays:
        for one in (socket, stays):
            await one.send_json({"type": "hello"})
            await until(one, "resync")
        assert (await door.ask("DELETE", f"/devices/{me}", None, other)).status == 200
        assert "revoked" in (await until(socket, "error"))["text"]
        assert await end_of(socket) == 1008
        event = await until(stays, "event")
        assert event["name"] == "device.gone" and event["data"] == {"id": me}
        assert (await until(stays, "event"))["data"]["what"] == "revoke"
    asked = len(house.node.asked)
    assert asked == 0


async def test_keys_of_a_device_without_the_right_are_refused_by_name(house: House, door: Door) -> None:
    laptop = await door.laptop(PairingPolicy(grants={"terminal": 60}))
    async with door.live(laptop) as socket:
        await socket.send_json({"type": "hello"})
        keys = {"type": "keys", "agent_id": "agt_1", "keys": ["a"]}
        await socket.send_json({**keys, "request_id": "r1"})
        assert "code" not in await until(socket, "ack")
        now_ms = house.clock.now_ms
        house.clock.now_ms = lambda: now_ms() + 61_000  # type: ignore[method-assign] # the clock moves on
        await socket.send_json({**keys, "request_id": "r2"})
        refused = await until(socket, "ack")
        assert (refused["request_id"], refused["code"]) == ("r2", "not_allowed")
        assert "terminal" in refused["text"]
        await socket.send_json({"type": "watch", "agent_id": "agt_1"})  # reading goes on
        assert (await until(socket, "frame"))["agent_id"] == "agt_1"
    assert len(house.node.asked) == 1


async def test_rights_given_up_end_on_the_open_socket(door: Door) -> None:
    laptop = await door.laptop()
    me = (await door.ask("GET", "/devices", headers=laptop)).body["current"]
    async with door.live(laptop) as socket:
        await socket.send_json({"type": "hello"})
        await until(socket, "resync")
        book = door.house.hub.devices
        device = book.get(me)
        assert device is not None
        await book.reduce(device, expires_ms=device.expires_ms, grants={"chat": device.expires_ms})
        keys = {"type": "keys", "agent_id": "agt_1", "keys": ["a"], "request_id": "r1"}
        await socket.send_json(keys)
        assert (await until(socket, "ack"))["code"] == "not_allowed"


async def test_who_may_not_read_any_more_is_put_out(
    house: House, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "PING_S", 0.05)
    laptop = await door.laptop(PairingPolicy(grants={"chat": 60}))
    async with door.live(laptop) as socket:
        await socket.send_json({"type": "hello"})
        await until(socket, "resync")
        now_ms = house.clock.now_ms
        house.clock.now_ms = lambda: now_ms() + 61_000  # type: ignore[method-assign] # the clock moves on
        refused = await until(socket, "error")
        assert refused["code"] == "not_allowed" and "chat" in refused["text"]
        assert await end_of(socket) == 1008
    async with door.live(laptop) as socket:
        await socket.send_json({"type": "hello"})
        assert (await until(socket, "error"))["code"] == "not_allowed"


async def test_a_right_to_read_that_runs_out_closes_the_socket_at_that_moment(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_memory, "ROUND_S", 3600.0)
    monkeypatch.setattr(conversation, "PING_S", 3600.0)
    laptop = await door.laptop(PairingPolicy(grants={"chat": 1}))
    async with door.live(laptop) as socket:
        await socket.send_json({"type": "hello"})
        refused = await until(socket, "error")  # no ping is due yet
        assert refused["code"] == "not_allowed" and "chat" in refused["text"]
        assert await end_of(socket) == 1008


async def test_a_device_whose_time_is_over_is_put_out(
    house: House, door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_memory, "ROUND_S", 3600.0)  # only its own timer can tell
    laptop = await door.laptop(PairingPolicy(ttl_s=3))
    expires_ms = (await house.hub.devices.all())[0].expires_ms
    assert expires_ms is not None
    async with door.live(laptop) as socket:
        await socket.send_json({"type": "hello"})
        await until(socket, "resync")
        said = await until(socket, "error")
        assert house.clock.now_ms() > expires_ms
        assert said["code"] == "not_paired" and "time of this pairing is over" in said["text"]
        assert await end_of(socket) == 1008


async def test_an_agent_may_listen_on_the_private_socket_and_press_nothing(house: House, door: Door) -> None:
    house.callers.agent = "agt_1"
    async with house.raw() as session, session.ws_connect("/api/v1/live") as socket:
        await socket.send_json({"type": "hello"})
        await until(socket, "resync")
        await socket.send_json({"type": "seen", "chat_id": "cht_1", "item_id": "x"})
        assert (await until(socket, "error"))["code"] == "not_allowed"


async def test_a_frame_nested_too_deeply_ends_nothing(door: Door) -> None:
    async with door.live(await door.laptop()) as socket:
        await socket.send_json({"type": "hello"})
        await until(socket, "resync")
        await socket.send_str('{"type":"pong","x":' + "[" * 100_000)
        assert (await until(socket, "error"))["code"] == "bad_request"
        await socket.send_json({"type": "watch", "agent_id": "agt_1"})
        await until(socket, "frame")
