"""Asking for the passkey less, coming back without a key or a passkey, and how a device is connected."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from controlroom.hub.api.device_callers import KEY_HEADER
from controlroom.wire.device import PairingPolicy
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door
from tests.integration.hub.passkey_browser import Browser, later, named_door, paired


@pytest.fixture
async def door(house: House) -> AsyncIterator[Door]:
    async with named_door(house) as door:
        yield door


@pytest.fixture
async def browser(door: Door) -> Browser:
    return await paired(door)


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
