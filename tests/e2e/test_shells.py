"""Shells of the host: started, typed into, left, found again, ended; only where the right allows it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.support.browser import Kind, Visitor
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


NARROWER = """
new Promise((resolve) => {
  const look = () => {
    if (document.querySelector(".xterm-screen").offsetWidth < 600) resolve();
    else requestAnimationFrame(look);
  };
  look();
})
"""


def start(page: Page, name: str) -> None:
    page.get_by_role("button", name="Start a shell").first.click()
    sheet = page.get_by_role("dialog", name="Start a shell")
    sheet.get_by_label("Name").fill(name)
    sheet.get_by_role("button", name="Start", exact=True).click()
    expect(page.get_by_role("tabpanel", name=f"Shell {name}").get_by_text("Connected")).to_be_visible()


def type_into(page: Page, name: str, text: str) -> None:
    page.get_by_label(f"Keys for the shell {name}").focus()
    page.keyboard.type(text)
    page.keyboard.press("Enter")


def columns(page: Page, word: str) -> int:
    """How wide the shell "wide" takes its window to be."""
    type_into(page, "wide", f"echo {word}-$(tput cols)-")
    rows = page.get_by_role("tabpanel", name="Shell wide").locator(".xterm-rows")
    form = re.compile(rf"{word}-(\d+)-")
    expect(rows).to_contain_text(form)
    found = form.search(rows.inner_text())
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_shells_are_started_left_and_ended(house: House, visit: Visit, kind: Kind) -> None:
    house.start()
    page = visit(kind).pair(house.url, house.code())
    page.goto(f"{house.url}shells")
    start(page, "pears")
    panel = page.get_by_role("tabpanel", name="Shell pears")
    type_into(page, "pears", "echo sum-$((40+2))")
    expect(panel.locator(".xterm-rows")).to_contain_text("sum-42")
    start(page, "plums")
    type_into(page, "plums", "echo other-$((1+1))")
    expect(page.get_by_role("tabpanel", name="Shell plums").locator(".xterm-rows")).to_contain_text("other-2")
    page.get_by_role("tab", name="pears").click()
    expect(panel.locator(".xterm-rows")).to_contain_text("sum-42")
    page.get_by_role("button", name="More for shells").click()
    page.get_by_role("menuitem", name="Detach, it goes on").click()
    expect(page.get_by_role("tab", name="pears")).to_have_count(0)
    page.reload()
    shells = page.get_by_role("list", name="Shells on the machine")
    expect(shells.get_by_role("listitem")).to_have_count(2)
    shells.get_by_role("button", name="Open pears").click()
    expect(panel.locator(".xterm-rows")).to_contain_text("sum-42")  # it went on, and shows what was there
    page.get_by_role("tab", name="All").click()
    shells.get_by_role("button", name="End the shell plums").click()
    question = page.get_by_role("dialog", name="End this shell?")
    question.get_by_role("button", name="Cancel").click()
    expect(shells.get_by_role("listitem")).to_have_count(2)
    shells.get_by_role("button", name="End the shell plums").click()
    question.get_by_role("button", name="End it").click()
    expect(shells.get_by_role("listitem")).to_have_count(1)


def test_a_shell_takes_the_size_of_the_window(house: House, visit: Visit) -> None:
    house.start()
    page = visit("desktop").pair(house.url, house.code())
    page.goto(f"{house.url}shells")
    start(page, "wide")
    rows = page.get_by_role("tabpanel", name="Shell wide").locator(".xterm-rows")
    wide = columns(page, "wide")
    page.set_viewport_size({"width": 600, "height": 700})
    expect(rows).to_be_visible()
    page.evaluate(NARROWER)
    assert columns(page, "narrow") < wide


def test_a_device_without_the_right_is_told_so(house: House, visit: Visit) -> None:
    house.start()
    visitor = visit("phone")
    page = visitor.pair(house.url, house.json("pair", "--grants", "terminal=none")["code"])
    page.goto(f"{house.url}shells")
    expect(page.get_by_text("This device has no right “terminal”.")).to_be_visible()
    visitor.expect("WebSocket is closed before")  # it was opened before the rights were heard
