"""Pushes in a browser without a network: a subscription that leads to a service of ours, and the way in which
the browser itself hands a message to its worker. The push service and the system's display are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import CDPSession, Page

from tests.e2e.support.browser import Visitor
from tests.e2e.support.house import House
from tests.support.push_service import PushService
from tests.support.server_thread import in_thread
from tests.support.waiting import until_now

SUBSCRIBE = """
(said) => {
  const plain = (text) => atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = (text) => Uint8Array.from(plain(text), (c) => c.charCodeAt(0));
  const kept = () => JSON.parse(localStorage.getItem('test.push') ?? 'null');
  const made = (key) => ({
    endpoint: said.endpoint,
    options: { applicationServerKey: bytes(key).buffer, userVisibleOnly: true },
    toJSON: () => ({ endpoint: said.endpoint, keys: said.keys }),
    unsubscribe: async () => { localStorage.removeItem('test.push'); return true; },
  });
  PushManager.prototype.getSubscription = async () => (kept() === null ? null : made(kept()));
  PushManager.prototype.subscribe = async (options) => {
    const key = btoa(String.fromCharCode(...new Uint8Array(options.applicationServerKey)))
      .replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
    localStorage.setItem('test.push', JSON.stringify(key));
    return made(key);
  };
}
"""
SHOWN = """
async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((one) => ({
  title: one.title, body: one.body, tag: one.tag, actions: (one.actions ?? []).map((action) => action.title),
}))
"""
TITLES = "async () => (await self.registration.getNotifications()).map((one) => one.title)"
BUTTONS = """
async () => {
  const shown = await self.registration.getNotifications();
  return shown.map((one) => one.actions.map((action) => action.title));
}
"""
TAP = """
async (action) => {
  const [shown] = await self.registration.getNotifications();
  self.dispatchEvent(new NotificationEvent('notificationclick', { notification: shown, action }));
}
"""


class Pushes:
    """The pushes of one browser. ``heard``: what its push service got, opened with the browser's keys."""

    def __init__(self, house: House, visitor: Visitor, service: PushService) -> None:
        self._house = house
        self._visitor = visitor
        self.service = service
        said = json.dumps({"endpoint": service.endpoint, "keys": service.receiver.keys})
        visitor.context.add_init_script(f"({SUBSCRIBE})({said})")
        self._given = 0

    def next(self, page: Page, text: str = "", within_s: float = 60) -> Any:
        """Wait for the next push that says this, and hand it to the worker as the browser would."""
        notice = until_now(
            lambda: next((one for one in self.service.heard[self._given :] if text in json.dumps(one)), None),
            f"a push {text}",
            within_s=within_s,
        )
        self._given = self.service.heard.index(notice) + 1
        self.give(page, json.dumps(notice))
        return notice

    def give(self, page: Page, data: str) -> None:
        cdp: CDPSession = self._visitor.context.new_cdp_session(page)
        versions: list[Any] = []
        cdp.on(
            "ServiceWorker.workerRegistrationUpdated", lambda event: versions.extend(event["registrations"])
        )
        cdp.send("ServiceWorker.enable")
        until_now(lambda: page.evaluate("0") == 0 and versions, "the worker is registered")
        where = self._house.url.split("/app/")[0]
        cdp.send(
            "ServiceWorker.deliverPushMessage",
            {"origin": where, "registrationId": versions[0]["registrationId"], "data": data},
        )
        cdp.detach()

    def shown(self, page: Page) -> list[Any]:
        return list(page.evaluate(SHOWN))

    def until_shown(self, page: Page, *titles: str) -> list[Any]:
        def looked() -> list[Any] | None:
            shown = self.shown(page)
            return shown if sorted(one["title"] for one in shown) == sorted(titles) else None

        if not titles:
            until_now(lambda: self.shown(page) == [], "nothing is shown")
            return []
        return until_now(looked, f"shown: {titles}") or []

    def until_titles(self, *titles: str) -> None:
        """These are shown, as the worker knows it."""
        worker = self._visitor.context.service_workers[0]
        until_now(lambda: worker.evaluate(TITLES) == list(titles), f"titles {titles}")

    def until_buttons(self, *labels: str) -> None:
        """The only notification has these, seen by the worker: no page of the app need be open."""
        worker = self._visitor.context.service_workers[0]
        until_now(lambda: worker.evaluate(BUTTONS) == [list(labels)], f"buttons {labels}")

    def tap(self, action: str = "") -> None:
        """On the only notification, or on one of its buttons."""
        self._visitor.context.service_workers[0].evaluate(TAP, action)


@contextmanager
def pushes(house: House, visitor: Visitor) -> Iterator[Pushes]:
    with in_thread(PushService()) as service:
        yield Pushes(house, visitor, service)


def allow_loopback(house: House, more: str = "") -> None:
    """Before it starts: push services of tests lie on this machine."""
    house.home.mkdir(mode=0o700, exist_ok=True)
    (house.home / "config.toml").write_text(f"[push]\nallow_private_endpoints = true\n{more}")
