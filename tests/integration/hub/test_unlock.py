"""Passkeys with real ceremonies: registering, unlocking, and what a locked device may."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from controlroom.testing.fake_node import agent_state
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door
from tests.integration.hub.passkey_browser import Browser, later, named_door, paired
from tests.support.authenticator import Authenticator
from tests.support.waiting import until


@pytest.fixture
async def door(house: House) -> AsyncIterator[Door]:
    async with named_door(house) as door:
        yield door


@pytest.fixture
async def browser(door: Door) -> Browser:
    return await paired(door)


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
        ("GET", "/status", None),
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


async def test_a_locked_screen_counts_what_is_in_reach(house: House, browser: Browser) -> None:
    await house.node.put(
        agent_state(activity="blocked"),
        agent_state(id="agt_2", activity="question"),
        agent_state(id="agt_3"),
        agent_state(id="agt_4", activity="blocked"),
    )
    await house.until_agent("agt_4")
    await browser.ok("PATCH", "/agents/agt_4", {"archived": True})
    await browser.register()
    assert (await browser.options())["waiting"] == 2
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    assert (await browser.options())["waiting"] == 0


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
    async with named_door(house) as door:
        browser.door = door
        browser.authenticator.origin = door.origin
        assert await browser.is_locked()
        await browser.unlock()
        assert not await browser.is_locked()
