"""What agents, machines and files may contain: nothing of it runs, and nothing of it breaks the page."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from controlroom.testing.scripted.steps import Begin, Say, Turn
from tests.e2e.scenes import idle, permission, run, scene
from tests.e2e.support.browser import Visitor, said
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]

HTML = (
    "<script>window.ran = 1</script><img src=x onerror='window.ran = 2'>"
    "<svg onload='window.ran = 3'></svg><a href='javascript:window.ran = 4'>press</a>"
)
LINKS = (
    "[press me](javascript:window.ran=5) [data](data:text/html,<script>window.ran=6</script>)"
    " <javascript:window.ran=7>"
)
REVERSED = "rm \u202efdp.troper\u202c \u2066inner\u2069 zero\u200b\u2060width\ufeff \u0007bell \U000e0041tag"
WORD = "pear" * 2500
BIG = "The crates are counted row by row. " * 30_000
WIDTHS = (320, 390, 1280)


def fits(page: Page) -> None:
    """The page is nowhere wider than its window."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_text_of_an_agent_is_only_text(house: House, visit: Visit) -> None:
    house.start()
    house.add(
        scene(
            "orchard",
            HTML,
            Say(text=f"{HTML}\n\n{LINKS}\n\n```html\n{HTML}\n```"),
            Say(text=f"Result: {HTML}"),
        )
    )
    agent = house.until_agent("orchard", "idle")
    page = visit("desktop").pair(house.url, house.code())
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_contain_text("<script>")
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, "<script>window.ran = 1</script>").first).to_be_visible()
    page.get_by_role("link", name="Chief").click()
    page.go_back()
    expect(said(page, "press me").first).to_be_visible()
    assert page.evaluate("window.ran") is None
    assert page.locator(".thread script, .thread svg[onload], .thread img, .thread [onerror]").count() == 0
    assert page.locator('.thread a[href^="javascript"], .thread a[href^="data"]').count() == 0
    page.get_by_role("button", name="Search in this chat").click()
    page.get_by_role("searchbox", name="Search in this chat").fill("<script>")
    expect(page.get_by_text(re.compile(r"\d found"))).to_be_visible()
    fits(page)
    assert page.evaluate("window.ran") is None


def test_directions_and_invisible_characters_mislead_nobody(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle(), permission(command=f"echo {REVERSED}"))
    house.until_agent("inventory", "blocked")
    agent = house.until_agent("orchard", "idle")
    house.tell("orchard", Begin(turn=Turn(prompt="Read it.", steps=(Say(text=f"begin {REVERSED} end"),))))
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, re.compile("^begin")).first).to_have_text(
        "begin rm fdp.troper inner zerowidth bell tag end"
    )
    page.goto(f"{house.url}agents/{house.agents()['inventory']['id']}")
    command = page.get_by_role("group", name="The whole command")
    expect(command).to_be_visible()
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]", page.locator("body").inner_text())
    fits(page)


def test_huge_messages_and_words_leave_the_page_usable(house: House, visit: Visit) -> None:
    house.start()
    house.add(
        scene(
            "orchard",
            "Say much.",
            Say(text=WORD),
            Say(text=f"`{WORD}`"),
            Say(text=f"| a | b |\n|---|---|\n| {WORD} | x |"),
        )
    )
    house.add(scene("sorter", "Say more.", Say(text=BIG)), permission(command=f"echo {'x' * 600}"))
    agent = house.until_agent("orchard", "idle")
    page = visit("phone").pair(house.url, house.code())
    expect(page.get_by_role("link", name=re.compile("orchard"))).to_be_visible()
    fits(page)
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, re.compile("pearpear")).first).to_be_visible()
    fits(page)
    page.goto(f"{house.url}agents/{house.until_agent('sorter', 'idle')['id']}")
    expect(said(page, re.compile("The crates are counted")).first).to_be_visible()
    expect(page.get_by_text("Shortened here. The whole message is in the agent’s own file.")).to_be_visible()
    fits(page)
    page.get_by_role("textbox", name=re.compile("Message")).fill(WORD)
    fits(page)
    page.goto(f"{house.url}agents/{house.until_agent('inventory', 'blocked')['id']}")
    expect(page.get_by_role("group", name="The whole command")).to_be_visible()
    fits(page)


def test_a_command_is_never_shortened(house: House, visit: Visit) -> None:
    """What stands at the far end of a long command is there to be read, and the answer has to be held."""
    house.start()
    long = "echo " + " ".join(f"crate-{number}" for number in range(60)) + " && rm -r reports"
    house.add(scene("inventory", "Go.", run(long), Say(text="Gone.")))
    agent = house.until_agent("inventory", "blocked")
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    command = page.get_by_role("group", name="The whole command")
    expect(command).to_contain_text("crate-59")
    expect(command).to_contain_text("reports")
    expect(page.get_by_role("list", name="Worth checking")).to_be_visible()
