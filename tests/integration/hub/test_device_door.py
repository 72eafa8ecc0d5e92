"""The API as devices reach it: pairing, the two ways to log in, rights, and who is kept out."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import pytest

from controlroom.core.access import API, RIGHTS
from controlroom.hub.api.device_callers import KEY_HEADER, cookie_name
from controlroom.hub.api.file_routes import FILE_ROUTES
from controlroom.hub.api.routes import ROUTES
from controlroom.kit.http import Peer
from controlroom.testing.fake_node import agent_state
from controlroom.wire.device import PairingPolicy
from controlroom.wire.node import InterruptAct, SendAct
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Answer, Door, open_door


@pytest.fixture
async def door(house: House) -> AsyncIterator[Door]:
    async with open_door(house) as door:
        yield door


def test_the_table_of_rights_has_a_row_for_each_route_and_each_message() -> None:
    named = {f"{route.method} {API}{route.path}" for route in (*ROUTES, *FILE_ROUTES)}
    beside = {f"GET {API}/{name}" for name in ("health", "openapi.json", "live", "terminals")}
    beside |= {f"POST {API}/pair"}
    assert {subject for subject in RIGHTS if f" {API}/" in subject} == named | beside
    for route in ROUTES:
        assert (route.rule.right == "host") == route.path.startswith("/host/")


async def test_whoever_is_not_paired_gets_nothing_but_the_open_routes(house: House, door: Door) -> None:
    """Walks the routes that the door really serves."""
    served = {(route.method, route.path) for route in house.hub.door_routes()}
    assert not [path for _, path in served if path.startswith(f"{API}/host/")]
    wrong = [
        {},
        {"Authorization": "Bearer 00000000-0000-4000-8000-000000000000"},
        {"Authorization": "Basic aG9zdDpob3N0"},
        {"Cookie": f"{cookie_name(house.hub._hub_id)}=nothing", "Sec-Fetch-Site": "same-origin"},
    ]
    for method, path in sorted(served):
        path = re.sub(r"\{\w+\}", "agt_1", path).removeprefix(API)
        for headers in wrong:
            answer = await door.ask(method, path, {} if method != "GET" else None, headers)
            match (method, path):
                case ("GET", "/health"):
                    assert answer.status == 200
                case ("POST", "/pair"):
                    assert answer.code == "bad_request"
                case _:
                    assert (answer.status, answer.code) == (401, "not_paired"), (method, path, headers)


async def test_host_routes_are_not_there(door: Door) -> None:
    laptop = await door.laptop()
    for route in ROUTES:
        if route.rule.right == "host":
            path = re.sub(r"\{\w+\}", "dev_1", route.path)
            assert (await door.ask(route.method, path, {}, laptop)).status == 404


# ---- pairing -------------------------------------------------------------------------------------------


async def test_a_browser_gets_a_cookie_and_a_key(house: House, door: Door) -> None:
    answer = await door.ask("POST", "/pair", {"code": await door.code(), "device_name": "Fire\x1bfox"})
    assert answer.body["device"]["name"] == "Fire fox"
    assert len(answer.body["key"]) == 43 and "token" not in answer.body
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith(f"controlroom-{house.hub._hub_id}=")
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and "Path=/api/v1/" in cookie
    assert "Domain" not in cookie and "Secure" not in cookie
    door.peer = Peer(door="proxy", address="100.64.0.9", is_secure=True)
    answer = await door.ask("POST", "/pair", {"code": await door.code()})
    assert "Secure" in answer.headers["Set-Cookie"]
    assert answer.body["device"]["door"] == "proxy"
    assert answer.body["device"]["address"] == "100.64.0.9"
    assert set(answer.body["device"]["grants"]) == {"chat", "answers", "actions", "terminal"}


async def test_a_program_gets_a_token_and_no_cookie(door: Door) -> None:
    answer = await door.ask("POST", "/pair", {"code": await door.code(), "kind": "cli"})
    assert len(answer.body["token"]) == 36 and "key" not in answer.body
    assert "Set-Cookie" not in answer.headers


async def test_a_page_gets_no_token_into_its_hands(door: Door) -> None:
    code = await door.code()
    for headers in ({"Origin": door.origin}, {"Sec-Fetch-Site": "same-origin"}):
        answer = await door.ask("POST", "/pair", {"code": code, "kind": "cli"}, headers)
        assert (answer.status, answer.code) == (403, "not_allowed")
    assert (await door.ask("POST", "/pair", {"code": code, "kind": "cli"})).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
async def test_foreign_pages_cannot_pair(door: Door, headers: dict[str, str]) -> None:
    code = await door.code()
    assert (await door.ask("POST", "/pair", {"code": code}, headers)).code == "not_allowed"
    assert (await door.ask("POST", "/pair", {"code": code})).status == 200


async def test_a_browser_that_pairs_again_replaces_itself(door: Door) -> None:
    first = await door.browser()
    answer = await door.ask("POST", "/pair", {"code": await door.code()}, {**first, "Origin": door.origin})
    assert answer.status == 200
    assert (await door.ask("GET", "/fleet", headers=first)).code == "not_paired"
    assert len(await door.house.hub.devices.all()) == 1


async def test_too_many_wrong_codes_block_one_peer_and_no_other(house: House, door: Door) -> None:
    for number in range(10):
        assert (await door.ask("POST", "/pair", {"code": f"AAAA{number:02}"})).code == "not_paired"
    answer = await door.ask("POST", "/pair", {"code": await door.code()})
    assert (answer.status, answer.code) == (429, "too_many")
    assert 0 < answer.body["retry_after_ms"] <= 120_001
    door.peer = Peer(door="device", address="192.0.2.1")
    assert (await door.ask("POST", "/pair", {"code": await door.code()})).status == 200
    async with house.raw() as session, session.post(f"{API}/host/pair", json={}) as minted:
        assert minted.status == 200  # the person lets somebody in: all blocks end
    door.peer = Peer(door="device", address="127.0.0.1")
    assert (await door.ask("POST", "/pair", {"code": await door.code()})).status == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"null",
        b"[]",
        b'{"code":7}',
        b'{"code":"AB12CD"',
        b'{"code":"\xff"}',
        b'{"code":"\\ud800"}',
        b'{"code":"AB12CD","kind":"relay"}',
        b'{"x":' + b"[" * 100_000,
        b"[" * 100_000,
    ],
)
async def test_strangers_send_what_they_like_to_no_effect(door: Door, raw: bytes) -> None:
    async with door.raw("POST", "/pair", raw) as answer:
        assert (answer.status, (await answer.json())["code"]) == (400, "bad_request")


# ---- logging in ----------------------------------------------------------------------------------------


async def test_cookie_and_key_only_together_are_a_device(door: Door) -> None:
    whole = await door.browser()
    assert (await door.ask("GET", "/fleet", headers=whole)).status == 200
    without_key = {name: said for name, said in whole.items() if name != KEY_HEADER}
    other = await door.browser()
    for headers, code in (
        (without_key, "not_paired"),
        ({**whole, KEY_HEADER: ""}, "not_paired"),
        ({**whole, KEY_HEADER: other[KEY_HEADER]}, "not_paired"),
        ({KEY_HEADER: whole[KEY_HEADER]}, "not_paired"),
        ({"Authorization": f"Bearer {whole['Cookie'].partition('=')[2]}"}, "not_paired"),
    ):
        assert (await door.ask("GET", "/fleet", headers=headers)).code == code


@pytest.mark.parametrize(
    ("site", "is_ours"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "none"}, False),
        ({"Origin": "{origin}"}, True),
        ({"Origin": "{origin}", "Sec-Fetch-Site": "cross-site"}, False),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "{https}"}, False),
        ({}, False),
    ],
)
async def test_a_request_with_a_cookie_must_come_from_our_page(
    door: Door, site: dict[str, str], is_ours: bool
) -> None:
    browser = await door.browser()
    del browser["Sec-Fetch-Site"]
    https = door.origin.replace("http:", "https:")
    for name, said in site.items():
        browser[name] = said.format(origin=door.origin, https=https)
    answer = await door.ask("GET", "/fleet", headers=browser)
    assert answer.status == (200 if is_ours else 403)
    assert is_ours or answer.code == "not_allowed"


async def test_origins_are_compared_with_the_scheme_that_the_peer_uses(door: Door) -> None:
    browser = await door.browser()
    del browser["Sec-Fetch-Site"]
    door.peer = Peer(door="proxy", address="100.64.0.9", is_secure=True)
    for origin, host, status in (
        ("https://desk.tail.example", "desk.tail.example", 200),
        ("https://desk.tail.example", "desk.tail.example:443", 200),
        ("https://desk.tail.example:8443", "desk.tail.example", 403),
        ("http://desk.tail.example", "desk.tail.example", 403),
    ):
        answer = await door.ask("GET", "/fleet", headers={**browser, "Origin": origin, "Host": host})
        assert answer.status == status, (origin, host)


async def test_a_restart_keeps_the_login(house: House, door: Door) -> None:
    browser, laptop = await door.browser(), await door.laptop()
    await house.restart()
    async with open_door(house) as again:
        assert (await again.ask("GET", "/fleet", headers=browser)).status == 200
        assert (await again.ask("GET", "/fleet", headers=laptop)).status == 200


# ---- rights --------------------------------------------------------------------------------------------


async def test_a_missing_right_is_named(house: House, door: Door) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    reader = await door.laptop(PairingPolicy(grants={"answers": -1, "actions": -1, "terminal": -1}))
    keys = {"request_id": "r1", "keys": ["a"]}
    dialog = {"request_id": "r1", "waiting_id": "w", "option": "1"}
    for path, body, right in (
        ("/agents/agt_1/keys", keys, "terminal"),
        ("/agents/agt_1/answer", dialog, "answers"),
        ("/agents/agt_1/interrupt", {"request_id": "r1"}, "actions"),
    ):
        answer = await door.ask("POST", path, body, reader)
        assert (answer.status, answer.code) == (403, "not_allowed")
        assert right in answer.body["text"]
    assert (await door.ask("POST", "/agents/agt_1/messages", {"id": "m", "text": "hi"}, reader)).status == 202
    receipts = (await door.ask("GET", "/receipts", headers=reader)).body["receipts"]
    assert {(row["by"].partition(":")[0], row["code"]) for row in receipts} >= {("device", "not_allowed")}
    assert not [act for act in house.node.asked if not isinstance(act, SendAct)]


async def test_a_device_acts_in_its_own_name(house: House, door: Door) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    laptop = await door.laptop()
    answer = await door.ask("POST", "/agents/agt_1/interrupt", {"request_id": "r1"}, laptop)
    assert answer.status == 202
    device = (await door.ask("GET", "/devices", headers=laptop)).body["current"]
    assert [act.by for act in house.node.asked if isinstance(act, InterruptAct)] == [f"device:{device}"]


async def test_a_right_ends_by_the_clock(house: House, door: Door) -> None:
    laptop = await door.laptop(PairingPolicy(ttl_s=600, grants={"terminal": 60}))
    now_ms = house.clock.now_ms

    async def keys() -> Answer:
        return await door.ask("POST", "/agents/x/keys", {"request_id": "r", "keys": ["a"]}, laptop)

    assert (await keys()).code == "not_found"
    house.clock.now_ms = lambda: now_ms() + 61_000  # type: ignore[method-assign] # the clock moves on
    assert (await keys()).code == "not_allowed"
    house.clock.now_ms = lambda: now_ms() + 601_000  # type: ignore[method-assign] # the clock moves on
    assert (await keys()).code == "not_paired"


# ---- the list ------------------------------------------------------------------------------------------


async def test_a_device_sees_renames_and_revokes_devices(door: Door) -> None:
    laptop, phone = await door.laptop(), await door.browser()
    seen = (await door.ask("GET", "/devices", headers=laptop)).body
    assert {device["name"] for device in seen["devices"]} == {"laptop", "Firefox"}
    (other,) = [device["id"] for device in seen["devices"] if device["id"] != seen["current"]]
    renamed = await door.ask("PATCH", f"/devices/{other}", {"name": "Kitchen"}, laptop)
    assert renamed.body["name"] == "Kitchen"
    gone = await door.ask("DELETE", f"/devices/{renamed.body['prefix']}", None, laptop)
    assert gone.status == 200
    assert (await door.ask("GET", "/fleet", headers=phone)).code == "not_paired"
    assert (await door.ask("DELETE", f"/devices/{other}", None, laptop)).code == "not_found"
    assert (await door.ask("DELETE", f"/devices/{seen['current']}", None, laptop)).status == 200
    assert (await door.ask("GET", "/devices", headers=laptop)).code == "not_paired"


async def test_without_chat_a_device_can_still_list_and_leave(door: Door) -> None:
    bare = await door.laptop(PairingPolicy(grants={"chat": -1}))
    devices = await door.ask("GET", "/devices", headers=bare)
    me = devices.body["current"]
    assert (await door.ask("GET", "/fleet", headers=bare)).code == "not_allowed"
    assert (await door.ask("PATCH", f"/devices/{me}", {"name": "x"}, bare)).code == "not_allowed"
    assert (await door.ask("DELETE", f"/devices/{me}", None, bare)).status == 200


async def test_a_device_only_reduces_itself(door: Door) -> None:
    laptop, other = await door.laptop(PairingPolicy(ttl_s=3600)), await door.laptop(name="other")
    me = (await door.ask("GET", "/devices", headers=laptop)).body["current"]
    for body, code in (
        ({"ttl_s": 7200}, "not_allowed"),
        ({"ttl_s": 0}, "not_allowed"),
        ({"grants": {"terminal": 0}}, "not_allowed"),
        ({"grants": {"bridge": 5}}, "bad_request"),
        ({"ttl_s": -1}, "bad_request"),
        ({"name": " \n"}, "bad_request"),
        ({}, "bad_request"),
    ):
        assert (await door.ask("PATCH", f"/devices/{me}", body, laptop)).code == code, body
    assert (await door.ask("PATCH", f"/devices/{me}", {"ttl_s": 5}, other)).code == "not_allowed"
    less = await door.ask("PATCH", f"/devices/{me}", {"ttl_s": 60, "grants": {"terminal": 5}}, laptop)
    assert less.body["grants"]["terminal"] < less.body["grants"]["chat"] == less.body["expires_ms"]


# ---- the host ------------------------------------------------------------------------------------------


async def test_the_host_mints_approves_and_extends(house: House, door: Door) -> None:
    async with house.raw() as host:

        async def post(path: str, body: dict[str, object]) -> Answer:
            async with host.post(API + path, json=body) as answer:
                return Answer(answer.status, await answer.json(), answer.headers)

        minted = await post("/host/pair", {"name": "Tablet", "ttl_s": 3600, "grants": {"answers": -1}})
        code = minted.body["code"]
        assert minted.body["links"][0].endswith(f"/app/#pair={code}")
        paired = await door.ask("POST", "/pair", {"code": code, "device_name": "Safari"})
        device = paired.body["device"]
        assert device["name"] == "Tablet"
        assert set(device["grants"]) == {"chat", "actions", "terminal"}
        longer = await post(f"/host/devices/{device['id']}/extend", {"ttl_s": 0, "grants": {"answers": 60}})
        assert longer.body["expires_ms"] is None
        assert longer.body["grants"]["terminal"] is None
        assert set(longer.body["grants"]) == {"chat", "actions", "terminal", "answers"}
        assert (await post("/host/pairings/approve", {"code": "phone1"})).body["code"] == "PHONE1"
        assert (await door.ask("POST", "/pair", {"code": "phone1"})).status == 200
        assert (await post("/host/pairings/approve", {"code": "x"})).code == "bad_request"
        assert (await post("/host/pair", {"grants": {"chat": -2}})).code == "bad_request"
        assert (await post("/host/pair", {"mode": "public"})).code == "bad_request"
        assert (await post("/host/devices/dev_0/extend", {"ttl_s": 1})).code == "not_found"
        house.callers.agent = "agt_1"
    async with house.raw() as agent:
        for path in ("/host/pair", "/host/pairings/approve"):
            async with agent.post(API + path, json={"code": "PHONE1"}) as answer:
                assert (await answer.json())["code"] == "not_allowed"
        async with agent.get(f"{API}/devices") as answer:
            assert (await answer.json())["code"] == "not_allowed"
