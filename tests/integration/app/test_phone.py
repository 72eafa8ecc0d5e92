"""A phone and a real control room: paired by its command, with a terminal, over a restart, until revoked."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from controlroom.gateway.terminal.tmux import server_name
from controlroom.testing.scripted.desk import Desk, end_server
from controlroom.testing.scripted.steps import Say, Scene, Turn
from tests.integration.demo.room import PATIENCE_S, Room

COLUMNS, ROWS = 90, 28


@pytest.fixture
def desk() -> Iterator[Desk]:
    folder = Path(tempfile.mkdtemp(prefix="cr", dir="/tmp"))
    desk = Desk(folder, width=COLUMNS, height=ROWS)
    (folder / "home").mkdir(exist_ok=True)
    yield desk
    own = folder / f"tmux-{os.getuid()}" / server_name(folder / "room")
    end_server(own, desk.environ)
    desk.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def room(desk: Desk) -> Iterator[Room]:
    room = Room(desk)
    yield room
    room.end()


class Phone:
    """Follows the relay contract, as the app and the Node client do."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self._ws: aiohttp.ClientWebSocketResponse

    async def connect(self, url: str) -> None:
        base = url.replace("http://", "ws://").removesuffix("/app/")
        self._ws = await self._session.ws_connect(f"{base}/ws")

    async def say(self, channel: str, type_: str, **payload: Any) -> None:
        await self._ws.send_json({"channel": channel, "type": type_, "id": "i-1", "payload": payload})

    async def hear(self, *types: str) -> dict[str, Any]:
        """The next message of one of these types."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                message = await self._ws.receive()
                assert message.type is aiohttp.WSMsgType.TEXT, (message, self._ws.close_code)
                read: dict[str, Any] = message.json()
                if read["type"] in types:
                    return read
                assert not read["type"].endswith((".error", ".fail")), read

    async def until_shown(self, text: str) -> str:
        """Read the terminal until it shows this."""
        shown = ""
        while text not in shown:
            shown += (await self.hear("terminal.output"))["payload"]["data"]
        return shown

    async def auth(self, **credential: str) -> dict[str, Any]:
        await self.say("system", "auth", device_name="Pocket", device_id="phone-1", **credential)
        answer: dict[str, Any] = (await self.hear("auth.ok"))["payload"]
        return answer

    async def closed(self) -> int | None:
        """The close code, once the other side has closed."""
        async with asyncio.timeout(PATIENCE_S):
            while (await self._ws.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
        return self._ws.close_code

    async def hang_up(self) -> None:
        await self._ws.close()


@pytest.fixture
async def phone() -> AsyncIterator[Phone]:
    async with aiohttp.ClientSession() as session:
        yield Phone(session)


async def test_from_a_code_to_a_terminal_that_outlives_the_control_room(room: Room, phone: Phone) -> None:
    await asyncio.to_thread(room.start)
    invitation = await asyncio.to_thread(room.json, "pair", "--name", "Pocket")
    await phone.connect(room.url)
    paired = await phone.auth(pairing_code=invitation["code"])
    token = paired["session_token"]
    assert set(paired["grants"]) >= {"chat", "terminal"}
    assert "answers" not in paired["grants"]

    await phone.say("terminal", "terminal.attach", session_name="work", cols=80, rows=24)
    attached = (await phone.hear("terminal.attached"))["payload"]
    assert (attached["cols"], attached["rows"], attached["reattach"]) == (80, 24, False)
    await phone.say("terminal", "terminal.input", session_name="work", data="echo sum-$((6*7))\r")
    await phone.until_shown("sum-42")
    await phone.say("terminal", "terminal.resize", session_name="work", cols=100, rows=30)
    await phone.say("terminal", "terminal.input", session_name="work", data="stty size\r")
    await phone.until_shown("30 100")
    await phone.say("terminal", "terminal.detach", session_name="work")
    await phone.hear("terminal.detached")

    assert await asyncio.to_thread(room.end) == 0
    assert await phone.closed() is not None
    await asyncio.to_thread(room.start)

    await phone.connect(room.url)
    again = await phone.auth(session_token=token)
    assert again["session_token"] == token
    await phone.say("terminal", "terminal.attach", session_name="work", cols=100, rows=30)
    attached = (await phone.hear("terminal.attached"))["payload"]
    assert attached["reattach"] is True
    assert "sum-42" in attached["replay"]
    await phone.say("terminal", "terminal.input", session_name="work", data="echo back-$((2*4))\r")
    await phone.until_shown("back-8")
    await phone.say("terminal", "terminal.kill", session_name="work")
    await phone.hear("terminal.detached")

    [device] = (await asyncio.to_thread(room.json, "devices"))["devices"]
    assert (device["name"], device["transport"]) == ("Pocket", "ws")
    assert device["address"] in {"127.0.0.1", "::1"}
    await asyncio.to_thread(room.run, "devices", "revoke", device["id"])
    assert await phone.closed() is not None
    await phone.connect(room.url)
    await phone.say("system", "auth", session_token=token)
    assert (await phone.hear("auth.fail"))["type"] == "auth.fail"


async def test_a_code_works_once_and_an_agents_pane_is_a_mirror(desk: Desk, room: Room, phone: Phone) -> None:
    desk.add(
        Scene(
            name="orchard",
            folder="orchard",
            turns=(Turn(prompt="Count the crates.", steps=(Say(text="There are 12 crates."),)),),
        )
    )
    await asyncio.to_thread(room.start)
    await asyncio.to_thread(room.until, "orchard", activity="idle")
    code = (await asyncio.to_thread(room.json, "pair"))["code"]
    await phone.connect(room.url)
    await phone.auth(pairing_code=code)
    before = await asyncio.to_thread(desk.tmux, "list-clients", "-F", "#{client_name} #{client_width}")

    await phone.say("terminal", "terminal.attach", session_name="agent:orchard", cols=40, rows=10)
    attached = (await phone.hear("terminal.attached"))["payload"]
    assert (attached["cols"], attached["rows"]) == (COLUMNS, ROWS)
    await phone.until_shown("12 crates")
    await phone.say("terminal", "terminal.resize", session_name="agent:orchard", cols=20, rows=5)
    await phone.say("terminal", "terminal.input", session_name="agent:orchard", data="hello there")
    await phone.until_shown("hello there")
    size = await asyncio.to_thread(
        desk.tmux, "display-message", "-p", "-t", "desk:orchard", "#{pane_width}x#{pane_height}"
    )
    assert size.strip() == f"{COLUMNS}x{ROWS}"
    after = await asyncio.to_thread(desk.tmux, "list-clients", "-F", "#{client_name} #{client_width}")
    assert after == before
    await phone.hang_up()

    await phone.connect(room.url)
    await phone.say("system", "auth", pairing_code=code)
    assert await phone.hear("auth.fail")
