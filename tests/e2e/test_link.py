"""The live link: cut silently, cut for all to hear, and what the page says about it meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from controlroom.testing.scripted.steps import Go
from tests.e2e.scenes import busy, idle
from tests.e2e.support.browser import CUT, Visitor, said
from tests.e2e.support.cable import Cable
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]
LATE_MS = 3000  # a link that is proven sooner is not worth a word

_VISIBILITY = """
window.visibility = "visible";
Object.defineProperty(Document.prototype, "visibilityState", { get: () => window.visibility });
Object.defineProperty(Document.prototype, "hidden", { get: () => window.visibility === "hidden" });
window.turn = (visibility) => {
  window.visibility = visibility;
  window.turnedMs = performance.now();
  document.dispatchEvent(new Event("visibilitychange"));
};
window.strips = [];
new MutationObserver(() => {
  const text = document.querySelector(".strip")?.textContent ?? "";
  if (text !== "" && window.strips.at(-1)?.text !== text) strips.push({ text, ms: performance.now() });
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


@pytest.fixture
def cable(house: House) -> Iterator[Cable]:
    """From the browser to the control room, which is started."""
    house.start()
    cable = Cable(house.port)
    yield cable
    cable.close()


def paired(visitor: Visitor, house: House, cable: Cable) -> Page:
    visitor.page.add_init_script(_VISIBILITY)
    return visitor.pair(cable.url, house.code())


def test_after_sleep_it_proves_the_link_and_catches_up(house: House, visit: Visit, cable: Cable) -> None:
    house.add(busy(), idle())
    for name, activity in (("sorter", "working"), ("orchard", "idle")):
        house.until_agent(name, activity)
    page = paired(visit("phone"), house, cable)
    page.goto(f"{cable.url}agents/{house.agents()['sorter']['id']}")
    expect(said(page, "Sort it.").first).to_be_visible()
    page.evaluate("turn('hidden')")
    cable.cut_silently()  # as a phone that sleeps: nobody tells the page
    house.tell("sorter", Go())
    house.until_agent("sorter", "idle")
    page.evaluate("turn('visible')")
    expect(said(page, "Sorted.")).to_be_visible()
    strips = page.evaluate("strips.filter((strip) => /Reconnecting|Connecting/.test(strip.text))")
    turned_ms = page.evaluate("window.turnedMs")
    assert all(strip["ms"] - turned_ms >= LATE_MS for strip in strips), strips


def test_a_cut_is_said_with_its_age_and_mended_by_itself(house: House, visit: Visit, cable: Cable) -> None:
    house.add(busy())
    house.until_agent("sorter", "working")
    visitor = visit("phone")
    page = paired(visitor, house, cable)
    expect(page.get_by_text("Working").first).to_be_visible()
    page.evaluate("turn('visible')")  # from here on it counts
    cable.cut()
    strip = page.locator(".strip")
    expect(strip).to_contain_text(re.compile(r"What you see is from \d\d:\d\d"))
    first = page.evaluate("strips.find((strip) => /Reconnecting|does not answer/.test(strip.text))")
    assert first["ms"] - page.evaluate("window.turnedMs") >= LATE_MS
    house.tell("sorter", Go())
    house.until_agent("sorter", "idle")
    now = strip.get_by_role("button", name="Now")
    now.click(trial=True)  # it can be pressed
    button = now.element_handle()
    cable.mend()
    button.evaluate("button => button.click()")  # at once: it goes when the next try by itself comes before
    expect(page.get_by_role("region", name=re.compile("Finished"))).to_contain_text("sorter")
    expect(strip).to_have_count(0)
    visitor.expect(CUT)


def test_without_a_network_it_says_so_and_keeps_what_is_written(
    house: House, visit: Visit, cable: Cable
) -> None:
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    visitor = visit("phone")
    page = paired(visitor, house, cable)
    page.goto(f"{cable.url}agents/{agent['id']}")
    expect(said(page, "I am here.")).to_be_visible()
    visitor.context.set_offline(True)
    cable.cut()
    expect(page.locator(".strip")).to_contain_text(
        "No network on this device. What you write is kept and sent later."
    )
    page.get_by_role("textbox", name=re.compile("Message")).fill("Later, please.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile("Saved on this"))).to_be_visible()
    cable.mend()
    visitor.context.set_offline(False)
    expect(said(page, "Understood: Later, please.")).to_be_visible()
    visitor.expect(CUT)
