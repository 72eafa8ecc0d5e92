"""Answering the dialog of a blocked agent: by tap, by holding, by keyboard; and what never answers."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from controlroom.testing.scripted.steps import Begin, Go, Hold, Say, Scene, Turn, Use
from tests.e2e.scenes import permission, picker
from tests.e2e.support.browser import Kind, Visitor, said
from tests.e2e.support.hands import TAPPED, drag, finger_on, mouse_on, stands_still, tap_at_once
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]
RISKY = "rm -r reports/october"


def dock(page: Page) -> Locator:
    """The answers, as soon as they take a tap."""
    answers = page.get_by_role("region", name="Answer the prompt")
    stands_still(answers.locator(".answer-in"))
    return answers


def option(page: Page, name: str) -> Locator:
    return dock(page).get_by_role("button", name=re.compile(f"^{name}"))


def ask(command: str, *before: Hold) -> Turn:
    use = Use(name="Bash", input={"command": command, "description": "Do it"}, output="ok", ask=True)
    return Turn(prompt=f"Now {command}.", steps=(*before, use, Say(text=f"Done with {command}.")))


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_a_harmless_answer_is_one_tap(house: House, visit: Visit, kind: Kind) -> None:
    house.start()
    house.add(permission(command="make report"))
    agent = house.until_agent("inventory", "blocked")
    page = visit(kind).pair(house.url, house.code("Kim's device"))
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(page.get_by_role("group", name="The whole command")).to_have_text(re.compile("make report"))
    option(page, "Yes").first.click()
    expect(said(page, "The report is made.")).to_be_visible()
    expect(page.get_by_role("region", name="Answer the prompt")).to_have_count(0)
    page.goto(f"{house.url}chief")
    receipts = page.get_by_role("list", name="Receipts").get_by_role("listitem")
    receipt = receipts.filter(has_text="inventory").first
    expect(receipt).to_contain_text("Kim's device")
    receipt.get_by_text("What was on the screen").click()
    expect(receipt.get_by_role("group", name="The screen right before")).to_contain_text("make report")


@pytest.mark.parametrize("kind", ["phone", "desktop"])
def test_a_risky_answer_has_to_be_held(house: House, visit: Visit, kind: Kind) -> None:
    house.start()
    house.add(permission(command=RISKY))
    agent = house.until_agent("inventory", "blocked")
    page = visit(kind).pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    yes = option(page, "Yes").first
    (yes.tap if kind == "phone" else yes.click)()
    expect(yes).to_contain_text("Hold to answer")
    assert "Do you want to proceed?" in house.pane("inventory")
    held = finger_on if kind == "phone" else mouse_on
    with held(yes):
        expect(said(page, "The report is made.")).to_be_visible()
    assert house.until_done("answer") == 1


def test_the_keyboard_answers_and_a_risky_one_is_confirmed(house: House, visit: Visit) -> None:
    house.start()
    house.add(permission(command=RISKY))
    agent = house.until_agent("inventory", "blocked")
    page = visit("desktop").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    dock(page)
    page.keyboard.press("1")
    confirm = page.get_by_role("dialog", name=re.compile("Answer “Yes”"))
    expect(confirm.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(confirm).to_have_count(0)
    assert "Do you want to proceed?" in house.pane("inventory")
    page.keyboard.press("1")
    expect(confirm.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(said(page, "The report is made.")).to_be_visible()
    house.tell("inventory", Begin(turn=ask("make labels")))
    house.blocked("inventory", "make labels")
    expect(page.get_by_role("group", name="The whole command")).to_have_text(re.compile("make labels"))
    dock(page)
    page.keyboard.press("3")
    house.until_agent("inventory", "idle")
    assert "Done with make labels." not in house.pane("inventory")


def test_an_answer_to_a_dialog_that_was_replaced_presses_nothing(house: House, visit: Visit) -> None:
    house.start()
    house.add(permission(command="make report"))
    agent = house.until_agent("inventory", "blocked")
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    yes = option(page, "Yes").first

    def replaced_meanwhile(route: Route) -> None:
        house.desk.tmux("send-keys", "-t", "desk:inventory", "Escape")
        house.until_agent("inventory", "idle")
        house.tell("inventory", Begin(turn=ask("make labels")))
        house.blocked("inventory", "make labels")
        route.continue_()

    page.route("**/answer", replaced_meanwhile)
    yes.click()
    expect(page.get_by_role("alert")).to_contain_text("The prompt changed. Nothing was sent.")
    assert "Done with make labels." not in house.pane("inventory")
    assert house.agents()["inventory"]["activity"] == "blocked"
    page.unroute("**/answer")
    expect(page.get_by_role("group", name="The whole command")).to_have_text(re.compile("make labels"))
    page.get_by_role("alert").get_by_role("button", name="OK", exact=True).click()
    option(page, "No").click()
    house.until_agent("inventory", "idle")
    assert "Done with make labels." not in house.pane("inventory")
    visitor.expect("409")


def test_what_just_appeared_takes_no_tap_and_scrolling_never_answers(house: House, visit: Visit) -> None:
    house.start()
    house.add(Scene(name="inventory", folder="inventory", turns=(ask("make report", Hold()),)))
    agent = house.until_agent("inventory", "working")
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, "Now make report.").first).to_be_visible()
    tap_at_once(page, ".answer-in .ans")
    house.tell("inventory", Go())
    yes = option(page, "Yes").first
    expect(page.get_by_text("Read again just before your answer.")).to_be_visible()
    assert page.evaluate(f"window.{TAPPED}") == 3
    drag(yes, -60)
    drag(yes, 60)
    yes.hover()
    page.mouse.wheel(0, 200)
    expect(page.get_by_text("Read again just before your answer.")).to_be_visible()
    option(page, "No").tap()
    house.until_agent("inventory", "idle")
    assert "Done with make report." not in house.pane("inventory")
    assert house.until_done("answer") == 1


def test_a_choice_is_answered_from_the_inbox_and_in_words(house: House, visit: Visit) -> None:
    house.start()
    house.add(picker(), picker("garden"))
    for name in ("harvest", "garden"):
        house.until_agent(name, "blocked")
    page = visit("phone").pair(house.url, house.code())
    page.get_by_role("link", name=re.compile("Inbox")).click()
    card = page.get_by_role("article", name=re.compile("harvest"))
    expect(card.get_by_role("heading", name="Which fruit first?")).to_be_visible()
    expect(card.get_by_role("button", name=re.compile("Pears"))).to_contain_text("They bruise.")
    both = card.get_by_role("button", name=re.compile("Apples, then plums: both"))
    stands_still(both)
    both.click()
    expect(card).to_have_count(0)
    house.until_pane("harvest", "Which fruit first? → Apples, then plums: both")
    card = page.get_by_role("article", name=re.compile("garden"))
    card.get_by_role("button", name="Answer in words").click()
    card.get_by_role("textbox").fill("None, it rains")
    send = card.get_by_role("button", name="Send only the words")
    stands_still(send)
    send.click()
    house.until_pane("garden", "Which fruit first? → None, it rains")
    expect(page.get_by_text("Nothing waits for you").first).to_be_visible()
