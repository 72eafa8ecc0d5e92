"""Debian's Chromium as a person uses it: a phone or a PC, and what it complains about."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).parents[3]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
AXE_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
PATIENCE_MS = 20_000  # a loaded machine is no fault of the app

OFF_FOR_SPEED = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "WebUIOmniboxFullPopup",
    "PreloadTopChromeWebUI",
)
"""Pages of the browser's own window, which nobody sees here: each new profile loads them all the same, and
they take more of the processor than the rest of it."""
OFF_FOR_PLAYWRIGHT = (
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)
"""What Playwright turns off by itself: of two such lists Chromium takes the last one only."""

CUT = r"WebSocket|ERR_|Failed to (load|fetch)|fetching the script"
"""What browsers say by themselves when a control room cannot be reached (for ``Visitor.expect``)."""

_FADED = """
() => Promise.allSettled(
  document.getAnimations()
    .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime) && one.playState === "running")
    .map((one) => one.finished),
)
"""
"""A colour on its way into another is no finding: wait until nothing fades. What turns for ever turns on."""

expect.set_options(timeout=PATIENCE_MS)

Kind = Literal["phone", "desktop"]
VIEWPORTS: dict[Kind, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "desktop": {"viewport": {"width": 1280, "height": 800}},
}


def chromium() -> str:
    """Where Debian's Chromium is. Raises AssertionError that says how to get it."""
    found = shutil.which("chromium")
    assert found is not None, "Chromium is needed: sudo apt-get install -y chromium"
    return found


@contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        off = "--disable-features=" + ",".join((*OFF_FOR_PLAYWRIGHT, *OFF_FOR_SPEED))
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--disable-dev-shm-usage", off]
        )
        try:
            yield browser
        finally:
            browser.close()


@cache
def axe_script() -> str:
    """The program that looks for findings."""
    return AXE.read_text()


class Visitor:
    """One browser profile: a device. ``complaints``: errors of its pages; a test must expect them."""

    def __init__(self, browser: Browser, kind: Kind, **options: Any) -> None:
        self.context: BrowserContext = browser.new_context(
            **VIEWPORTS[kind], locale="en-GB", timezone_id="Europe/Berlin", **options
        )
        self.context.set_default_timeout(PATIENCE_MS)
        self.complaints: list[str] = []
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.complaints.append(f"error: {error.error}"))
        self.page = self.context.new_page()

    def open(self, url: str) -> Page:
        self.page.goto(url)
        return self.page

    def pair(self, app: str, code: str) -> Page:
        """Pair through the link, as a person does: open it, press Pair."""
        page = self.open(f"{app}#pair={code}")
        page.get_by_role("button", name="Pair", exact=True).click()
        page.get_by_role("heading", level=1, name="Agents").wait_for()
        return page

    def expect(self, pattern: str) -> None:
        """These complaints belong to what the test did."""
        self.complaints[:] = [said for said in self.complaints if not re.search(pattern, said)]

    def close(self) -> None:
        self.context.close()

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")


def said(page: Page, text: str | re.Pattern[str]) -> Locator:
    """These words in the conversation that is open."""
    return page.get_by_role("log", name="Conversation").get_by_text(text)


def findings(page: Page, *rules: str) -> list[str]:
    """What axe-core finds on the page, a line each; ``rules``: look for nothing else."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe_script())
    page.evaluate(_FADED)
    only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": AXE_RULES}
    result = page.evaluate("only => axe.run(document, { runOnly: only, resultTypes: ['violations'] })", only)
    return [
        f"{found['id']}: {node['target']} {node.get('failureSummary', '')}"
        for found in result["violations"]
        for node in found["nodes"]
    ]
