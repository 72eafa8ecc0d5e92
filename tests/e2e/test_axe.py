"""Nothing for axe-core to find, no page wider than its window: every view, light, dark, large and small."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.support.browser import Kind, Visitor, findings
from tests.e2e.support.finger import Finger
from tests.e2e.support.house import House
from tests.e2e.support.views import VIEWS, View, demo_house, show

Visit = Callable[..., Visitor]

SIZES: dict[Kind, tuple[tuple[int, int], ...]] = {
    "phone": ((390, 844), (320, 640)),
    "desktop": ((1280, 800), (640, 400)),  # the second: 200 % zoom of the first
}


class Stage(NamedTuple):
    house: House
    ids: dict[str, str]
    visitors: dict[Kind, Visitor]


@pytest.fixture(scope="module")
def stage(browser: Browser) -> Iterator[Stage]:
    """The demo's agents, and a phone and a PC that look at them; for all views."""
    folder = Path(tempfile.mkdtemp(prefix="cra", dir="/tmp"))
    house = House(folder)
    visitors: dict[Kind, Visitor] = {}
    try:
        demo_house(house)
        for kind in SIZES:
            visitors[kind] = Visitor(browser, kind, reduced_motion="reduce")
            visitors[kind].pair(house.url, house.code(f"The {kind}"))
        yield Stage(house, {name: agent["id"] for name, agent in house.agents().items()}, visitors)
    finally:
        for visitor in visitors.values():
            visitor.close()
        house.close()
        shutil.rmtree(folder, ignore_errors=True)


def faults(page: Page, kind: Kind) -> list[str]:
    """All of what is drawn now: each size, light and dark."""
    found = []
    for width, height in SIZES[kind]:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="light")
        found += [f"{width}x{height}: {finding}" for finding in findings(page)]
        page.emulate_media(color_scheme="dark")  # changes colours only
        found += [f"{width}x{height} dark: {finding}" for finding in findings(page, "color-contrast")]
        found += too_wide(page, width)
    page.set_viewport_size({"width": SIZES[kind][0][0], "height": SIZES[kind][0][1]})
    page.evaluate("document.documentElement.style.fontSize = '200%'")  # large text, the window as it is
    found += [f"200 % text: {fault}" for fault in too_wide(page, SIZES[kind][0][0])]
    page.evaluate("document.documentElement.style.fontSize = ''")
    return found


def too_wide(page: Page, width: int) -> list[str]:
    wide = page.evaluate("document.documentElement.scrollWidth")
    return [] if wide <= width else [f"{wide} px wide in a window of {width}"]


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_view_has_no_finding(stage: Stage, view: View, kind: Kind) -> None:
    visitor = stage.visitors[kind]
    show(stage.house, visitor.page, view, stage.ids)
    assert faults(visitor.page, kind) == []
    assert visitor.complaints == []


@pytest.mark.parametrize("kind", SIZES)
def test_the_gates_and_the_first_run_have_no_finding(house: House, visit: Visit, kind: Kind) -> None:
    house.start()
    visitor = visit(kind, reduced_motion="reduce")
    page = visitor.open(house.url)
    expect(page.get_by_label("Code")).to_be_visible()
    assert faults(page, kind) == []
    page.goto(f"{house.url}#pair={house.code()}")
    page.get_by_role("button", name="Pair", exact=True).click()
    expect(page.get_by_role("heading", name="No agents yet")).to_be_visible()
    assert faults(page, kind) == []
    page.goto(f"{house.url}inbox")
    expect(page.get_by_text("Nothing waits for you").last).to_be_visible()
    assert faults(page, kind) == []
    Finger(visitor, page)
    page.goto(f"{house.url}settings/lock")
    page.get_by_role("button", name="Make a passkey").click()
    page.get_by_role("switch", name="To open the app").click()
    page.get_by_role("button", name="Lock now").click()
    expect(page.get_by_role("heading", level=1, name="Locked")).to_be_visible()
    page.get_by_role("button", name="Can’t unlock?").click()
    assert faults(page, kind) == []
    visitor.expect("40[13]|WebSocket")
