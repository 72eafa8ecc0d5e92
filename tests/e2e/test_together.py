"""Two devices of one person, and two tabs of one device: what one does the other shows."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from controlroom.testing.scripted.steps import Begin, Go, Say, Turn
from tests.e2e.scenes import busy, idle
from tests.e2e.support.browser import CUT, Visitor, said
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name="Agent list").get_by_role("link", name=re.compile(name))


def act(page: Page, name: str, what: str) -> None:
    """Do this with an agent of the list, by its sheet."""
    row(page, name).click(button="right")
    page.get_by_role("dialog", name=name).get_by_role("button", name=what, exact=True).click()


def test_marks_of_agents_show_on_all_devices(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle(), idle("sorter"))
    for name in ("orchard", "sorter"):
        house.until_agent(name, "idle")
    phone = visit("phone").pair(house.url, house.code())
    desk = visit("desktop").pair(house.url, house.code())
    act(desk, "sorter", "Pin")
    expect(row(phone, "sorter")).to_contain_text("pinned")
    act(desk, "sorter", "Mute its pushes")
    expect(row(phone, "sorter")).to_contain_text("muted")
    act(desk, "sorter", "Unpin")
    expect(row(phone, "sorter")).not_to_contain_text("pinned")
    act(desk, "sorter", "Archive")
    expect(row(phone, "sorter")).to_have_count(0)
    desk.get_by_role("status").get_by_role("button", name="Undo").click()
    expect(row(phone, "sorter")).to_have_count(1)
    act(desk, "sorter", "Archive")
    expect(row(desk, "sorter")).to_have_count(0)
    phone.get_by_role("group", name="Filter").get_by_role("button", name=re.compile("Archived")).click()
    row(phone, "sorter").click()
    phone.get_by_role("button", name="Actions for sorter").click()
    phone.get_by_role("menuitem", name="Bring it back").click()
    expect(row(desk, "sorter")).to_have_count(1)
    assert "archived" not in str(house.agents()["sorter"].get("archived") or "")


def test_what_was_read_on_one_device_is_read_on_the_other(house: House, visit: Visit) -> None:
    house.start()
    house.add(busy())
    agent = house.until_agent("sorter", "working")
    phone = visit("phone").pair(house.url, house.code())
    desk = visit("desktop").pair(house.url, house.code())
    house.tell("sorter", Go())
    for page in (phone, desk):
        expect(page.get_by_role("region", name=re.compile("Finished"))).to_contain_text("sorter")
        expect(row(page, "sorter")).to_contain_text("unread: 1")
    row(phone, "sorter").click()
    expect(said(phone, "Sorted.")).to_be_visible()
    expect(row(desk, "sorter")).not_to_contain_text("unread")
    expect(desk.get_by_role("region", name=re.compile("Idle"))).to_contain_text("sorter")
    expect(desk.get_by_role("region", name=re.compile("Finished"))).to_have_count(0)
    assert house.agents()[agent["name"]]["unread"] == 0


def test_a_message_and_a_chat_are_hidden_everywhere_and_come_back(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    phone = visit("phone").pair(house.url, house.code())
    desk = visit("desktop").pair(house.url, house.code())
    for page in (phone, desk):
        page.goto(f"{house.url}agents/{agent['id']}")
        expect(said(page, "I am here.")).to_be_visible()
    before = house.items("orchard")
    message = phone.locator(".msg").filter(has_text="I am here.")
    message.get_by_role("button", name="Actions for this message").click()
    phone.get_by_role("button", name="Hide on all devices").click()
    for page in (phone, desk):
        expect(said(page, "I am here.")).to_have_count(0)
    phone.get_by_role("button", name="Undo").click()
    for page in (phone, desk):
        expect(said(page, "I am here.")).to_be_visible()
    desk.get_by_role("button", name="Actions for orchard").click()
    desk.get_by_role("menuitem", name="Hide what was said so far").click()
    desk.get_by_role("dialog").get_by_role("button", name="Hide it").click()
    for page in (phone, desk):
        expect(said(page, "I am here.")).to_have_count(0)
    house.tell("orchard", Begin(turn=Turn(prompt="And now?", steps=(Say(text="Still here."),))))
    for page in (phone, desk):
        expect(said(page, "Still here.")).to_be_visible()
    desk.get_by_role("button", name="Undo").click()
    for page in (phone, desk):
        expect(said(page, "I am here.")).to_be_visible()
    file = next((house.desk.config / "projects").rglob("*.jsonl")).read_text()
    assert all(item["text"] in file for item in before if item["kind"] in ("user", "assistant"))


def test_two_tabs_of_a_device_send_a_message_once(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    visitor = visit("desktop")
    first = visitor.pair(house.url, house.code())
    second = visitor.context.new_page()
    for page in (first, second):
        page.goto(f"{house.url}agents/{agent['id']}")
        expect(said(page, "I am here.")).to_be_visible()
    visitor.context.set_offline(True)
    for page, text in ((first, "From the first."), (second, "From the second.")):
        page.get_by_role("textbox", name=re.compile("Message")).fill(text)
        page.get_by_role("button", name="Send").click()
    for text in ("From the first.", "From the second."):
        expect(said(second, text)).to_be_visible()
    visitor.context.set_offline(False)
    for page in (first, second):
        for text in ("From the first.", "From the second."):
            expect(said(page, f"Understood: {text}")).to_be_visible(timeout=60_000)
    said_to_it = [item.get("text") for item in house.items("orchard")]
    assert [said_to_it.count(text) for text in ("From the first.", "From the second.")] == [1, 1]
    visitor.expect(CUT)
