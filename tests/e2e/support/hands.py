"""What hands do that Playwright has no word for: holding, dragging, and being quicker than the eye."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import CDPSession, Locator, Page

TAPPED = "tapped"
_QUICK = """
([selector, name]) => {
  const seen = new WeakSet();
  window[name] = 0;
  const tap = (button) => {
    const box = button.getBoundingClientRect();
    const at = { bubbles: true, cancelable: true, clientX: box.x + 20, clientY: box.y + 5, detail: 1 };
    const finger = { ...at, isPrimary: true, pointerId: 1, pointerType: "touch", width: 20, height: 20 };
    button.dispatchEvent(new PointerEvent("pointerdown", finger));
    button.dispatchEvent(new PointerEvent("pointerup", finger));
    button.dispatchEvent(new MouseEvent("click", at));
    window[name] += 1;
  };
  new MutationObserver(() => {
    for (const button of document.querySelectorAll(selector)) {
      if (seen.has(button)) continue;
      seen.add(button);
      tap(button);
    }
  }).observe(document, { childList: true, subtree: true });
}
"""


_STILL = """
(thing, ms) => new Promise((resolve) => {
  let top = NaN, since = 0;
  const look = () => {
    const now = performance.now(), at = thing.getBoundingClientRect().top;
    if (at !== top) [top, since] = [at, now];
    if (now - since >= ms) resolve();
    else requestAnimationFrame(look);
  };
  look();
})
"""
SETTLED_MS = 800  # longer than what has just moved ignores taps


def stands_still(thing: Locator) -> None:
    """Bring it into sight, and wait until it has stood there for so long that it takes a tap.

    A click would scroll to it, and what has just moved ignores the click.
    """
    thing.scroll_into_view_if_needed()
    thing.evaluate(_STILL, SETTLED_MS)


def tap_at_once(page: Page, selector: str) -> None:
    """From now on each such button is tapped in the moment in which it appears; ``window.tapped`` counts."""
    page.evaluate(_QUICK, [selector, TAPPED])


@contextmanager
def finger_on(thing: Locator) -> Iterator[None]:
    """A finger rests on it as long as the block runs."""
    x, y = _middle(thing)
    session = thing.page.context.new_cdp_session(thing.page)
    _touch(session, "touchStart", x, y)
    try:
        yield
    finally:
        _touch(session, "touchEnd")
        session.detach()


@contextmanager
def mouse_on(thing: Locator) -> Iterator[None]:
    """The mouse's button is down on it as long as the block runs."""
    thing.hover()
    thing.page.mouse.down()
    try:
        yield
    finally:
        thing.page.mouse.up()


def drag(thing: Locator, by_y: float) -> None:
    """A finger that begins on it and scrolls."""
    x, y = _middle(thing)
    session = thing.page.context.new_cdp_session(thing.page)
    _touch(session, "touchStart", x, y)
    for part in (0.25, 0.5, 0.75, 1.0):
        _touch(session, "touchMove", x, y + by_y * part)
    _touch(session, "touchEnd")
    session.detach()


def _touch(session: CDPSession, kind: str, *at: float) -> None:
    points = [{"x": at[0], "y": at[1]}] if at else []
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def _middle(thing: Locator) -> tuple[float, float]:
    thing.scroll_into_view_if_needed()
    box = thing.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
