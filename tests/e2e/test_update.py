"""A new version of the app: it waits until it is wanted, and nothing that was written is lost."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.e2e.scenes import idle
from tests.e2e.support.app_overlay import BUILT, newer
from tests.e2e.support.browser import CUT, Visitor, said
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]

NEWER = "meta[name=build][content=newer]"


def test_a_new_version_is_offered_and_a_draft_survives_it(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, "I am here.")).to_be_visible()
    page.get_by_role("textbox", name=re.compile("Message")).fill("Half a thought")
    house.stop()
    house.app = newer(house.app or BUILT, house.folder / "newer")
    house.start()
    page.reload()  # the person opens the app again; the browser looks for a newer worker
    strip = page.locator(".strip").filter(has_text="A new version is ready. Your drafts are kept.")
    expect(strip).to_be_visible(timeout=60_000)
    assert page.locator(NEWER).count() == 0  # nothing happens by itself
    other = visitor.context.new_page()
    other.goto(f"{house.url}agents")  # a second window still runs the old one
    expect(other.get_by_role("link", name=re.compile("orchard"))).to_be_visible()
    strip.get_by_role("button", name="Load").click()
    expect(page.locator(NEWER)).to_have_count(1)
    expect(page.get_by_role("textbox", name=re.compile("Message"))).to_have_value("Half a thought")
    expect(other.locator(".strip")).to_contain_text(
        "Another window runs a newer version. Your drafts are kept."
    )
    other.get_by_role("link", name="Settings").click()  # this part has another name in the new version
    expect(other.get_by_role("heading", level=1, name="Settings")).to_be_visible()
    other.get_by_role("button", name="Load").click()
    expect(other.locator(NEWER)).to_have_count(1)
    visitor.expect(CUT)


def test_the_worker_keeps_the_shell_and_never_an_answer(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    house.until_agent("orchard", "idle")
    visitor = visit("phone")
    page = visitor.pair(house.url, house.code())
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible()
    kept = page.evaluate(
        "async () => (await Promise.all((await caches.keys()).map(async (name) =>"
        " (await (await caches.open(name)).keys()).map((request) => new URL(request.url).pathname)))).flat()"
    )
    assert kept
    assert all(path.startswith("/app/") for path in kept)
    house.kill()
    page.reload()
    expect(page.get_by_text("Nothing was heard yet")).to_be_visible()
    expect(page.get_by_text("orchard")).to_have_count(0)
    house.start()
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible(timeout=60_000)
    visitor.expect(CUT)
