"""Notifications in the real browser: asked for, tested, shown by the worker, answered from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.e2e.scenes import asking, idle
from tests.e2e.support.browser import Visitor, findings, said
from tests.e2e.support.house import House
from tests.e2e.support.pushes import allow_loopback, pushes
from tests.support.waiting import until_now

Visit = Callable[..., Visitor]

QUESTION = (
    "Question for Founder: Should bursts be counted per tenant or per key?",
    "- Per tenant: two customers will see lower limits",
    "- Per key: as before",
    "Default: I count per tenant by in 3 hours",
)


def test_turned_on_tested_and_answered_from(house: House, visit: Visit) -> None:
    """From the settings to an answer by a button of a real notification, while no page of the app is open."""
    allow_loopback(house)
    house.start()
    visitor = visit("desktop", permissions=["notifications"])
    with pushes(house, visitor) as device:
        page = visitor.pair(house.url, house.code())
        page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
        page.goto(f"{house.url}settings/notifications")
        page.get_by_role("button", name="Turn on notifications").click()
        page.get_by_role("button", name="Send a test").click()
        expect(page.get_by_text("Handed to the push service.")).to_be_visible()
        expect(page.get_by_text("this device", exact=False).last).to_be_visible()
        assert findings(page) == []
        device.next(page, "A test of notifications")
        device.until_shown(page, "A test of notifications")
        device.tap()
        device.until_shown(page)

        house.add(asking("limiter", *QUESTION))
        question = house.until_asked("counted per tenant")
        notice = device.next(page, "limiter asks")  # the app is looked at: the page says it itself
        toast = page.locator(".toast").filter(has_text="limiter asks")
        expect(toast).to_be_visible()
        assert device.shown(page) == []
        toast.get_by_role("button", name="Open").click()
        expect(page).to_have_url(re.compile(f"/app/inbox/{question['id']}$"))
        page.goto("about:blank")
        device.give(page, json.dumps(notice))
        device.until_buttons("Per tenant", "Per key")
        device.tap(question["options"][1]["key"])
        until_now(lambda: house.questions("open") == [], "the question is answered", within_s=60)
        (closed,) = house.questions("all")
        assert closed["answer"]["by"].startswith("device:") and closed["answer"]["option"] == "2"


def test_two_browsers_share_what_was_read(house: House, visit: Visit) -> None:
    """Both are told that an agent finished; read on one, it is gone from the other."""
    allow_loopback(house, "[notify]\nfinished_after_s = 0\n")
    house.start()
    house.add(idle("orchard"))
    agent = house.until_agent("orchard", "idle")
    one, two = (visit("desktop", permissions=["notifications"]) for _ in range(2))
    with pushes(house, one) as first, pushes(house, two) as second:
        for visitor in (one, two):
            page = visitor.pair(house.url, house.code())
            page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
            page.goto(f"{house.url}settings/notifications")
            page.get_by_role("button", name="Turn on notifications").click()
            expect(page.get_by_role("button", name="Send a test")).to_be_visible()
            page.goto("about:blank")
        house.run("send", "orchard", "Pick the pears.", "--wait")
        second.next(two.page, "orchard finished")
        assert first.next(one.page, "orchard finished")["body"] != ""
        second.until_titles("orchard finished")
        one.page.goto(f"{house.url}agents/{agent['id']}")
        expect(said(one.page, "Understood: Pick the pears.")).to_be_visible()
        until_now(lambda: not house.agents()["orchard"].get("finished"), "it is read", within_s=60)
        two.page.goto(f"{house.url}settings")
        second.until_titles()


def test_a_widget_sees_what_waits_and_nothing_else(house: House, visit: Visit) -> None:
    house.start()
    house.add(asking("limiter", *QUESTION))
    house.until_asked("counted per tenant")
    token = house.json("glance", "add", "Kitchen")["token"]
    visitor = visit("phone")
    page = visitor.open(f"{house.url}glance#token={token}")
    expect(page.get_by_role("heading", level=1, name="1 thing waits for you")).to_be_visible()
    expect(page.get_by_role("list", name="Waits for you")).to_contain_text("limiter asks")
    assert "per tenant" not in page.content()  # names, no words of agents
    assert findings(page) == []
    house.run("glance", "remove", "Kitchen")
    page.reload()
    expect(page.get_by_text("This token does not work, or not any more.").first).to_be_visible()
    visitor.expect("401")
