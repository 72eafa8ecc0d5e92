"""The lock of a device, with the browser's own virtual authenticator: made, asked for, refused, lost."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tests.e2e.support.browser import Visitor, findings
from tests.e2e.support.finger import Finger
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]

FLEET = """async () => (await fetch("/api/v1/fleet", {
  headers: { "X-Control-Room-Key": localStorage.getItem("controlroom.key") },
})).status"""
LATER = """ms => {
  const now = Date.now;
  Date.now = () => now() + ms;
  window.dispatchEvent(new Event("focus"));
}"""


def locked(house: House, visitor: Visitor) -> tuple[Page, Finger]:
    """A paired device that asks for its passkey."""
    page = visitor.pair(house.url, house.code())
    finger = Finger(visitor, page)
    page.goto(house.url + "settings/lock")
    page.get_by_role("button", name="Make a passkey").click()
    page.get_by_role("switch", name="To open the app").click()
    page.get_by_role("button", name="Lock now").wait_for()
    return page, finger


def is_hidden(page: Page) -> None:
    page.get_by_role("heading", level=1, name="Locked").wait_for()


def test_a_locked_device_hides_everything_and_its_passkey_opens_it(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("phone")
    page, finger = locked(house, visitor)
    page.get_by_role("button", name="Lock now").click()
    is_hidden(page)
    assert page.evaluate(FLEET) == 403
    assert findings(page) == []
    assert page.title() == "Control Room"
    finger.fits(False)
    page.get_by_role("button", name="Unlock", exact=True).click()
    page.get_by_text("Cancelled").wait_for()
    assert page.evaluate(FLEET) == 403
    page.reload()  # is no way round it
    is_hidden(page)
    finger.fits(True)
    page.get_by_role("button", name="Unlock", exact=True).click()
    page.get_by_role("button", name="Lock now").wait_for()
    page.reload()  # and asks for nothing again
    page.get_by_role("button", name="Lock now").wait_for()
    assert page.evaluate(FLEET) == 200
    visitor.expect(r"403|WebSocket")


def test_an_idle_device_is_locked_on_both_ends(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("desktop")
    page, _ = locked(house, visitor)
    page.evaluate(LATER, 299_000)
    page.get_by_role("button", name="Lock now").wait_for()
    page.evaluate(LATER, 301_000)
    is_hidden(page)
    page.wait_for_function(f"async () => (await ({FLEET})()) === 403")
    visitor.expect(r"403|WebSocket")


def test_opening_the_app_asks_and_a_second_window_does_not(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("desktop")
    page, _ = locked(house, visitor)
    second = visitor.context.new_page()
    second.goto(house.url)
    second.get_by_role("heading", level=1, name="Agents").wait_for()
    second.close()
    page.goto("about:blank")
    page.evaluate("() => 1")
    anew = visitor.context.new_page()
    page.close()
    anew.goto(house.url)
    is_hidden(anew)
    visitor.expect(r"403|WebSocket")


def test_a_lost_key_comes_back_with_the_passkey_and_a_lost_passkey_with_a_code(
    house: House, visit: Visit
) -> None:
    house.start()
    visitor = visit("phone")
    page, finger = locked(house, visitor)
    page.evaluate("() => localStorage.clear()")
    page.goto(house.url)
    page.get_by_role("button", name="Paired before? Use the passkey").click()
    page.get_by_role("heading", level=1, name="Agents").wait_for()
    [device] = house.devices()
    finger.lose()
    page.goto(house.url + "settings/lock")
    page.get_by_role("button", name="Lock now").click()
    is_hidden(page)
    page.get_by_role("button", name="Can’t unlock?").click()
    page.get_by_role("link", name="Pair this device").click()
    page.get_by_label("Code").fill(house.code())
    page.get_by_role("button", name="Pair", exact=True).click()
    page.get_by_role("heading", level=1, name="Agents").wait_for()
    [anew] = house.devices()
    assert anew["id"] != device["id"] and "passkeys" not in anew
    visitor.expect(r"401|403|404|WebSocket")


def test_all_windows_of_a_device_lock_and_open_together(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("desktop")
    page, _ = locked(house, visitor)
    second = visitor.context.new_page()
    second.goto(house.url)
    second.get_by_role("heading", level=1, name="Agents").wait_for()
    for _ in range(2):
        page.get_by_role("button", name="Lock now").click()
        is_hidden(second)
        page.get_by_role("button", name="Unlock", exact=True).click()
        page.get_by_role("button", name="Lock now").wait_for()
        second.get_by_role("heading", level=1, name="Agents").wait_for()
        assert second.evaluate(FLEET) == 200
    visitor.expect(r"403|WebSocket")
