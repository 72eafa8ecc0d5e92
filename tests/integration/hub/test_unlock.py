"""Passkeys with real ceremonies: registering, unlocking, what a locked device may, and the way back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from controlroom.hub.api.device_callers import KEY_HEADER
from controlroom.testing.fake_node import agent_state
from controlroom.wire.device import PairingPolicy
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Answer, Door, open_door
from tests.support.authenticator import Authenticator


class Browser:
    """A paired browser with an authenticator of its own."""

    def __init__(self, door: Door, headers: dict[str, str], authenticator: Authenticator) -> None:
        self.door = door
        self.headers = headers
        self.authenticator = authenticator
        self.id = ""

    async def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        return await self.door.ask(method, path, body, {**self.headers, **headers})

    async def ok(self, method: str, path: str, body: Any = None) -> Any:
        answer = await self.ask(method, path, body)
        assert answer.status == 200, answer.body
        return answer.body

    async def register(self) -> Any:
        options = (await self.ok("POST", "/unlock/register/options"))["options"]
        made = self.authenticator.create(options)
        return await self.ok("POST", "/unlock/register", {"credential": made, "name": "This\x1bphone"})

    async def lock(self, **wish: Any) -> Any:
        return await self.ok("PATCH", f"/devices/{self.id}", {"lock": wish})

    async def options(self) -> Any:
        return await self.ok("POST", "/unlock/options")

    async def unlock(self) -> Any:
        signed = self.authenticator.get((await self.options())["options"])
        return await self.ok("POST", "/unlock", {"credential": signed})

    async def is_locked(self) -> bool:
        answer = await self.ask("GET", "/fleet")
        assert answer.status in (200, 403), answer.body
        assert answer.status == 200 or answer.code == "locked"
        return answer.status == 403


@pytest.fixture
async def door(house: House) -> AsyncIterator[Door]:
    async with open_door(house) as door:
        door.origin = door.origin.replace("127.0.0.1", "localhost")
        yield door


@pytest.fixture
async def browser(door: Door) -> Browser:
    browser = Browser(door, await door.browser(), Authenticator(door.origin))
    browser.id = (await browser.ok("GET", "/devices"))["current"]
    return browser


def later(house: House, seconds: int) -> None:
    now_ms = house.clock.now_ms
    house.clock.now_ms = lambda: now_ms() + seconds * 1000  # type: ignore[method-assign] # the clock moves on


# ---- registering -----------------------------------------------------------------------------------------


async def test_a_passkey_is_registered_shown_and_leaves_a_receipt(browser: Browser) -> None:
    made = await browser.register()
    assert (made["name"], made["site"]) == ("This phone", "localhost")
    seen = await browser.ok("GET", "/devices")
    assert [passkey["id"] for passkey in seen["passkeys"]] == [made["id"]]
    assert seen["devices"][0]["passkeys"] == 1
    assert seen["unlocked_until_ms"] is not None  # the person was there just now
    receipts = (await browser.ok("GET", "/receipts"))["receipts"]
    assert [row["what"] for row in receipts][-1] == "add passkey"
    assert "public_key" not in str(seen)


async def test_what_the_browser_is_asked(browser: Browser) -> None:
    asked = await browser.ok("POST", "/unlock/register/options")
    options = asked["options"]
    assert asked["idle_s"] == 300
    assert options["rp"]["id"] == "localhost"
    assert options["authenticatorSelection"]["userVerification"] == "required"
    await browser.register()
    again = (await browser.ok("POST", "/unlock/register/options"))["options"]
    assert len(again["excludeCredentials"]) == 1
    options = (await browser.options())["options"]
    assert options["rpId"] == "localhost" and options["userVerification"] == "required"
    assert len(options["allowCredentials"]) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "http://localhost:1"},
        {"origin": "https://evil.example"},
        {"site": "evil.example"},
        {"verifies": False},
    ],
)
async def test_a_registration_that_proves_nothing_is_refused(browser: Browser, wrong: dict[str, Any]) -> None:
    options = (await browser.ok("POST", "/unlock/register/options"))["options"]
    for name, value in wrong.items():
        setattr(browser.authenticator, name, value)
    answer = await browser.ask(
        "POST", "/unlock/register", {"credential": browser.authenticator.create(options)}
    )
    assert answer.code == "bad_request"
    assert "passkeys" not in await browser.ok("GET", "/devices")


async def test_a_challenge_is_good_for_one_try_and_one_device(door: Door, browser: Browser) -> None:
    options = (await browser.ok("POST", "/unlock/register/options"))["options"]
    made = {"credential": browser.authenticator.create(options)}
    other = Browser(door, await door.browser(), Authenticator(door.origin))
    assert (await other.ask("POST", "/unlock/register", made)).code == "bad_request"
    assert (await browser.ask("POST", "/unlock/register", made)).status == 200
    assert (await browser.ask("POST", "/unlock/register", made)).code == "bad_request"


@pytest.mark.parametrize(
    "credential", [{}, [], "x", 7, None, {"id": "x", "response": {"clientDataJSON": "%"}}]
)
async def test_garbage_is_refused(browser: Browser, credential: Any) -> None:
    for path in ("/unlock", "/unlock/register"):
        answer = await browser.ask("POST", path, {"credential": credential})
        assert answer.status in (400, 403), answer.body
        assert answer.code in ("bad_request", "locked")


async def test_only_browsers_under_a_name_have_passkeys(house: House, door: Door, browser: Browser) -> None:
    laptop = await door.laptop()
    for path in ("/unlock/register/options", "/unlock/options", "/lock"):
        assert (await door.ask("POST", path, None, laptop)).code == "bad_request"
        async with house.raw() as host, host.post(f"/api/v1{path}") as answer:
            assert (await answer.json())["code"] == "bad_request"
    number = Browser(door, browser.headers, browser.authenticator)
    door.origin = door.origin.replace("localhost", "127.0.0.1")
    refused = await number.ask("POST", "/unlock/register/options")
    assert refused.code == "bad_request" and "localhost" in refused.body["text"]


# ---- locked and unlocked ---------------------------------------------------------------------------------


async def test_without_a_passkey_no_lock_can_be_turned_on(browser: Browser) -> None:
    for wish in ({"app": True}, {"terminal": True}):
        answer = await browser.ask("PATCH", f"/devices/{browser.id}", {"lock": wish})
        assert answer.code == "bad_request" and "passkey" in answer.body["text"]
    assert (await browser.ask("PATCH", f"/devices/{browser.id}", {"lock": {"idle_s": 1}})).status == 400


async def test_an_idle_browser_is_locked_and_its_passkey_opens_it(house: House, browser: Browser) -> None:
    await browser.register()
    device = await browser.lock(app=True)
    assert device["lock"] == {"app": True}  # what is not said is as always
    later(house, 200)
    assert not await browser.is_locked()  # an act: it begins anew
    later(house, 200)
    assert not await browser.is_locked()
    later(house, 300)
    assert await browser.is_locked()
    until_ms = (await browser.unlock())["unlocked_until_ms"]
    assert 299_000 < until_ms - house.clock.now_ms() <= 300_000
    assert not await browser.is_locked()


async def test_a_locked_browser_may_do_nothing_but_unlock_lock_and_leave(
    house: House, door: Door, browser: Browser
) -> None:
    await house.node.put(agent_state(activity="blocked"))
    await house.until_agent()
    laptop = await door.laptop()
    await browser.register()
    await browser.lock(app=True)
    await browser.ok("POST", "/lock")
    for method, path, body in (
        ("GET", "/fleet", None),
        ("GET", "/receipts", None),
        ("GET", "/devices", None),
        ("GET", "/openapi.json", None),
        ("POST", "/agents/agt_1/messages", {"id": "m1", "text": "hi"}),
        ("POST", "/agents/agt_1/keys", {"request_id": "r", "keys": ["a"]}),
        ("PATCH", f"/devices/{browser.id}", {"lock": {"app": False}}),
        ("PATCH", f"/devices/{browser.id}", {"name": "x"}),
        ("POST", "/unlock/register/options", None),
        ("DELETE", "/unlock/passkeys/x", None),
    ):
        answer = await browser.ask(method, path, body)
        assert (answer.status, answer.code) == (403, "locked"), path
    assert not house.node.asked
    other = (await door.ask("GET", "/devices", headers=laptop)).body["current"]
    assert (await browser.ask("DELETE", f"/devices/{other}")).code == "locked"
    assert (await door.ask("GET", "/fleet", headers=laptop)).status == 200  # nobody else is locked
    asked = await browser.options()
    assert asked["waiting"] == 1
    assert "agt_1" not in str(asked)
    assert (await browser.ask("DELETE", f"/devices/{browser.id}")).status == 200  # signing out
    receipts = (await door.ask("GET", "/receipts", headers=laptop)).body["receipts"]
    assert "not_allowed" not in [row["code"] for row in receipts]


async def test_the_terminal_alone_can_be_locked(house: House, browser: Browser) -> None:
    await house.node.put(agent_state())
    await house.until_agent()
    await browser.register()
    await browser.lock(terminal=True)
    keys = {"request_id": "r1", "keys": ["a"]}
    assert (await browser.ask("POST", "/agents/agt_1/keys", keys)).status == 202
    await browser.ok("POST", "/lock")
    assert (await browser.ask("POST", "/agents/agt_1/keys", {**keys, "request_id": "r2"})).code == "locked"
    assert not await browser.is_locked()
    await browser.unlock()
    assert (await browser.ask("POST", "/agents/agt_1/keys", {**keys, "request_id": "r3"})).status == 202
    assert len(house.node.asked) == 2


@pytest.mark.parametrize(
    "wrong",
    [{"origin": "http://localhost:1"}, {"site": "evil.example"}, {"verifies": False}, {"id": b"another"}],
)
async def test_an_answer_that_proves_nothing_opens_nothing(browser: Browser, wrong: dict[str, Any]) -> None:
    await browser.register()
    await browser.lock(app=True)
    await browser.ok("POST", "/lock")
    options = (await browser.options())["options"]
    for name, value in wrong.items():
        setattr(browser.authenticator, name, value)
    signed = {"credential": browser.authenticator.get(options)}
    assert (await browser.ask("POST", "/unlock", signed)).code == "locked"
    assert await browser.is_locked()


async def test_a_signature_of_another_key_opens_nothing(browser: Browser) -> None:
    await browser.register()
    await browser.lock(app=True)
    await browser.ok("POST", "/lock")
    forger = Authenticator(browser.door.origin, id=browser.authenticator.id, count=50)
    signed = {"credential": forger.get((await browser.options())["options"])}
    assert (await browser.ask("POST", "/unlock", signed)).code == "locked"
    assert await browser.is_locked()


async def test_an_answer_opens_once(browser: Browser) -> None:
    await browser.register()
    await browser.lock(app=True)
    signed = {"credential": browser.authenticator.get((await browser.options())["options"])}
    assert (await browser.ask("POST", "/unlock", signed)).status == 200
    await browser.ok("POST", "/lock")
    assert (await browser.ask("POST", "/unlock", signed)).code == "locked"
    assert await browser.is_locked()


async def test_an_old_challenge_opens_nothing(house: House, browser: Browser) -> None:
    await browser.register()
    signed = {"credential": browser.authenticator.get((await browser.options())["options"])}
    later(house, 301)
    assert (await browser.ask("POST", "/unlock", signed)).code == "locked"


async def test_a_counter_that_goes_back_opens_nothing(browser: Browser) -> None:
    await browser.register()
    await browser.lock(app=True)
    await browser.unlock()
    await browser.ok("POST", "/lock")
    browser.authenticator.count -= 1
    signed = {"credential": browser.authenticator.get((await browser.options())["options"])}
    answer = await browser.ask("POST", "/unlock", signed)
    assert answer.code == "locked" and "copied" in answer.body["text"]
    assert await browser.is_locked()
    await browser.unlock()  # the real one goes on


async def test_a_passkey_without_a_counter_works(browser: Browser) -> None:
    browser.authenticator.counts = False
    await browser.register()
    await browser.unlock()
    await browser.unlock()
    assert (await browser.ok("GET", "/devices"))["passkeys"][0]["used_ms"]


async def test_a_hub_that_starts_anew_asks_again(house: House, browser: Browser) -> None:
    await browser.register()
    await browser.lock(app=True)
    assert not await browser.is_locked()
    await house.restart()
    async with open_door(house) as door:
        door.origin = door.origin.replace("127.0.0.1", "localhost")
        browser.door = door
        browser.authenticator.origin = door.origin
        assert await browser.is_locked()
        await browser.unlock()
        assert not await browser.is_locked()


# ---- asking for less, and ways back ----------------------------------------------------------------------


async def test_asking_for_less_needs_a_present_unlock(browser: Browser) -> None:
    passkey = (await browser.register())["id"]
    await browser.lock(terminal=True)
    await browser.ok("POST", "/lock")
    path = f"/devices/{browser.id}"
    for body in ({"lock": {"terminal": False}}, {"lock": {"idle_s": 301}}):
        assert (await browser.ask("PATCH", path, body)).code == "locked"
    assert (await browser.ask("DELETE", f"/unlock/passkeys/{passkey}")).code == "locked"
    assert (await browser.ask("POST", "/unlock/register/options")).code == "locked"
    await browser.lock(idle_s=60)  # more often is no question
    await browser.unlock()
    await browser.lock(app=True, terminal=True)
    left = await browser.ok("DELETE", f"/unlock/passkeys/{passkey}")
    assert "passkeys" not in left and left["lock"] == {"idle_s": 60}
    receipts = (await browser.ok("GET", "/receipts"))["receipts"]
    assert [row["what"] for row in receipts][-3:] == ["lock settings", "lock settings", "remove passkey"]


async def test_turning_the_lock_on_opens_nothing(browser: Browser) -> None:
    await browser.register()
    await browser.ok("POST", "/lock")
    await browser.lock(app=True)
    assert await browser.is_locked()


async def test_a_lost_key_is_renewed_by_the_passkey(browser: Browser) -> None:
    await browser.register()
    old = browser.headers.pop(KEY_HEADER)
    assert (await browser.ask("GET", "/fleet")).code == "not_paired"
    assert (await browser.ask("POST", "/lock")).code == "not_paired"
    asked = await browser.options()
    assert "waiting" not in asked
    key = (await browser.unlock())["key"]
    assert key and key != old
    assert (await browser.ask("GET", "/fleet")).code == "not_paired"
    assert (await browser.ask("GET", "/fleet", **{KEY_HEADER: old})).code == "not_paired"
    assert (await browser.ask("GET", "/fleet", **{KEY_HEADER: key})).status == 200
    browser.headers[KEY_HEADER] = key
    assert (await browser.unlock()).get("key") is None


async def test_half_a_login_keeps_no_unlock_alive(house: House, browser: Browser) -> None:
    await browser.register()
    await browser.lock(app=True)
    key = browser.headers.pop(KEY_HEADER)
    for _ in range(3):
        later(house, 150)
        await browser.options()
    browser.headers[KEY_HEADER] = key
    assert await browser.is_locked()


async def test_half_a_login_needs_our_own_page(browser: Browser) -> None:
    await browser.register()
    browser.headers["Sec-Fetch-Site"] = "same-site"
    assert (await browser.ask("POST", "/unlock/options")).code == "not_allowed"


async def test_pairing_the_same_browser_again_is_the_way_back(door: Door, browser: Browser) -> None:
    await browser.register()
    await browser.lock(app=True)
    await browser.ok("POST", "/lock")
    answer = await door.ask(
        "POST",
        "/pair",
        {"code": await door.code(PairingPolicy()), "device_name": "Firefox"},
        {**browser.headers, "Origin": door.origin},
    )
    assert answer.status == 200
    browser.headers["Cookie"] = answer.headers["Set-Cookie"].partition(";")[0]
    browser.headers[KEY_HEADER] = answer.body["key"]
    assert not await browser.is_locked()
    seen = await browser.ok("GET", "/devices")
    assert "passkeys" not in seen and "passkeys" not in seen["devices"][0] and len(seen["devices"]) == 1
    await browser.register()  # the same authenticator, once more


# ---- how it is connected ---------------------------------------------------------------------------------


async def test_a_plain_route_has_a_reason_that_can_be_withdrawn(door: Door, browser: Browser) -> None:
    me = f"/devices/{browser.id}"
    assert (await browser.ok("PATCH", me, {"plain_reason": "vpn"}))["plain_reason"] == "vpn"
    assert (await browser.ok("PATCH", me, {"name": "Kim's"}))["plain_reason"] == "vpn"
    gone = await browser.ok("PATCH", me, {"plain_reason": None})
    assert gone.get("plain_reason") is None
    assert (await browser.ask("PATCH", me, {"plain_reason": "because"})).code == "bad_request"
    laptop = await door.laptop()
    assert (await door.ask("PATCH", me, {"plain_reason": "vpn"}, laptop)).code == "not_allowed"
    receipts = (await browser.ok("GET", "/receipts"))["receipts"]
    assert [row["what"] for row in receipts].count("plain route") == 2
