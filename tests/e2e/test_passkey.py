"""Typing asks for the passkey where the person wants it so; watching does not."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.e2e.scenes import idle
from tests.e2e.support.browser import Visitor
from tests.e2e.support.finger import Finger
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]

LOCK = """
async () => (await fetch("/api/v1/lock", {
  method: "POST", headers: { "X-Control-Room-Key": localStorage.getItem("controlroom.key") },
})).status
"""


def test_the_terminal_asks_for_the_passkey_and_watching_is_free(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    visitor = visit("desktop")
    page = visitor.pair(house.url, house.code())
    Finger(visitor, page)
    page.goto(f"{house.url}settings/lock")
    page.get_by_role("button", name="Make a passkey").click()
    expect(page.get_by_role("button", name=re.compile("^Remove"))).to_be_visible()
    page.get_by_role("switch", name="For the terminal").click()
    expect(page.get_by_role("switch", name="For the terminal")).to_be_checked()
    assert page.evaluate(LOCK) == 200
    page.goto(f"{house.url}agents/{agent['id']}/terminal")
    expect(page.get_by_text(re.compile("^Live"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Keys go to the pane")).to_be_visible()
    page.keyboard.type("x")
    expect(page.get_by_text("Typing is locked on this device.")).to_be_visible()
    assert "❯ x" not in house.pane("orchard")
    page.get_by_role("button", name="Unlock").click()
    page.get_by_label("Type into the pane").fill("open again")
    page.get_by_role("button", name="Enter", exact=True).last.click()
    expect(page.locator(".xterm-rows")).to_contain_text("Understood: open again")
    page.goto(f"{house.url}shells")
    expect(page.get_by_role("button", name="Start a shell").first).to_be_enabled()
    assert page.evaluate(LOCK) == 200
    expect(page.get_by_text("Shells are locked on this device.")).to_be_visible()
    visitor.expect("40[13]|423|WebSocket")
