"""What clients count on is always answered, though nothing stands behind it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from controlroom.core.access import BRIDGE_COMMANDS
from controlroom.gateway.placeholders import NO_CHAT, NO_PHONE, NO_TUI, Placeholders
from controlroom.kit.clock import FakeClock
from tests.support.relay_door import RelayDoor


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[RelayDoor]:
    clock = FakeClock()
    relay = RelayDoor(tmp_path, parts=lambda: [Placeholders()], clock=clock)
    await relay.start()
    yield relay
    await relay.aclose()


async def test_the_text_interface_is_attached_and_fails_inside_its_replies(door: RelayDoor) -> None:
    client, _ = await door.paired()
    await client.send("tui", "tui.rpc.request", {"id": "r0", "jsonrpc": "2.0", "method": "x"})
    assert (await client.receive())["type"] == "tui.rpc.response", "before attach too: never tui.error"
    await client.send("tui", "tui.attach", {"cols": 80, "rows": 24})
    answer = await client.receive()
    assert (answer["type"], set(answer["payload"])) == ("tui.attached", {"pid", "server_version"})
    await client.send("tui", "tui.rpc.request", {"id": "r1", "jsonrpc": "2.0", "method": "session.list"})
    answer = await client.receive()
    assert (answer["channel"], answer["type"]) == ("tui", "tui.rpc.response")
    assert answer["payload"] == {
        "jsonrpc": "2.0",
        "id": "r1",
        "error": {"code": -32000, "message": NO_TUI},
    }


SILENT: list[tuple[str, str, Any]] = [
    ("tui", "tui.resize", {"cols": 1, "rows": 1}),
    ("tui", "tui.detach", {}),
    ("tui", "tui.nope", {}),
    ("tui", "tui.rpc.request", {"jsonrpc": "2.0", "method": "notification"}),
    ("bridge", "bridge.status", {"screen_on": True, "device": {"name": "Pixel"}}),
    ("bridge", "bridge.response", {"request_id": "x", "status": 200, "result": {}}),
    ("notifications", "notification.posted", {"package_name": "com.chat", "title": "t"}),
    ("desktop", "workspace", {"version": 1, "cwd": "/w"}),
    ("desktop", "desktop.status", {"advertised_tools": ["desktop_terminal"]}),
    ("desktop", "active_editor", {}),
    ("chat", "chat.nope", {}),
]


async def test_reports_of_clients_are_taken_without_an_answer(door: RelayDoor) -> None:
    client, _ = await door.paired()
    for channel, type_, payload in SILENT:
        await client.send(channel, type_, payload)
        await client.send("system", "ping", {"ts": 1}, "after")
        assert (await client.receive())["type"] == "pong", type_


async def test_chat_over_the_relay_is_refused_in_its_own_words(door: RelayDoor) -> None:
    client, _ = await door.paired()
    await client.send("chat", "chat.send", {"message": "hi"}, "c-1")
    answer = await client.receive()
    assert (answer["type"], answer["id"], answer["payload"]) == ("chat.error", "c-1", {"message": NO_CHAT})


@pytest.mark.parametrize(
    ("channel", "right"),
    [
        ("tui", "tui"),
        ("desktop", "tui"),
        ("bridge", "bridge"),
        ("notifications", "chat"),
    ],
)
async def test_each_channel_needs_its_right(door: RelayDoor, channel: str, right: str) -> None:
    client, _ = await door.paired(grants={right: -1})
    await client.send(channel, f"{channel}.subscribe", id_="x")
    answer = await client.receive()
    assert (answer["channel"], answer["type"], answer["id"]) == ("system", "error", "x")
    assert "grant expired" in answer["payload"]["message"]


async def test_there_is_never_a_phone_to_command(door: RelayDoor) -> None:
    _, paired = await door.paired()
    _, poor = await door.paired("dev-2", grants={"bridge": -1})
    session = door.session("127.0.0.2")
    for command in BRIDGE_COMMANDS:
        method, path = command.split()
        statuses = []
        for token in (paired["session_token"], poor["session_token"], "x"):
            headers = {"Authorization": f"Bearer {token}"}
            async with session.request(method, path, headers=headers) as answer:
                statuses.append(answer.status)
                if answer.status == 503:
                    assert await answer.json() == {"error": NO_PHONE}
        assert statuses == [503, 403, 401], command


async def test_programs_of_this_machine_learn_that_there_is_no_phone(door: RelayDoor) -> None:
    session = door.session()
    async with session.get("/bridge/status", headers=door.secret) as answer:
        assert answer.status == 503
        assert await answer.json() == {
            "phone_connected": False,
            "last_seen_seconds_ago": None,
            "error": "no phone connected",
        }
    async with session.get("/bridge/devices", headers=door.secret) as answer:
        assert (answer.status, (await answer.json())["devices"]) == (200, [])
    for path in ["/bridge/status", "/bridge/devices"]:
        async with session.get(path) as answer:
            assert answer.status == 403


@pytest.mark.parametrize(
    "path",
    ["/voice/config", "/voice/transcribe", "/voice/realtime/x", "/notifications/recent", "/phone/replies"],
)
async def test_what_is_not_here_is_not_found(door: RelayDoor, path: str) -> None:
    _, paired = await door.paired()
    headers = {"Authorization": f"Bearer {paired['session_token']}"}
    for method in ("GET", "POST"):
        async with door.session().request(method, path, headers=headers) as answer:
            assert answer.status == 404
