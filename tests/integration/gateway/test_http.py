"""The relay's own HTTP routes: who may call them, and what they answer."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from controlroom.core.qr import verifies
from controlroom.gateway.access import SECRET_HEADER
from controlroom.gateway.gateway import TROUBLE
from controlroom.kit.settings import Door
from controlroom.wire.device import DeviceHello, PairingPolicy
from tests.support.relay_door import RelayDoor


async def post(
    door: RelayDoor, path: str, body: Any = None, *, source: str = "127.0.0.1", **headers: str
) -> tuple[int, Any]:
    sent = {**door.secret, **headers}
    async with door.session(source).post(path, json=body, headers=sent) as answer:
        text = await answer.text()
        return answer.status, json.loads(text) if text.startswith("{") else text


@pytest.fixture
async def closed_door(tmp_path: Path) -> AsyncIterator[RelayDoor]:
    """As it comes: without loopback routes."""
    door = RelayDoor(tmp_path, settings=Door())
    await door.start()
    yield door
    await door.aclose()


async def test_loopback_routes_are_off_unless_they_are_set(closed_door: RelayDoor) -> None:
    assert not (closed_door.home.path / "door-secret").exists()
    (closed_door.home.path / "door-secret").write_text("x" * 43)
    for path in ("/pairing/register", "/pairing/approve", "/pairing/mint"):
        assert (await post(closed_door, path, {"code": "ABC123"}))[0] == 403
    async with closed_door.session().get("/sessions", headers=closed_door.secret) as answer:
        assert answer.status == 401


@pytest.mark.parametrize(
    "headers",
    [
        {SECRET_HEADER: ""},
        {SECRET_HEADER: "wrong"},
        {SECRET_HEADER: "é" * 43},
        {"Origin": "http://localhost:8767"},
        {"Host": "attacker.example"},
        {"Host": "localhost.attacker.example"},
        {"Host": "127.0.0.1.attacker.example:80"},
        {"X-Forwarded-For": "192.0.2.1"},
        {"X-Forwarded-Proto": "https"},
        {"Forwarded": "for=192.0.2.1"},
        {"Via": "1.1 proxy"},
        {"Tailscale-User-Login": "someone@example.com"},
        {"Content-Type": "text/plain"},
    ],
    ids=lambda headers: next(f"{name}={value[:20]}" for name, value in headers.items()),
)
async def test_a_peer_address_is_no_proof_of_the_operator(door: RelayDoor, headers: dict[str, str]) -> None:
    status, text = await post(door, "/pairing/register", {"code": "ABC123"}, **headers)
    assert (status, text) == (403, "/pairing/register is restricted to localhost callers")


async def test_the_secret_alone_is_no_proof_either(door: RelayDoor) -> None:
    assert (await post(door, "/pairing/mint", {}, source="127.0.0.2"))[0] == 403


async def test_the_secrets_are_private_files_and_stay(door: RelayDoor) -> None:
    secret = door.secret
    for name in ("door-secret", "qr-secret"):
        assert (door.home.path / name).stat().st_mode & 0o777 == 0o600
    await door.restart()
    assert door.secret == secret


async def test_secrets_that_cannot_be_kept_are_a_trouble_and_no_crash(tmp_path: Path) -> None:
    door = RelayDoor(tmp_path)
    (door.home.path / "qr-secret").mkdir()
    await door.start()
    assert [item.code for item in door.health.items] == [TROUBLE]
    client, _ = await door.paired()
    assert not client.ws.closed
    await door.aclose()


async def test_a_minted_code_is_signed_carries_integers_and_lets_a_device_in(door: RelayDoor) -> None:
    wished = {"ttl_seconds": 604800.0, "grants": {"terminal": 86400.5}, "transport_hint": "ws"}
    status, minted = await post(door, "/pairing/mint", {"host": "192.0.2.10", "port": 8642, **wished})
    assert status == 200
    payload = json.loads(minted["qr_payload"])
    assert verifies(payload, payload["sig"], (door.home.path / "qr-secret").read_bytes())
    assert payload["relay"] == {
        "url": "ws://192.0.2.2:18767",
        "code": minted["code"],
        "ttl_seconds": 604800,
        "grants": {"terminal": 86400},
        "transport_hint": "ws",
    }
    assert ".0" not in minted["qr_payload"].replace("192.0.2", "")
    assert (payload["hermes"], payload["key"]) == (2, "")
    link = minted["pairing_url"].removeprefix("hermes-relay://pair?payload=")
    assert base64.urlsafe_b64decode(link + "=" * (-len(link) % 4)).decode() == minted["qr_payload"]
    client = await door.connect()
    answer = await client.auth(pairing_code=minted["code"])
    assert answer["payload"]["transport_hint"] == "ws"


async def test_mint_repeats_a_callers_endpoints_and_key(door: RelayDoor) -> None:
    endpoints = [{"role": "lan", "priority": 3, "api": {"host": "h"}, "more": [1]}]
    body = {"api_key": "made-up", "endpoints": endpoints, "dashboardUrl": "http://192.0.2.10:9119/"}
    _, minted = await post(door, "/pairing/mint", body)
    payload = json.loads(minted["qr_payload"])
    assert (payload["hermes"], payload["key"]) == (3, "made-up")
    assert payload["endpoints"] == minted["endpoints"] == endpoints
    assert payload["dashboard_url"] == minted["dashboard_url"] == "http://192.0.2.10:9119"


@pytest.mark.parametrize(
    "body",
    [
        {"host": " "},
        {"host": 5},
        {"host": "::"},
        {"port": True},
        {"port": 0},
        {"port": 2**40},
        {"endpoints": ["x"]},
        {"dashboard_url": 5},
        {"dashboard_url": "javascript:alert(1)"},
        {"dashboard_url": "http://[x"},
        {"grants": {str(n): 1 for n in range(65)}},
        {"ttl_seconds": 1e300},
    ],
    ids=lambda body: json.dumps(body)[:40],
)
async def test_a_mint_that_cannot_be_is_refused_before_there_is_a_code(
    door: RelayDoor, body: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> None:
        raise AssertionError("a code was made")

    monkeypatch.setattr(door.book, "mint", never)
    status, answer = await post(door, "/pairing/mint", body)
    assert status == 400
    assert answer["ok"] is False
    assert isinstance(answer["error"], str)


async def test_letting_somebody_in_at_the_host_lifts_every_block(door: RelayDoor) -> None:
    for _ in range(5):
        await (await door.connect(source="127.0.0.3")).auth(session_token="x")
    assert (await post(door, "/pairing/register", {"code": "ABC123"}))[0] == 200
    await door.connect(source="127.0.0.3")


async def test_sessions_are_named_by_their_beginning_or_by_the_whole_token(door: RelayDoor) -> None:
    _, one = await door.paired("dev-1")
    await door.paired("dev-2")
    token = one["session_token"]

    async def delete(prefix: str) -> int:
        async with door.session().delete(f"/sessions/{prefix}", headers=door.secret) as answer:
            return answer.status

    assert await delete(token[:9]) == 404
    assert await delete(token[:8] + "-0000-4000-8000-000000000000") == 404
    assert await delete(token[:8].upper() + "X") == 404
    assert await delete(token) == 200
    assert len(await door.book.all()) == 1


async def test_several_sessions_with_one_beginning_are_a_conflict(
    door: RelayDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, one = await door.paired("dev-1")
    [device] = await door.book.all()

    async def twice() -> list[Any]:
        return [device, device]

    monkeypatch.setattr(door.book, "all", twice)
    headers = {"Authorization": f"Bearer {one['session_token']}"}
    for method in ("DELETE", "PATCH"):
        async with door.session().request(
            method, f"/sessions/{device.prefix[:1]}", headers=headers, json={"ttl_seconds": 60}
        ) as answer:
            assert answer.status == 409
            assert "2 sessions match prefix" in (await answer.json())["error"]


async def test_a_browsers_token_opens_nothing_here(door: RelayDoor) -> None:
    code = await door.book.mint(PairingPolicy())
    issued = await door.book.claim(code.code, DeviceHello(kind="web", name="Browser"))
    assert issued is not None
    async with door.session().get("/sessions", headers={"Authorization": f"Bearer {issued.token}"}) as answer:
        assert answer.status == 401
    client = await door.connect()
    assert (await client.auth(session_token=issued.token))["type"] == "auth.fail"


async def test_health_is_open_and_alive_even_when_the_book_is_not(
    door: RelayDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, _ = await door.paired()
    async with door.session("127.0.0.2").get("/health") as answer:
        assert await answer.json() == {"status": "ok", "version": "0.1.0", "clients": 1, "sessions": 1}
    async with door.session("127.0.0.2").head("/health") as answer:
        assert answer.status == 200

    async def broken() -> None:
        raise OSError("gone")

    monkeypatch.setattr(door.book, "all", broken)
    async with door.session("127.0.0.2").get("/health") as answer:
        assert (answer.status, (await answer.json())["status"]) == (200, "degraded")
    await client.ws.close()


async def test_the_bare_address_leads_a_browser_to_the_app(door: RelayDoor) -> None:
    async with door.session().get("/", allow_redirects=False) as answer:
        assert (answer.status, answer.headers["Location"]) == (302, "/app/")


async def test_info_lists_the_capabilities_of_the_parts_only(door: RelayDoor) -> None:
    _, paired = await door.paired()
    headers = {"Authorization": f"Bearer {paired['session_token']}"}
    async with door.session().get("/relay/info", headers=headers) as answer:
        info = await answer.json()
    assert (info["protocol_version"], info["capabilities"], info["echoes"]) == (1, ["echo"], 1)
