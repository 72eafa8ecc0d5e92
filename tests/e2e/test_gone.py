"""An agent that ended: said as such, its chat read and searched, nothing sent into the void."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from controlroom.testing.scripted.steps import Quit
from tests.e2e.scenes import idle
from tests.e2e.support.browser import Kind, Visitor, said
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_the_chat_of_an_agent_that_ended_stays(house: House, visit: Visit, kind: Kind) -> None:
    house.start()
    house.add(idle(), idle("sorter"))
    agent = house.until_agent("orchard", "idle")
    house.until_agent("sorter", "idle")
    page = visit(kind).pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, "I am here.")).to_be_visible()
    house.tell("orchard", Quit())
    expect(page.get_by_text("Its agent is gone, so nothing can be sent.")).to_be_visible()
    expect(page.get_by_role("textbox", name=re.compile("Message"))).to_have_count(0)
    expect(said(page, "I am here.")).to_be_visible()
    page.locator(".chat-head").get_by_role("button", name=re.compile("^(Actions for|Search)")).last.click()
    search = page.get_by_role("menuitem", name="Search in this chat")
    if search.is_visible():
        search.click()
    page.get_by_role("searchbox", name="Search in this chat").fill("here")
    expect(page.get_by_text(re.compile(r"\d found"))).to_be_visible()
    page.goto(f"{house.url}chats/{agent['chat_id']}")
    expect(said(page, "I am here.")).to_be_visible()
    page.goto(f"{house.url}agents/{agent['id']}/terminal")
    expect(page.get_by_text("This agent is gone, and its pane with it.")).to_be_visible()
