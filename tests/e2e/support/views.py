"""Every view of the app: where it is, what shows that it is drawn, and what has to be pressed before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec
from playwright.sync_api import FilePayload, Page, expect

from controlroom.testing.scripted.scenes import demo_scenes
from controlroom.testing.scripted.steps import Scene
from tests.e2e.scenes import asking, permission
from tests.e2e.support.house import House
from tests.support.waiting import until_now

SEEDS = "seed-order"  # its question is closed before anybody looks
GATE = "gate-keeper"  # its prompt is answered before anybody looks, so that there are receipts


class View(NamedTuple):
    """``place`` below ``/app/``; ``{agent}`` in it is the id of ``agent``."""

    name: str
    place: str
    shows: str  # a selector
    agent: str = ""
    act: Callable[[Page], None] | None = None


def _press(role: str, name: str | re.Pattern[str]) -> Callable[[Page], None]:
    return lambda page: page.get_by_role(role, name=name).first.click()  # type: ignore[arg-type] # a role


def _palette(page: Page) -> None:
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Go to or do")).to_be_visible()


def _keys(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="All keys")).to_be_visible()


def _sheet(page: Page) -> None:
    page.get_by_role("button", name="Why it counts as that").or_(page.locator(".chat-why")).first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def _menu(page: Page) -> None:
    page.locator(".chat-head").get_by_role("button", name=re.compile("^Actions for")).click()
    expect(page.get_by_role("menu")).to_be_visible()


def _stop(page: Page) -> None:
    _menu(page)
    page.get_by_role("menuitem", name=re.compile("Stop this turn")).click()
    expect(page.get_by_role("dialog", name="Stop this turn?")).to_be_visible()


def _move(page: Page) -> None:
    _menu(page)
    page.get_by_role("menuitem", name="Move to another account…").click()
    expect(page.get_by_role("dialog").get_by_role("textbox", name="Why")).to_be_visible()


def _start(page: Page) -> None:
    page.get_by_role("button", name="Start an agent").click()
    expect(page.get_by_role("dialog").get_by_role("textbox", name="Why")).to_be_visible()


def _search(page: Page) -> None:
    _menu(page)
    page.get_by_role("menuitem", name="Search in this chat").click()
    page.get_by_role("searchbox", name="Search in this chat").fill("gallery")
    expect(page.get_by_text(re.compile(r"\d+ found"))).to_be_visible()


def _message(page: Page) -> None:
    page.get_by_role("button", name="Actions for this message").first.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def _quote(page: Page) -> None:
    page.get_by_role("button", name="Ask for changes").click()
    page.get_by_label("Files to attach").set_input_files(
        FilePayload(name="notes.txt", mimeType="text/plain", buffer=b"Pears first.")
    )
    expect(page.get_by_role("list", name="Attachments").last).to_be_visible()


def _unfold(page: Page) -> None:
    page.locator("details.work summary").first.click()


def _reader(page: Page) -> None:
    page.get_by_role("button", name="More for this terminal").click()
    page.get_by_role("menuitem", name="Older rows").click()
    expect(page.get_by_text(re.compile("history begins here|keeps no rows"))).to_be_visible()


def _shell(page: Page) -> None:
    page.get_by_role("button", name="Start a shell").first.click()
    expect(page.get_by_role("dialog", name="Start a shell")).to_be_visible()


def _words(page: Page) -> None:
    page.get_by_role("button", name="Answer in words").first.click()
    expect(page.get_by_role("textbox").first).to_be_visible()


def _ended(page: Page) -> None:
    page.locator(".closed-row a").first.click()
    page.locator(".history summary").filter(visible=True).click()


LIST = ".pane-list .row-link"
CHAT = "agents/{agent}"
VIEWS: tuple[View, ...] = (
    View("list", "agents", LIST),
    View("chat", CHAT, ".thread .bubble", "orchard-api"),
    View("chat-tools", CHAT, "details.work summary", "crate-sorter", _unfold),
    View("result", CHAT, "text=Looks good", "pear-site"),
    View("ask-for-changes", CHAT, "text=Looks good", "pear-site", _quote),
    View("question", CHAT, "text=Answer in words", "label-printer"),
    View("helpers", CHAT, ".thread .bubble", "fruit-count"),
    View("limit", CHAT, ".thread", "night-batch"),
    View("prompt", CHAT, ".ask-cmd", "inventory"),
    View("choice", CHAT, ".answer-in .ans", "harvest-plan"),
    View("search", CHAT, "text=Looks good", "pear-site", _search),
    View("message", CHAT, ".thread .bubble", "orchard-api", _message),
    View("menu", CHAT, ".thread .bubble", "orchard-api", _menu),
    View("stop", CHAT, ".thread .bubble", "crate-sorter", _stop),
    View("move", CHAT, ".thread .bubble", "crate-sorter", _move),
    View("start-an-agent", "agents", LIST, "", _start),
    View("why", CHAT, ".thread .bubble", "orchard-api", _sheet),
    View("terminal", CHAT + "/terminal", "text=/^Live/", "orchard-api"),
    View("terminal-prompt", CHAT + "/terminal", "text=/^Live/", "inventory"),
    View("terminal-rows", CHAT + "/terminal", "text=/^Live/", "orchard-api", _reader),
    View("shells", "shells", "text=No shell runs"),
    View("start-a-shell", "shells", "text=No shell runs", "", _shell),
    View("inbox", "inbox", ".question-card"),
    View("inbox-closed", "inbox/closed", ".closed-row"),
    View("inbox-words", "inbox", ".question-card", "", _words),
    View("inbox-ended", "inbox/closed", ".closed-row", "", _ended),
    View("chief", "chief", ".receipt"),
    View("usage", "usage", "h1"),
    View("settings", "settings", ".set"),
    View("settings-this-device", "settings/this-device", "text=Notifications"),
    View("settings-notifications", "settings/notifications", "text=Quiet hours"),
    View("settings-devices", "settings/devices", ".device"),
    View("settings-lock", "settings/lock", "text=Make a passkey"),
    View("settings-reading", "settings/reading", "text=Enter sends"),
    View("settings-machines", "settings/machines", "text=The hub"),
    View("settings-pair", "settings/pair", "text=controlroom pair"),
    View("palette", "agents", LIST, "", _palette),
    View("all-keys", "agents", LIST, "", _keys),
    View("shared", "shared", "text=Nothing is shared now"),
    View("lost", "nowhere", "text=There is no such page"),
)


def demo_house(house: House) -> None:
    """Start it with the agents of the demo, each in its state, and one answered prompt."""
    house.start()
    scenes = [msgspec.structs.replace(scene, animated=False) for scene in demo_scenes()]
    house.add(*scenes, permission(GATE))
    house.blocked(GATE, "make report")
    house.run("answer", GATE, "1")
    house.add(asking(SEEDS, "Question for Founder: Order the seeds now?", "- Now: they are cheap", "- Later"))
    house.run("skip", house.until_asked("Order the seeds now?")["id"])
    wanted = _standing(scenes)
    until_now(
        lambda: {name: agent["activity"] for name, agent in house.agents().items()} == wanted,
        "all agents of the demo stand as they should",
    )


def _standing(scenes: list[Scene]) -> dict[str, str]:
    known = {
        "crate-sorter": "working",
        "inventory": "blocked",
        "label-printer": "question",
        "harvest-plan": "blocked",
        "fruit-count": "helpers",
    }
    return {scene.name: known.get(scene.name, "idle") for scene in scenes} | {GATE: "idle", SEEDS: "idle"}


def show(house: House, page: Page, view: View, ids: dict[str, str]) -> None:
    """Open it and wait until it is drawn. ``ids``: of the agents, by name."""
    page.goto(house.url + view.place.replace("{agent}", ids.get(view.agent, "")))
    page.locator(view.shows).filter(visible=True).first.wait_for()
    if view.act is not None:
        view.act(page)
