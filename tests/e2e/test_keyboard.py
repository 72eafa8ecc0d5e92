"""The keyboard alone: the list, the palette, the key map; and links that lead to one thing."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.scenes import busy, idle, permission
from tests.e2e.support.browser import Kind, Visitor, said
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


@pytest.fixture
def three(house: House) -> House:
    """One that is idle, one that works, one that waits for the person."""
    house.start()
    house.add(idle(), busy(), permission())
    for name, activity in (("orchard", "idle"), ("sorter", "working"), ("inventory", "blocked")):
        house.until_agent(name, activity)
    return house


def at(page: Page, house: House, place: str) -> None:
    page.wait_for_url(f"{house.url}{place}")


def test_keys_lead_everywhere(three: House, visit: Visit) -> None:
    page = visit("desktop").pair(three.url, three.code())
    ids = {name: agent["id"] for name, agent in three.agents().items()}
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible()
    for keys, place in (("gc", "chief"), ("gu", "usage"), ("gs", "settings"), ("ga", "agents")):
        for key in keys:
            page.keyboard.press(key)
        at(page, three, place)
    for name in ("inventory", "orchard", "sorter"):  # needs the person, finished, works
        page.keyboard.press("j")
        expect(page.get_by_role("link", name=re.compile(name))).to_be_focused()
    page.keyboard.press("Enter")
    at(page, three, f"agents/{ids['sorter']}")
    expect(said(page, "Sort it.").first).to_be_visible()
    page.keyboard.press("n")
    at(page, three, f"agents/{ids['inventory']}")
    page.keyboard.press("t")
    at(page, three, f"agents/{ids['inventory']}/terminal")
    expect(page.get_by_text(re.compile("^Live"))).to_be_visible()
    page.go_back()
    page.keyboard.press("m")
    expect(page.get_by_role("dialog", name="inventory")).to_contain_text(
        "Blocked: a dialog waits for a person"
    )
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Escape")
    at(page, three, "agents")
    page.keyboard.press("/")
    page.keyboard.type("orch")
    expect(page.get_by_role("group", name="Agent list").get_by_role("link")).to_have_count(1)
    page.keyboard.press("Escape")  # clears the search, then leaves it
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    all_keys = page.get_by_role("dialog", name="All keys")
    expect(all_keys).to_contain_text("Next that needs you")
    expect(all_keys).to_contain_text("Hide or show the list")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("i")
    at(page, three, f"inbox/{waiting(three)}")


def waiting(house: House) -> str:
    return str(house.agents()["inventory"]["waiting_for"]["id"])


def test_the_palette_goes_and_does(three: House, visit: Visit) -> None:
    page = visit("desktop").pair(three.url, three.code())
    orchard = three.agents()["orchard"]["id"]
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Go to or do")
    expect(field).to_be_focused()
    page.keyboard.type("orch")
    expect(page.get_by_role("option", name=re.compile("orchard")).first).to_have_attribute(
        "aria-selected", "true"
    )
    page.keyboard.press("Enter")
    at(page, three, f"agents/{orchard}")
    expect(said(page, "I am here.")).to_be_visible()
    page.get_by_role("log").focus()
    page.keyboard.press("Control+k")
    page.keyboard.type("pin")
    expect(page.get_by_role("option", name="Pin")).to_be_visible()
    page.keyboard.press("Enter")
    expect(
        page.get_by_role("group", name="Agent list").get_by_role("link", name=re.compile("orchard"))
    ).to_contain_text("pinned")
    page.keyboard.press("Control+k")
    page.keyboard.type("dark")
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Control+k")
    page.keyboard.type("qqq")
    expect(page.get_by_text("Nothing is called “qqq”.")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_links_lead_to_one_thing(three: House, visit: Visit, kind: Kind) -> None:
    page = visit(kind).pair(three.url, three.code())
    agents = three.agents()
    (item,) = (item["id"] for item in three.items("orchard") if item.get("text") == "I am here.")
    page.goto(f"{three.url}agents/{agents['orchard']['id']}/items/{item}")
    expect(said(page, "I am here.")).to_be_in_viewport()
    page.goto(f"{three.url}chats/{agents['orchard']['chat_id']}")
    expect(said(page, "I am here.")).to_be_visible()
    page.goto(f"{three.url}inbox/{waiting(three)}")
    expect(page.get_by_role("heading", name="Wants to run a command")).to_be_visible()
    page.goto(f"{three.url}questions/no-such-question")
    expect(page.get_by_role("heading", name="This is not open any more")).to_be_visible()
    page.goto(f"{three.url}agents/agt_nobody")
    expect(page.get_by_role("heading", name="This agent is not in the list")).to_be_visible()
    page.goto(f"{three.url}nowhere/at/all")
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    page.get_by_role("link", name="All agents").click()
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible()


def test_a_chat_pops_out_into_its_own_window(three: House, visit: Visit) -> None:
    visitor = visit("desktop")
    page = visitor.pair(three.url, three.code())
    page.goto(f"{three.url}agents/{three.agents()['orchard']['id']}")
    page.get_by_role("button", name="Actions for orchard").click()
    with visitor.context.expect_page() as opened:
        page.get_by_role("menuitem", name="In its own window").click()
    window = opened.value
    expect(said(window, "I am here.")).to_be_visible()
    expect(window.get_by_role("navigation", name="Main")).to_have_count(0)
    window.get_by_role("textbox", name=re.compile("Message")).fill("From the window.")
    window.keyboard.press("Control+Enter")
    expect(said(page, "Understood: From the window.")).to_be_visible()
