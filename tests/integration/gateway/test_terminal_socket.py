"""A real relay client drives a real shell in a real tmux, as the contract tells it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from controlroom.gateway.terminal.part import Terminals
from controlroom.gateway.terminal.tmux import server_name
from controlroom.kit.home import Home
from tests.integration.gateway.terminal_stage import terminals_of_this_process
from tests.support.relay_door import Client, RelayDoor
from tests.support.tmux import TmuxFolder, TmuxServer
from tests.support.waiting import until


@pytest.fixture
async def tmux(tmux_folder: TmuxFolder) -> AsyncIterator[TmuxServer]:
    """The server of the terminal channel, ended with the test."""
    server = TmuxServer(tmux_folder.path, server_name(tmux_folder.path / "home"))
    yield server
    if pid := server.run("display-message", "-p", "#{pid}", check=False):
        server.pid = int(pid)
        server.kill()


@pytest.fixture
async def door(tmux_folder: TmuxFolder, tmux: TmuxServer) -> AsyncIterator[RelayDoor]:
    environment = {**tmux_folder.environment, "PS1": "$ "}
    home = Home(tmux_folder.path / "home")
    door = RelayDoor(
        tmux_folder.path, parts=lambda: [Terminals(home=home, environment=environment, panes=None)]
    )
    await door.start()
    try:
        yield door
    finally:
        await door.aclose()


class Shell:
    """One terminal on a client; remembers its output."""

    def __init__(self, client: Client, name: str) -> None:
        self.client = client
        self.name = name
        self.output = ""

    async def attach(self, **more: Any) -> dict[str, Any]:
        payload = {"session_name": self.name, "cols": 80, "rows": 24, **more}
        await self.client.send("terminal", "terminal.attach", payload, "attach-1")
        answer = await self.next("terminal.attached")
        assert answer["id"] == "attach-1"
        attached: dict[str, Any] = answer["payload"]
        return attached

    async def say(self, type_: str, **payload: Any) -> None:
        await self.client.send("terminal", f"terminal.{type_}", {"session_name": self.name, **payload})

    async def next(self, type_: str) -> dict[str, Any]:
        while (envelope := await self.client.receive())["type"] != type_:
            assert envelope["type"] == "terminal.output", envelope
            self.output += envelope["payload"]["data"]
        return envelope

    async def shows(self, text: str) -> None:
        while text not in self.output:
            self.output += (await self.next("terminal.output"))["payload"]["data"]


async def test_a_phone_works_in_a_shell_and_comes_back_after_a_restart(
    door: RelayDoor, tmux: TmuxServer
) -> None:
    client, auth = await door.paired()
    shell = Shell(client, "hermes-dev-1-tab1")
    attached = await shell.attach()
    assert attached["reattach"] is False and "replay" not in attached
    await shell.say("input", data="MARK=kept; echo he''llo-$((40+2))\r")
    await shell.shows("hello-42")
    await shell.say("resize", cols=100, rows=30)
    size = "#{window_width}x#{window_height}"
    await until(
        lambda: tmux.run("display-message", "-p", "-t", "=hermes-hermes-dev-1-tab1:", size) == "100x30",
        "the window has the new size",
    )
    await shell.say("detach")
    detached = await shell.next("terminal.detached")
    assert detached["payload"] == {"session_name": shell.name, "reason": "client detach"}

    await shell.attach(cols=100, rows=30)
    restarting = asyncio.get_running_loop().create_task(door.restart())
    assert (await shell.next("terminal.detached"))["payload"]["reason"] == "server shutdown"
    assert await client.closed() == (1001, "server shutting down")
    await restarting

    client = await door.connect()
    answer = await client.auth(session_token=auth["session_token"], device_id="dev-1")
    assert answer["type"] == "auth.ok"
    shell = Shell(client, shell.name)
    attached = await shell.attach(cols=100, rows=30)
    assert attached["reattach"] is True and "hello-42" in attached["replay"]
    await shell.say("input", data="echo mark=$MARK\r")
    await shell.shows("mark=kept")
    await shell.say("kill")
    assert (await shell.next("terminal.detached"))["payload"]["reason"] == "client kill"


async def test_a_kill_right_before_the_close_is_done(door: RelayDoor, tmux: TmuxServer) -> None:
    client, _ = await door.paired()
    for name in ("one", "two", "three"):
        await Shell(client, name).attach()
    for name in ("one", "two", "three"):
        await Shell(client, name).say("kill")
    await client.ws.close()
    await until(lambda: tmux.run("list-sessions", check=False) == "", "all sessions have ended")
    await until(lambda: not terminals_of_this_process(), "all terminals are closed")


async def test_a_dropped_socket_detaches(door: RelayDoor, tmux: TmuxServer) -> None:
    client, _ = await door.paired()
    shell = Shell(client, "left")
    await shell.attach()
    assert len(tmux.clients()) == 1
    response = client.ws._response
    assert response.connection is not None and response.connection.transport is not None
    response.connection.transport.abort()  # as a phone that loses its network
    await until(lambda: not tmux.clients(), "the tmux client has gone")
    await until(lambda: not terminals_of_this_process(), "the terminal is closed")
    assert tmux.run("list-sessions", "-F", "#{session_name}") == "hermes-left"


async def test_an_expiring_right_ends_input_at_once(door: RelayDoor, tmux: TmuxServer) -> None:
    client, auth = await door.paired()
    shell = Shell(client, "s")
    await shell.attach()
    device = await door.book.by_token(auth["session_token"])
    assert device is not None
    past = door.clock.now_ms() - 1
    await door.book.reduce(device, expires_ms=None, grants={**device.grants, "terminal": past})
    told = await shell.next("error")
    assert told["payload"] == {"message": "Terminal grant expired for this device"}
    detached = await shell.next("terminal.detached")
    assert detached["payload"] == {"session_name": "s", "reason": "grant expired"}
    await until(lambda: not tmux.clients() and not terminals_of_this_process(), "the terminal is closed")
    await shell.say("input", data="touch no\r")
    answer = await shell.next("error")
    assert (answer["channel"], answer["id"]) == ("system", "i-1")
    assert answer["payload"] == {"message": "Terminal grant expired for this device"}
    assert "touch no" not in tmux.text("=hermes-s:")


async def test_a_revoked_device_leaves_no_terminal_open(door: RelayDoor, tmux: TmuxServer) -> None:
    client, auth = await door.paired()
    await Shell(client, "s").attach()
    device = await door.book.by_token(auth["session_token"])
    assert device is not None
    await door.book.revoke(device, "host")
    await until(lambda: not tmux.clients() and not terminals_of_this_process(), "the terminal is closed")


async def test_a_stalled_phone_costs_no_memory_and_stops_nobody(door: RelayDoor, tmux: TmuxServer) -> None:
    stalled, _ = await door.paired("dev-stalled")
    shell = Shell(stalled, "loud")
    await shell.attach()
    await shell.say("input", data="yes 0123456789abcdef\r")
    while len(shell.output) < 10_000:
        shell.output += (await shell.next("terminal.output"))["payload"]["data"]
    # From here on it reads nothing.
    other, _ = await door.paired("dev-other")
    quick = Shell(other, "quick")
    await quick.attach()
    await quick.say("input", data="echo qu''ick\r")
    async with asyncio.timeout(60):
        await quick.shows("quick")
    assert max(socket._outbox.size for socket in door.gateway._sockets._all) < 512 * 1024
