"""The list, a chat, and a message that arrives whatever is killed in between."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from controlroom.testing.scripted.steps import Go
from tests.e2e.scenes import busy, idle, permission
from tests.e2e.support.browser import CUT, Visitor
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


def talk(page: Page) -> Locator:
    """The open chat; the list beside it may say the same words."""
    return page.get_by_role("log", name="Conversation")


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name=re.compile("Message"))


def test_the_list_says_who_needs_the_person(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle(), busy(), permission())
    for name, activity in (("orchard", "idle"), ("sorter", "working"), ("inventory", "blocked")):
        house.until_agent(name, activity)
    page = visit("phone").pair(house.url, house.code())
    needs = page.get_by_role("region", name=re.compile("Needs you"))
    expect(needs.get_by_role("link")).to_have_count(1)
    expect(needs.get_by_role("link")).to_contain_text("inventory")
    expect(page.get_by_role("status").filter(has_text="1 waits for you")).to_be_visible()
    house.tell("sorter", Go())
    finished = page.get_by_role("region", name=re.compile("Finished"))
    expect(finished.get_by_role("link", name=re.compile("sorter"))).to_be_visible()
    finished.get_by_role("link", name=re.compile("sorter")).click()
    expect(talk(page).get_by_text("Sorted.")).to_be_visible()
    expect(page.get_by_text(re.compile("Idle for"))).to_be_visible()  # it was looked at
    page.go_back()
    expect(page.get_by_role("region", name=re.compile("Idle")).get_by_text("sorter")).to_be_visible()


def test_a_message_arrives_and_is_called_delivered_by_proof(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    page = visit("phone").pair(house.url, house.code())
    page.get_by_role("link", name=re.compile("orchard")).click()
    box(page).fill("Please prune the pears.")
    page.get_by_role("button", name="Send").click()
    expect(talk(page).get_by_text("Understood: Please prune the pears.")).to_be_visible()
    expect(page.get_by_text(re.compile(r"Delivered \d"))).to_be_visible()
    items = house.json("chat", agent["id"])["items"]  # as the command shows it
    assert [item["text"] for item in items if item["kind"] == "user"][-1] == "Please prune the pears."


def test_a_message_survives_the_hub_killed_in_between(house: House, visit: Visit) -> None:
    house.start()
    house.add(busy())
    house.until_agent("sorter", "working")
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    page.get_by_role("link", name=re.compile("sorter")).click()
    box(page).fill("Then wash the crates.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile("Accepted"))).to_be_visible()
    house.kill()
    house.tell("sorter", Go())
    house.start()
    expect(talk(page).get_by_text("Understood: Then wash the crates.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("Then wash the crates.", exact=True)).to_have_count(1)
    visitor.expect(CUT)


def test_what_is_written_offline_goes_out_later_and_once(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(talk(page).get_by_text("I am here.")).to_be_visible()
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()  # now the worker serves the page
    expect(talk(page).get_by_text("I am here.")).to_be_visible()
    visitor.context.set_offline(True)
    box(page).fill("Written in a tunnel.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile("Saved on this"))).to_be_visible()
    page.reload()
    expect(page.get_by_role("status").filter(has_text="No network")).to_be_visible()
    visitor.context.set_offline(False)
    expect(talk(page).get_by_text("Understood: Written in a tunnel.")).to_be_visible(timeout=60_000)
    texts = [item.get("text") for item in house.items("orchard")]
    assert texts.count("Written in a tunnel.") == 1
    visitor.expect(CUT)


def test_a_draft_survives_a_reload_and_is_gone_once_it_is_sent(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    box(page).fill("Half a thought")
    page.reload()
    expect(box(page)).to_have_value("Half a thought")
    page.get_by_role("button", name="Send").click()
    expect(talk(page).get_by_text("Understood: Half a thought")).to_be_visible()
    page.reload()
    expect(talk(page).get_by_text("Understood: Half a thought")).to_be_visible()
    expect(box(page)).to_have_value("")


def test_a_turn_is_stopped_and_the_agent_goes_on_living(house: House, visit: Visit) -> None:
    house.start()
    house.add(busy())
    agent = house.until_agent("sorter", "working")
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    page.get_by_role("button", name=re.compile("Stop")).first.click()
    expect(page.get_by_text(re.compile("[Ii]nterrupted")).first).to_be_visible()
    house.until_agent("sorter", "idle")
    assert house.until_done("interrupt") >= 1
