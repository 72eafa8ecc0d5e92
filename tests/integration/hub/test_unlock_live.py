"""The live socket of a browser that is locked: it is cut off, hears nothing, and resumes once it is open."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from controlroom.hub.api import conversation
from controlroom.hub.api.device_callers import KEY_HEADER
from controlroom.testing.fake_node import agent_state
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door
from tests.integration.hub.passkey_browser import Browser, later, named_door, paired
from tests.integration.hub.test_device_live import end_of, until


@pytest.fixture
async def browser(house: House) -> AsyncIterator[Browser]:
    await house.node.put(agent_state())
    await house.until_agent()
    async with named_door(house) as door:
        browser = await paired(door)
        await browser.register()
        yield browser


def live(door: Door, browser: Browser) -> Any:
    headers = {name: value for name, value in browser.headers.items() if name != KEY_HEADER}
    return door.live({**headers, "Origin": door.origin})


async def hello(
    socket: aiohttp.ClientWebSocketResponse, browser: Browser, after: int | None = None
) -> dict[str, Any]:
    await socket.send_json({"type": "hello", "key": browser.headers[KEY_HEADER], "after": after})
    return dict(await socket.receive_json(timeout=15))


async def test_locking_cuts_off_every_socket_of_the_device(browser: Browser) -> None:
    await browser.lock(app=True)
    async with live(browser.door, browser) as one, live(browser.door, browser) as other:
        for socket in (one, other):
            assert (await hello(socket, browser))["type"] == "welcome"
            await until(socket, "resync")
        await browser.ok("POST", "/lock")
        for socket in (one, other):
            assert (await until(socket, "error"))["code"] == "locked"
            assert await end_of(socket) == 1008


async def test_a_locked_browser_hears_nothing_and_resumes_by_seq(house: House, browser: Browser) -> None:
    await browser.lock(app=True)
    async with live(browser.door, browser) as socket:
        seq = (await hello(socket, browser))["seq"]
    await browser.ok("POST", "/lock")
    await house.node.put(agent_state(activity="blocked"))
    await house.until_agent(activity="blocked")
    async with live(browser.door, browser) as socket:
        assert (await hello(socket, browser, seq))["code"] == "locked"
        assert await end_of(socket) == 1008
    await browser.unlock()
    async with live(browser.door, browser) as socket:
        assert (await hello(socket, browser, seq))["type"] == "welcome"
        event = await until(socket, "event")
        assert event["seq"] == seq + 1


async def test_an_idle_end_cuts_the_socket_off(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation, "PING_S", 0.05)
    await browser.lock(app=True)
    async with live(browser.door, browser) as socket:
        await hello(socket, browser)
        await until(socket, "resync")
        later(house, 301)
        assert (await until(socket, "error"))["code"] == "locked"
        assert await end_of(socket) == 1008


async def test_a_pong_is_no_act_and_a_watch_is(house: House, browser: Browser) -> None:
    await house.node.draw("agt_1", "one")
    await browser.lock(app=True)
    async with live(browser.door, browser) as socket:
        await hello(socket, browser)
        await until(socket, "resync")
        unlocks, book = house.hub.unlocks, house.hub.devices
        device = book.get(browser.id)
        assert device is not None
        before = unlocks.until_ms(device)
        assert before is not None
        later(house, 100)
        await socket.send_json({"type": "pong"})
        await socket.send_json({"type": "prove"})
        await until(socket, "proof")
        assert unlocks.until_ms(device) == before
        await socket.send_json({"type": "watch", "agent_id": "agt_1"})
        await until(socket, "frame")
        assert (unlocks.until_ms(device) or 0) >= before + 100_000


async def test_keys_wait_for_the_passkey_when_the_terminal_is_locked(house: House, browser: Browser) -> None:
    await browser.lock(terminal=True)
    await browser.ok("POST", "/lock")
    keys = {"type": "keys", "agent_id": "agt_1", "keys": ["a"]}
    async with live(browser.door, browser) as socket:
        assert (await hello(socket, browser))["type"] == "welcome"
        await socket.send_json({**keys, "request_id": "r1"})
        assert (await until(socket, "ack"))["code"] == "locked"
        await browser.unlock()
        await socket.send_json({**keys, "request_id": "r2"})
        assert "code" not in await until(socket, "ack")
    assert len(house.node.asked) == 1
