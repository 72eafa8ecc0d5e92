"""Host shells for a paired browser: a real door, a real tmux, the socket ``/api/v1/terminals``."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from controlroom.client import HubClient
from controlroom.core.rights import NOT_GIVEN
from controlroom.gateway.terminal.tmux import server_name
from controlroom.kit.clock import new_id
from controlroom.wire.device import MintPairing
from tests.integration.app.house import House


class Shells:
    """A browser's socket, after its hello."""

    def __init__(self, ws: aiohttp.ClientWebSocketResponse) -> None:
        self.ws = ws
        self.shown = ""

    async def say(self, type_: str, **payload: Any) -> None:
        await self.ws.send_json({"type": f"terminal.{type_}", "id": "1", "payload": payload})

    async def hear(self, type_: str) -> dict[str, Any]:
        """The next frame of this type."""
        async with asyncio.timeout(30):
            while True:
                message = await self.ws.receive()
                assert message.type is aiohttp.WSMsgType.TEXT, message
                frame: dict[str, Any] = json.loads(message.data)
                if frame["type"] == type_:
                    return frame

    async def until_shown(self, text: str) -> None:
        while text not in self.shown:
            self.shown += (await self.hear("terminal.output"))["payload"]["data"]

    async def is_closed_with(self, code: str) -> bool:
        error = await self.hear("error")
        async with asyncio.timeout(30):
            while (message := await self.ws.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
        return error["code"] == code and message.type is aiohttp.WSMsgType.CLOSE and message.data == 1008


class Browser:
    """A paired browser with both halves of its login."""

    def __init__(self, house: House, cookie: str, key: str, device_id: str) -> None:
        self.house = house
        self.cookie = cookie
        self.key = key
        self.id = device_id

    @classmethod
    async def paired(cls, house: House, grants: dict[str, int] | None = None) -> Browser:
        async with HubClient(house.home.socket) as hub:
            code = (await hub.pair(MintPairing(grants=grants))).code
        answer = await house.ask(
            "/api/v1/pair",
            "POST",
            host=f"localhost:{house.doors.port}",
            headers={"Origin": origin(house), "Sec-Fetch-Site": "same-origin"},
            json={"code": code},
        )
        body = json.loads(answer.text)
        return cls(house, answer.headers["Set-Cookie"].partition(";")[0], body["key"], body["device"]["id"])

    @asynccontextmanager
    async def shells(self, key: str | None = None, **headers: str) -> AsyncIterator[Shells]:
        async with self.house.session.ws_connect(
            f"ws://localhost:{self.house.doors.port}/api/v1/terminals",
            headers={"Cookie": self.cookie, "Origin": origin(self.house), **headers},
        ) as ws:
            await ws.send_json({"type": "hello", "key": self.key if key is None else key})
            yield Shells(ws)


def origin(house: House) -> str:
    return f"http://localhost:{house.doors.port}"


@pytest.fixture
async def browser(house: House) -> AsyncIterator[Browser]:
    yield await Browser.paired(house)
    # The server is ours alone: its folder (TMUX_TMPDIR) is this test's.
    subprocess.run(["tmux", "-L", server_name(house.home.path), "kill-server"], capture_output=True)


async def test_a_shell_is_started_used_left_and_found_again(browser: Browser) -> None:
    name = new_id("t")[:12]
    async with browser.shells() as shells:
        assert (await shells.hear("ready"))["sessions"] == 4
        await shells.say("attach", session_name=name, cols=90, rows=20)
        attached = (await shells.hear("terminal.attached"))["payload"]
        assert (attached["session_name"], attached["cols"], attached["reattach"]) == (name, 90, False)
        await shells.say("input", session_name=name, data="echo $((40+2)) $COLUMNS; stty size\r")
        await shells.until_shown("42")
        await shells.until_shown("20 90")
        await shells.say("resize", session_name=name, cols=70, rows=10)
        # The terminal takes its new size a moment after it was told.
        waits = "until test \"$(stty size)\" = '10 70'; do sleep 0.1; done; echo $((40+3)) columns\r"
        await shells.say("input", session_name=name, data=waits)
        await shells.until_shown("43 columns")
    async with browser.shells() as shells:
        await shells.say("list")
        rows = (await shells.hear("terminal.sessions"))["payload"]["sessions"]
        assert [row["name"] for row in rows] == [name]
        await shells.say("attach", session_name=name, cols=70, rows=10)
        again = (await shells.hear("terminal.attached"))["payload"]
        assert again["reattach"]
        assert "42" in again["replay"]
        await shells.say("kill", session_name=name)
        assert (await shells.hear("terminal.detached"))["payload"]["reason"] == "client kill"
    async with HubClient(browser.house.home.socket) as hub:
        said = [one.text for one in (await hub.receipts()).receipts if one.what == "terminal"]
    assert said == [f"Typed into the shell {name}.", f"Ended the shell {name}."]


@pytest.mark.parametrize(
    ("key", "headers"),
    [("wrong", {}), (None, {"Origin": "http://localhost:1"}), (None, {"Cookie": "controlroom-x=y"})],
)
async def test_half_a_login_or_a_foreign_page_opens_nothing(
    browser: Browser, key: str | None, headers: dict[str, str]
) -> None:
    try:
        async with browser.shells(key, **headers) as shells:
            assert await shells.is_closed_with("not_paired")
    except aiohttp.WSServerHandshakeError as refused:
        assert refused.status in (401, 403)


async def test_without_the_right_there_is_no_shell(house: House) -> None:
    browser = await Browser.paired(house, {"terminal": NOT_GIVEN})
    async with browser.shells() as shells:
        assert await shells.is_closed_with("not_allowed")


async def test_a_revoked_device_is_out_at_once_and_its_shell_goes_on(browser: Browser) -> None:
    name = new_id("t")[:12]
    other = await Browser.paired(browser.house)
    async with browser.shells() as shells, HubClient(browser.house.home.socket) as hub:
        await shells.say("attach", session_name=name, cols=80, rows=20)
        await shells.hear("terminal.attached")
        await hub.revoke_device(browser.id)
        assert await shells.is_closed_with("not_paired")
    async with other.shells() as shells:
        await shells.say("list")
        rows = (await shells.hear("terminal.sessions"))["payload"]["sessions"]
        assert [row["name"] for row in rows] == [name]
        await shells.say("kill", session_name=name)
        assert (await shells.hear("terminal.detached"))["payload"]["reason"] == "client kill"


async def test_a_message_that_is_none_is_answered_and_the_socket_stays(browser: Browser) -> None:
    async with browser.shells() as shells:
        await shells.hear("ready")
        await shells.ws.send_str("{nonsense")
        assert (await shells.hear("error"))["code"] == "bad_request"
        await shells.say("dance")
        assert "dance" in (await shells.hear("terminal.error"))["payload"]["message"]
        await shells.say("list")
        await shells.hear("terminal.sessions")
