"""Getting in: by link and by typed code, what is refused, and getting out again."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.e2e.support.browser import Kind, Visitor
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_the_link_uses_nothing_up_and_pairs(house: House, visit: Visit, kind: Kind) -> None:
    house.start()
    code = house.json("pair")["code"]
    for _ in range(2):  # opening it, and again
        page = visit(kind).open(f"{house.url}#pair={code}")
        page.get_by_role("button", name="Pair", exact=True).wait_for()
    page.get_by_label("Name of this device").fill("Kim's phone")
    page.get_by_role("button", name="Pair", exact=True).click()
    page.get_by_role("heading", level=1, name="Agents").wait_for()
    assert code not in page.url
    assert [device["name"] for device in house.devices()] == ["Kim's phone"]


def test_a_typed_code_pairs_and_a_wrong_one_is_said(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("phone")
    page = visitor.open(house.url)
    page.get_by_label("Code").fill("zzzzzz")
    page.get_by_role("button", name="Pair", exact=True).click()
    page.get_by_role("alert").wait_for()
    assert "code" in page.get_by_role("alert").inner_text().lower()
    visitor.expect(r"401")
    page.get_by_label("Code").fill(house.code().lower())
    page.get_by_role("button", name="Pair", exact=True).click()
    page.get_by_role("heading", level=1, name="Agents").wait_for()


def test_a_pairing_lives_on_and_a_revoked_device_is_out_at_once(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("desktop")
    page = visitor.pair(house.url, house.code())
    page.reload()
    page.get_by_role("heading", level=1, name="Agents").wait_for()
    [device] = house.json("devices")["devices"]
    house.run("devices", "revoke", device["id"])
    page.get_by_role("heading", level=1, name=re.compile("Pair")).wait_for()
    visitor.expect(r"401|WebSocket")


def test_a_device_signs_itself_out(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    page.goto(house.url + "settings/devices")
    page.get_by_role("button", name="Sign out this device").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("Sign out")).click()
    page.get_by_role("heading", level=1, name=re.compile("Pair")).wait_for()
    assert house.devices() == []
    visitor.expect(r"401|WebSocket")
