"""Operations from the app: a busy agent is dropped only as agreed, and what was done can be taken back."""

from __future__ import annotations

import os
import re
from collections.abc import Callable

import msgspec
import pytest
from playwright.sync_api import Page, expect

from controlroom.testing.scripted.steps import Say, Scene
from tests.e2e.scenes import busy
from tests.e2e.support.accounts import begin_spent
from tests.e2e.support.browser import Visitor, findings, said
from tests.e2e.support.hands import stands_still
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]
WHY = "It has lost its way"


def ask_for(page: Page, act: str) -> None:
    page.locator(".chat-head").get_by_role("button", name=re.compile("^Actions for")).click()
    page.get_by_role("menuitem", name=act).click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_a_busy_agent_waits_is_stopped_comes_back_and_is_closed(house: House, visit: Visit) -> None:
    house.start()
    house.add(busy())
    agent = house.until_agent("sorter", "working")
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, "Sort it.")).to_be_visible()

    ask_for(page, "Restart, same session…")
    sheet = page.get_by_role("dialog")
    expect(sheet.get_by_role("radio", name=re.compile("^Once it is idle"))).to_be_checked()
    expect(sheet.get_by_text(re.compile("^This drops its running turn, and"))).to_be_visible()
    expect(sheet.get_by_role("button", name="Restart")).to_be_disabled()
    assert findings(page) == []
    sheet.get_by_role("textbox", name="Why").fill(WHY)
    sheet.get_by_role("button", name="Restart").click()
    log = page.get_by_role("log", name="Conversation")
    card = log.locator(".card").filter(has_text="Waiting")
    expect(card).to_contain_text(WHY)
    card.get_by_role("button", name=re.compile("^Cancel")).click()
    expect(log.locator(".receipt").filter(has_text="Taken back")).to_be_visible()

    ask_for(page, "Stop the agent…")
    sheet.get_by_role("radio", name=re.compile("^Now")).check()
    sheet.get_by_role("textbox", name="Why").fill("Enough for today")
    sheet.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Its agent is gone, so nothing can be sent.")).to_be_visible()
    stopped = log.locator(".receipt").filter(has_text="Delivered: stopped")
    expect(stopped).to_contain_text("Enough for today")
    assert findings(page) == []

    page.goto(f"{house.url}chief")
    undo = page.get_by_role("button", name=re.compile("^Undo until"))
    stands_still(undo)
    undo.click()
    house.until_agent("sorter", "idle")
    expect(undo).to_have_count(0)
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(page.get_by_role("textbox", name="Message sorter")).to_be_visible()
    expect(log.locator(".receipt").filter(has_text="It takes another one back.")).to_be_visible()

    ask_for(page, "Close it…")
    sheet.get_by_role("textbox", name="Why").fill("The crates are sorted")
    sheet.get_by_role("button", name="Close", exact=True).last.click()
    closed = log.locator(".receipt").filter(has_text="Delivered: closed")
    expect(closed).to_contain_text("The crates are sorted")  # it has left the list; its chat stays
    expect(closed.get_by_role("button", name=re.compile("^Undo until"))).to_be_visible()


def claude_in_path(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on `claude` of new windows is a scripted one that answers every prompt."""
    scene, folder = house.folder / "new.json", house.folder / "path"
    scene.write_bytes(msgspec.json.encode(Scene(name="new", reply=(Say(text="There are seven."),))))
    program = folder / "claude"
    folder.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'exec {house.desk.folder}/bin/claude -m controlroom.testing.scripted.claude --scene {scene} "$@"\n'
    )
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_an_agent_is_started_with_its_first_message(
    house: House, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    claude_in_path(house, monkeypatch)
    house.start()
    house.add(busy())
    folder = house.until_agent("sorter", "working")["folder"]
    page = visit("desktop").pair(house.url, house.code())
    page.get_by_role("button", name="Start an agent").click()
    sheet = page.get_by_role("dialog", name="Start an agent")
    start = sheet.get_by_role("button", name="Start", exact=True)
    sheet.get_by_role("textbox", name="Why").fill("Next task")
    sheet.get_by_role("combobox", name=re.compile("^Folder")).fill("work")
    expect(start).to_be_disabled()
    sheet.get_by_role("combobox", name=re.compile("^Folder")).fill(folder)
    sheet.get_by_role("textbox", name=re.compile("^Name")).fill("pears")
    sheet.get_by_role("textbox", name="First message").fill("Count the pears.")
    assert findings(page) == []
    start.click()
    sheet.get_by_role("button", name="Open its chat").click()
    expect(page.get_by_role("heading", name="pears", exact=True)).to_be_visible()
    expect(said(page, "There are seven.")).to_be_visible()


def test_an_agent_is_moved_by_hand_as_the_policy_suggests(house: House, visit: Visit) -> None:
    work, spare = begin_spent(house)
    house.until_agent("orchard", "idle")
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}usage")
    card = page.get_by_role("article").filter(has_text="Move orchard from work@example.com to spare?")
    expect(card).to_contain_text("2 % of the week is below the minimum of 3 %")
    assert findings(page) == []
    card.get_by_role("button", name=re.compile("^Move orchard")).click()
    sheet = page.get_by_role("dialog", name="Move orchard to another account")
    expect(sheet.get_by_role("radio", name=re.compile("^spare Suggested"))).to_be_checked()
    expect(sheet.get_by_text("80 % of 5 hours and 70 % of the week left")).to_be_visible()
    expect(sheet.get_by_role("textbox", name="Why")).to_have_value(re.compile("2 % of the week"))
    assert findings(page) == []
    sheet.get_by_role("button", name="Move", exact=True).click()
    page.get_by_role("button", name="Show").click()
    moved = page.get_by_role("log", name="Conversation").locator(".receipt")
    expect(moved).to_contain_text("Delivered: moved to spare, same session", timeout=60_000)
    assert house.agents()["orchard"]["profile"] == str(spare)
    undo = moved.get_by_role("button", name=re.compile("^Undo until"))
    stands_still(undo)
    undo.click()
    expect(moved.filter(has_text="It takes another one back.")).to_be_visible(timeout=60_000)
    assert house.until_agent("orchard", "idle")["profile"] == str(work)
