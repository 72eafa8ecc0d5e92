"""The live terminal of an agent: watching changes nothing, keys reach the pane, the paint comes back."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.scenes import idle, permission
from tests.e2e.support.browser import Kind, Visitor, said
from tests.e2e.support.house import House
from tests.support.waiting import until_now

Visit = Callable[..., Visitor]


def opened(house: House, page: Page, name: str) -> Locator:
    """The painted screen of an agent's terminal, as soon as it is live."""
    page.goto(f"{house.url}agents/{house.agents()[name]['id']}/terminal")
    expect(page.get_by_text(re.compile("^Live"))).to_be_visible()
    return page.get_by_role("group", name="Screen of the pane").locator(".xterm-rows")


def test_keys_reach_the_pane_and_the_paint_comes_back(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    page = visit("desktop").pair(house.url, house.code())
    painted = opened(house, page, "orchard")
    expect(painted).to_contain_text("I am here.")
    page.keyboard.press("Enter")  # types into the pane from here on
    expect(page.get_by_text("Keys go to the pane")).to_be_visible()
    page.keyboard.type("prune / the pears? j k")
    expect(painted).to_contain_text("prune / the pears? j k")
    house.until_pane("orchard", "prune / the pears? j k")
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    expect(painted).to_contain_text("Understood: prune / the pears? j")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(said(page, "Understood: prune / the pears? j")).to_be_visible()
    assert page.url == f"{house.url}agents/{agent['id']}"
    assert house.until_done("keys") == 1


def test_a_phone_types_a_line_and_presses_keys_of_the_row(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    house.until_agent("orchard", "idle")
    page = visit("phone").pair(house.url, house.code())
    painted = opened(house, page, "orchard")
    page.get_by_label("Type into the pane").fill("Wash the crates")
    page.get_by_role("button", name="Enter", exact=True).last.tap()
    expect(painted).to_contain_text("Understood: Wash the crates")
    expect(page.get_by_label("Type into the pane")).to_have_value("")
    page.get_by_label("Type into the pane").fill("half")
    keys = page.get_by_role("toolbar", name="Keys")
    keys.get_by_role("button", name="ctrl").tap()
    expect(keys.get_by_role("button", name="ctrl")).to_have_attribute("aria-pressed", "true")
    keys.get_by_role("button", name="ctrl").tap()
    house.desk.tmux("send-keys", "-t", "desk:orchard", "-l", "zzz")
    expect(painted).to_contain_text("zzz")


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_watching_never_resizes_the_pane(house: House, visit: Visit, kind: Kind) -> None:
    house.start()
    house.add(idle())
    house.until_agent("orchard", "idle")
    size = house.size("orchard")
    page = visit(kind).pair(house.url, house.code())
    painted = opened(house, page, "orchard")
    expect(page.get_by_text(f"Live · {size.replace('x', ' × ')}")).to_be_visible()
    page.set_viewport_size({"width": 700, "height": 500})
    for name in ("Larger text", "Fit", "Smaller text"):
        page.get_by_role("button", name=name, exact=True).click()
    house.desk.tmux("send-keys", "-t", "desk:orchard", "-l", "still")
    expect(painted).to_contain_text("still")
    assert house.size("orchard") == size
    house.desk.tmux("resize-window", "-t", "desk:orchard", "-x", "120", "-y", "40")  # its owner does
    expect(page.get_by_text("Live · 120 × 40")).to_be_visible()


def test_what_was_above_the_screen_can_be_read_and_searched(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    house.until_agent("orchard", "idle")
    rows = "".join(f"row {number} of the shell\r\n" for number in range(1, 801))
    Path(house.tty("orchard")).write_text(f"\x1b[?1049lsee https://example.org/pears\r\n{rows}\x1b[?1049h")
    page = visit("desktop").pair(house.url, house.code())
    opened(house, page, "orchard")
    page.get_by_role("button", name="More for this terminal").click()
    page.get_by_role("menuitem", name="Older rows").click()
    reader = page.get_by_role("region", name="Rows as text")
    expect(reader.get_by_text("row 700 of the shell")).to_be_attached()
    reader.get_by_role("button", name=re.compile("older rows")).click()
    expect(reader.get_by_text("row 7 of the shell")).to_be_attached()
    reader.get_by_label("Find in these rows").fill("row 12 of")
    expect(reader.get_by_text("1 of 1")).to_be_visible()
    expect(reader.locator("mark.is-current")).to_be_visible()
    reader.get_by_role("button", name="https://example.org/pears").click()
    expect(page.get_by_role("dialog")).to_contain_text("https://example.org/pears")
    page.keyboard.press("Escape")
    reader.get_by_role("button", name="Back to the live screen").click()
    expect(reader).to_have_count(0)


def test_the_field_is_masked_while_a_password_is_read(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    house.until_agent("orchard", "idle")
    page = visit("phone").pair(house.url, house.code())
    opened(house, page, "orchard")
    expect(page.get_by_label("Type into the pane")).to_be_visible()
    tty = house.tty("orchard")
    subprocess.run(["stty", "-F", tty, "icanon", "-echo"], check=True)
    Path(tty).write_text("\x1b[1;1HPassword: ")
    field = page.get_by_label("Password for the pane, not shown")
    expect(field).to_have_attribute("type", "password")
    field.fill("pear tree 7")
    page.get_by_role("button", name="Enter", exact=True).last.tap()
    expect(field).to_have_value("")
    subprocess.run(["stty", "-F", tty, "-icanon"], check=True)
    Path(tty).write_text("\x1b[1;1HThank you. ")
    expect(page.get_by_label("Type into the pane")).to_have_attribute("type", "text")
    assert "pear tree" not in str(house.ask("/receipts"))


def test_a_prompt_that_nobody_saw_takes_no_key(house: House, visit: Visit) -> None:
    house.start()
    house.add(permission())
    house.until_agent("inventory", "blocked")
    page = visit("desktop").pair(house.url, house.code())
    painted = opened(house, page, "inventory")
    expect(page.get_by_text("It asks something here.")).to_be_visible()
    expect(painted).to_contain_text("Do you want to proceed?")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Keys go to the pane")).to_be_visible()

    def refused_until_settled() -> bool:
        page.keyboard.press("3")
        return bool(house.agents()["inventory"]["activity"] == "idle")

    until_now(refused_until_settled, "the prompt took the key", step_s=0.5)  # as a person presses it again
    assert "The report is made." not in house.pane("inventory")
