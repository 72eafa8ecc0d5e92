"""Answers that no person wants to see: each is said, with what can be done, and the app goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.e2e.scenes import idle, permission
from tests.e2e.support.browser import Visitor, said
from tests.e2e.support.hands import stands_still
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]

REFUSED = {
    403: {"code": "not_allowed", "text": "This device has no right to answer."},
    429: {"code": "too_many", "text": "Too many tries. Again in 4 min.", "retry_after_ms": 240_000},
    500: {"code": "failed", "text": "The control room failed. Its log says why."},
}


def refuse(status: int) -> Callable[[Route], None]:
    return lambda route: route.fulfill(
        status=status, body=json.dumps(REFUSED[status]), content_type="application/json"
    )


@pytest.fixture
def room(house: House) -> House:
    house.start()
    house.add(idle(), permission())
    house.until_agent("orchard", "idle")
    house.until_agent("inventory", "blocked")
    return house


def test_a_refused_answer_never_makes_the_card_vanish(room: House, visit: Visit) -> None:
    visitor = visit("phone")
    page = visitor.pair(room.url, room.code())
    page.goto(f"{room.url}agents/{room.agents()['inventory']['id']}")
    answers = page.get_by_role("region", name="Answer the prompt")

    def answer(name: str) -> None:
        stands_still(answers.locator(".answer-in"))
        answers.get_by_role("button", name=re.compile(f"^{name}")).first.click()

    for status in REFUSED:
        page.route("**/answer", refuse(status))
        answer("Yes")
        expect(answers.get_by_role("alert")).to_contain_text(re.compile("right|Too many|failed"))
        expect(page.get_by_role("group", name="The whole command")).to_be_visible()
        answers.get_by_role("button", name="OK", exact=True).click()
        page.unroute("**/answer")
    for spoil in (lambda route: route.abort(), lambda route: route.fulfill(status=200, body="<html>")):
        page.route("**/answer", spoil)
        answer("Yes")
        expect(answers.get_by_role("alert")).not_to_be_empty()
        answers.get_by_role("button", name="OK", exact=True).click()
        page.unroute("**/answer")
    answer("Yes")
    expect(said(page, "The report is made.")).to_be_visible()
    visitor.expect("403|429|500|ERR_FAILED|Failed to load")


def test_a_chat_that_cannot_be_read_says_why_and_tries_again(room: House, visit: Visit) -> None:
    visitor = visit("desktop")
    page = visitor.pair(room.url, room.code())
    orchard = room.agents()["orchard"]["id"]
    for spoil in (
        refuse(500),
        refuse(403),
        lambda route: route.abort(),
        lambda route: route.fulfill(status=200, body="no json", content_type="application/json"),
        lambda route: route.fulfill(status=200, body="[1, 2]", content_type="application/json"),
    ):
        page.route("**/chats/*/items*", spoil)
        page.goto(f"{room.url}agents/{orchard}")
        expect(page.get_by_role("heading", name=re.compile("cannot be shown|missing"))).to_be_visible()
        page.unroute("**/chats/*/items*")
        page.get_by_role("button", name="Try again").click()
        expect(said(page, "I am here.")).to_be_visible()
    visitor.expect("403|500|ERR_FAILED|Failed to load")


def test_other_views_say_what_was_refused(room: House, visit: Visit) -> None:
    visitor = visit("desktop")
    page = visitor.pair(room.url, room.code())
    orchard = room.agents()["orchard"]["id"]
    page.route("**/api/v1/receipts*", refuse(500))
    page.goto(f"{room.url}chief")
    expect(page.get_by_role("alert").filter(has_text="Its log says why.")).to_be_visible()
    page.unroute("**/api/v1/receipts*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    page.route("**/scrollback*", refuse(429))
    page.goto(f"{room.url}agents/{orchard}/terminal")
    expect(page.get_by_text(re.compile("^Live"))).to_be_visible()
    page.get_by_role("button", name="More for this terminal").click()
    page.get_by_role("menuitem", name="Older rows").click()
    expect(page.get_by_role("alert").filter(has_text="Too many tries.")).to_be_visible()
    page.unroute("**/scrollback*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text(re.compile("history begins here|keeps no rows"))).to_be_visible()
    page.route("**/api/v1/devices*", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))
    page.goto(f"{room.url}settings/devices")
    expect(page.get_by_role("alert").filter(has_text="502")).to_be_visible()
    page.route("**/api/v1/agents/*", refuse(403))
    page.goto(f"{room.url}agents/{orchard}")
    page.get_by_role("button", name="Actions for orchard").click()
    page.get_by_role("menuitem", name="Pin").click()
    expect(page.get_by_text("This device has no right to answer.")).to_be_visible()
    visitor.expect("403|429|50[02]|Failed to load")


def test_a_message_that_is_refused_stays_with_its_words(room: House, visit: Visit) -> None:
    visitor = visit("phone")
    page = visitor.pair(room.url, room.code())
    page.goto(f"{room.url}agents/{room.agents()['orchard']['id']}")
    page.route("**/api/v1/messages", refuse(403))
    page.route("**/api/v1/agents/*/messages", refuse(403))
    page.route("**/api/v1/chats/*/messages", refuse(403))
    page.get_by_role("textbox", name=re.compile("Message")).fill("Do not lose me.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile("Not sent: "))).to_be_visible()
    expect(said(page, "Do not lose me.")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Retry").click()
    expect(said(page, "Understood: Do not lose me.")).to_be_visible()
    visitor.expect("403")


def test_a_page_that_the_server_no_longer_knows_pairs_again(room: House, visit: Visit) -> None:
    visitor = visit("phone")
    page = visitor.pair(room.url, room.code())
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible()
    page.evaluate("localStorage.setItem('controlroom.key', 'wrong')")
    page.reload()
    expect(page.get_by_role("heading", level=1, name=re.compile("Pair"))).to_be_visible()
    page.get_by_label("Code").fill(room.code())
    page.get_by_role("button", name="Pair", exact=True).click()
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible()
    visitor.expect("401|WebSocket")


@pytest.mark.parametrize("days", [-2, 2])
def test_ages_follow_the_clock_of_the_control_room(room: House, visit: Visit, days: int) -> None:
    visitor = visit("phone")
    page = visitor.page
    page.add_init_script(
        f"const off = {days * 86_400_000};"
        "{ const Own = Date; window.Date = class extends Own {"
        " constructor(...given) { given.length === 0 ? super(Own.now() + off) : super(...given); }"
        " static now() { return Own.now() + off; } }; }"
    )
    visitor.pair(room.url, room.code())
    strip = page.locator(".strip")
    expect(strip).to_contain_text(f"This device’s clock is 2 d {'ahead' if days > 0 else 'behind'}.")
    age = page.get_by_role("link", name=re.compile("inventory")).locator(".row-age")
    expect(age).to_have_text(re.compile(r"^\d+ (s|min)$"))
    page.get_by_role("link", name=re.compile("orchard")).click()
    page.get_by_role("textbox", name=re.compile("Message")).fill("What time is it?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile(r"^Delivered \d\d:\d\d"))).to_be_visible()  # today, by the hub's clock


def denied(page: Page) -> None:
    page.add_init_script(
        "IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError'); };"
    )


def test_denied_storage_is_said_and_messages_still_go_out(room: House, visit: Visit) -> None:
    visitor = visit("phone")
    denied(visitor.page)
    page = visitor.pair(room.url, room.code())
    page.goto(f"{room.url}agents/{room.agents()['orchard']['id']}")
    expect(page.get_by_text("This browser keeps nothing for this page")).to_be_visible()
    page.get_by_role("textbox", name=re.compile("Message")).fill("Without a memory.")
    page.get_by_role("button", name="Send").click()
    expect(said(page, "Understood: Without a memory.")).to_be_visible()


def test_full_storage_is_said_and_the_draft_stays_in_the_page(room: House, visit: Visit) -> None:
    visitor = visit("phone")
    page = visitor.pair(room.url, room.code())
    page.add_init_script(
        "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); };"
    )
    page.goto(f"{room.url}agents/{room.agents()['orchard']['id']}")
    page.get_by_role("textbox", name=re.compile("Message")).fill("No room for this.")
    expect(page.get_by_text("This device has no room left for this app.")).to_be_visible()
    expect(page.get_by_role("textbox", name=re.compile("Message"))).to_have_value("No room for this.")
    page.get_by_role("button", name="Send").click()
    expect(said(page, "Understood: No room for this.")).to_be_visible()
