"""``make pictures``: the documentation's pictures of every view, on a phone and on a PC, light and dark."""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, expect

from tests.e2e.support.browser import ROOT, Kind, Visitor, open_browser
from tests.e2e.support.finger import Finger
from tests.e2e.support.house import House
from tests.e2e.support.views import VIEWS, demo_house, show

FOLDER = ROOT / "docs" / "pictures" / "web"
QUALITY = 75  # of WebP: letters stay sharp, and a picture has some twenty kilobytes
KINDS: tuple[Kind, ...] = ("phone", "desktop")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
SHOWN = (
    "list",
    "chat",
    "chat-tools",
    "result",
    "question",
    "prompt",
    "choice",
    "why",
    "terminal",
    "shells",
    "inbox",
    "inbox-closed",
    "inbox-ended",
    "chief",
    "usage",
    "settings",
    "settings-this-device",
    "settings-devices",
    "settings-lock",
    "settings-reading",
    "settings-machines",
    "palette",
)


def main() -> None:
    wanted = sys.argv[1:] or None
    folder = Path(tempfile.mkdtemp(prefix="demo-", dir="/tmp"))
    house, empty = House(folder / "demo"), House(folder / "empty")
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        demo_house(house)
        empty.start()
        with open_browser() as browser:
            for kind in KINDS:
                _views(browser, house, kind, wanted)
                if wanted is None:
                    _gates(browser, empty, kind)
    finally:
        house.close()
        empty.close()
        shutil.rmtree(folder, ignore_errors=True)


def _views(browser: Browser, house: House, kind: Kind, wanted: list[str] | None) -> None:
    visitor = _visitor(browser, kind)
    page = visitor.pair(house.url, house.code("Kim’s phone" if kind == "phone" else "Kim’s laptop"))
    ids = {name: agent["id"] for name, agent in house.agents().items()}
    for view in VIEWS:
        if view.name not in (wanted or SHOWN) or (view.name == "palette" and kind == "phone"):
            continue
        show(house, page, view, ids)
        _take(page, view.name, kind)
    visitor.close()


def _gates(browser: Browser, house: House, kind: Kind) -> None:
    """Pairing, the first run and the lock, in a control room without agents."""
    visitor = _visitor(browser, kind)
    page = visitor.open(f"{house.url}#pair={house.code('Kim’s device')}")
    page.get_by_role("button", name="Pair", exact=True).wait_for()
    _take(page, "pair", kind)
    page.get_by_role("button", name="Pair", exact=True).click()
    expect(page.get_by_role("heading", name="No agents yet")).to_be_visible()
    _take(page, "first-run", kind)
    Finger(visitor, page)
    page.goto(f"{house.url}settings/lock")
    page.get_by_role("button", name="Make a passkey").click()
    page.get_by_role("switch", name="To open the app").click()
    page.get_by_role("button", name="Lock now").click()
    expect(page.get_by_role("heading", level=1, name="Locked")).to_be_visible()
    _take(page, "locked", kind)
    visitor.close()


def _visitor(browser: Browser, kind: Kind) -> Visitor:
    return Visitor(browser, kind, reduced_motion="reduce")


def _take(page: Page, name: str, kind: Kind) -> None:
    session = page.context.new_cdp_session(page)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        _still(page)
        picture = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
        FOLDER.joinpath(f"{name}-{kind}-{scheme}.webp").write_bytes(base64.b64decode(picture["data"]))
    page.emulate_media(color_scheme="light")
    session.detach()


def _still(page: Page) -> None:
    """Wait for what settles, for the letters, and for two frames behind them."""
    expect(page.locator(".is-settling")).to_have_count(0)
    page.evaluate(
        "document.fonts.ready.then(() =>"
        " new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))"
    )


if __name__ == "__main__":
    main()
