"""Settings: devices that are renamed and revoked, what the browser gives, and tastes that stay."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.e2e.support.browser import Visitor
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


def test_a_device_is_renamed_and_revoked_from_another_one(house: House, visit: Visit) -> None:
    house.start()
    phone, desk = visit("phone"), visit("desktop")
    other = phone.pair(house.url, house.code("Old phone"))
    page = desk.pair(house.url, house.code("Desk"))
    page.goto(house.url + "settings/devices")
    page.get_by_role("button", name="Rename Old phone").click()
    page.get_by_role("textbox", name="Name").fill("Kitchen")
    page.get_by_role("button", name="Rename", exact=True).click()
    page.get_by_role("button", name="Revoke Kitchen").click()
    page.get_by_role("button", name="Keep it").click()
    assert len(house.devices()) == 2
    page.get_by_role("button", name="Revoke Kitchen").click()
    page.get_by_role("button", name="Revoke", exact=True).click()
    other.get_by_role("heading", level=1, name="Pair this device").wait_for()
    expect(page.get_by_role("button", name="Revoke Kitchen")).to_have_count(0)
    assert [device["name"] for device in house.devices()] == ["Desk"]
    phone.expect(r"401|WebSocket")


def test_what_the_browser_gives_is_told_with_how_to_change_it(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("desktop", permissions=["notifications"])
    page = visitor.pair(house.url, house.code())
    page.goto(house.url + "settings/this-device")
    for name, state in (
        ("Notifications", "Allowed"),
        ("Camera", ""),
        ("Microphone", ""),
        ("Passkey", "None yet"),
    ):
        expect(page.get_by_role("listitem").filter(has_text=name).filter(has_text=state)).to_have_count(1)
    expect(page.get_by_text("it crosses no network")).to_be_visible()
    page.get_by_role("button", name=re.compile("Make one")).click()
    page.get_by_role("button", name="Make a passkey").wait_for()


def test_tastes_count_at_once_and_stay(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("desktop", color_scheme="light")
    page = visitor.pair(house.url, house.code())
    page.goto(house.url + "settings/reading")
    page.get_by_role("button", name="Dark").click()
    page.get_by_role("switch", name="Token counts").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.get_by_role("button", name="Dark")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("switch", name="Token counts")).to_be_checked()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_too_many_wrong_codes_say_when_to_try_again(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("phone")
    page = visitor.open(house.url + "pair")
    for number in range(11):
        page.get_by_label("Code").fill(f"WRONG{number % 10}")
        page.get_by_role("button", name="Pair", exact=True).click()
        page.get_by_role("alert").filter(has_text="wrong").wait_for()
        if page.get_by_text("Again in").count():
            break
    expect(page.get_by_role("alert")).to_contain_text("Too many wrong codes")
    expect(page.get_by_role("alert")).to_contain_text("Again in")
    visitor.expect(r"401|429")
