"""Writing: files, pastes, the queue, a draft in the agent's own input line, two tabs, things shared."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from controlroom.testing.scripted.steps import Go
from tests.e2e.scenes import busy, idle
from tests.e2e.support.browser import Visitor, findings
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


SHARE = """async () => {
  const opening = indexedDB.open("controlroom");
  const database = await new Promise(done => { opening.onsuccess = () => done(opening.result); });
  const change = database.transaction("shared", "readwrite");
  const bytes = new Blob(["pears"], { type: "text/plain" });
  const files = [{ name: "list.txt", type: "text/plain", bytes }];
  const said = { title: "A page", text: "Read this", url: "https://example.org/x" };
  change.objectStore("shared").put({ id: "shr_1", atMs: Date.now(), ...said, files, dropped: [] }, "shr_1");
  await new Promise(done => { change.oncomplete = done; });
}"""


def picture(width: int = 60, height: int = 40) -> bytes:
    """A small PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + b"\x40\x90\xc0" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def chat(house: House, visit: Visit, kind: str = "phone") -> tuple[Visitor, Page, dict[str, Any]]:
    """The chat with an idle agent, open."""
    house.start()
    house.add(idle())
    agent = house.until_agent("orchard", "idle")
    visitor = visit(kind)
    page = visitor.pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(log(page).get_by_text("I am here.")).to_be_visible()
    return visitor, page, agent


def log(page: Page) -> Any:
    return page.get_by_role("log", name="Conversation")


def field(page: Page) -> Any:
    return page.get_by_role("textbox", name=re.compile("Message"))


def paste(page: Page, text: str) -> None:
    field(page).focus()
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
          document.activeElement.dispatchEvent(event);
        }""",
        text,
    )


def attach(page: Page, name: str, data: bytes, kind: str) -> None:
    page.get_by_label("Files to attach").set_input_files({"name": name, "mimeType": kind, "buffer": data})
    expect(page.get_by_role("list", name="Attachments").get_by_text(name)).to_be_visible()


def user_items(house: House, agent: dict[str, Any]) -> list[dict[str, Any]]:
    return [item for item in house.items(agent["name"]) if item["kind"] == "user"]


def test_a_drawn_on_picture_and_a_file_reach_the_agents_project(house: House, visit: Visit) -> None:
    _, page, agent = chat(house, visit)
    attach(page, "my photo.png", picture(), "image/png")
    attach(page, "notes.txt", b"hello", "text/plain")
    page.get_by_role("button", name="Draw on my photo.png").click()
    board = page.get_by_role("img", name=re.compile("to draw on"))
    expect(board).to_be_visible()
    box = board.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 30, box["y"] + 20, steps=4)
    page.mouse.up()
    assert findings(page) == []
    page.get_by_role("button", name="Done").click()
    field(page).fill("Look at these.")
    assert findings(page) == []
    page.get_by_role("button", name="Send").click()
    expect(log(page).get_by_text(re.compile(r"Delivered \d"))).to_be_visible()
    expect(log(page).get_by_role("img", name=re.compile("my-photo.png"))).to_be_visible()
    item = user_items(house, agent)[-1]
    assert (item["text"], [a["name"] for a in item["attachments"]]) == (
        "Look at these.",
        ["my-photo.png", "notes.txt"],
    )
    inbox = Path(agent["folder"]) / ".controlroom" / "inbox"
    placed = {file.name.split("-", 1)[1]: file.read_bytes() for file in inbox.iterdir()}
    assert placed["notes.txt"] == b"hello"
    assert placed["my-photo.png"].startswith(b"\x89PNG") and placed["my-photo.png"] != picture()
    assert findings(page) == []


def test_a_long_paste_becomes_a_file_and_survives_a_reload(house: House, visit: Visit) -> None:
    _, page, agent = chat(house, visit, "desktop")
    paste(page, "row\n" * 2000)
    tray = page.get_by_role("list", name="Attachments")
    expect(tray.get_by_text("pasted-text.txt")).to_be_visible()
    expect(field(page)).to_have_value("")
    field(page).fill("What is this?")
    page.reload()
    expect(tray.get_by_text("pasted-text.txt")).to_be_visible()
    expect(field(page)).to_have_value("What is this?")
    field(page).press("Control+Enter")
    expect(log(page).get_by_text(re.compile(r"Delivered \d"))).to_be_visible()
    item = user_items(house, agent)[-1]
    assert [(a["name"], a["bytes"]) for a in item["attachments"]] == [("pasted-text.txt", 8000)]


def test_a_file_written_offline_in_one_of_two_tabs_arrives_once(house: House, visit: Visit) -> None:
    visitor, page, agent = chat(house, visit)
    other = visitor.context.new_page()
    other.goto(page.url)
    expect(log(other).get_by_text("I am here.")).to_be_visible()
    attach(page, "notes.txt", b"hello", "text/plain")
    visitor.context.set_offline(True)
    field(page).fill("Written in a tunnel.")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_text(re.compile("Saved on this"))).to_be_visible()
    expect(other.get_by_text(re.compile("Saved on this"))).to_be_visible()
    visitor.context.set_offline(False)
    for tab in (page, other):
        expect(log(tab).get_by_text(re.compile(r"Delivered \d"))).to_be_visible(timeout=60_000)
    assert [item["text"] for item in user_items(house, agent)].count("Written in a tunnel.") == 1
    assert len(list((Path(agent["folder"]) / ".controlroom" / "inbox").iterdir())) == 1
    visitor.expect(r"WebSocket|ERR_|Failed to load|fetch")


def test_a_waiting_message_is_edited_and_withdrawn(house: House, visit: Visit) -> None:
    house.start()
    house.add(busy())
    agent = house.until_agent("sorter", "working")
    page = visit("phone").pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    for text in ("Then wash the crates.", "And paint them."):
        field(page).fill(text)
        page.get_by_role("button", name="Send", exact=True).click()
        expect(field(page)).to_have_value("")
    expect(page.get_by_text("2 messages wait for this turn to end")).to_be_visible()
    page.get_by_role("button", name="Edit", exact=True).click()
    sheet = page.get_by_role("dialog", name="Waiting messages")
    assert findings(page) == []
    sheet.get_by_role("button", name="Withdraw").last.click()
    only = page.get_by_role("dialog", name="Waiting message")
    expect(only.get_by_role("textbox")).to_have_count(1)
    only.get_by_role("textbox").fill("Then wash all crates.")
    only.get_by_role("button", name="Save").click()
    expect(only).to_have_count(0)
    house.tell("sorter", Go())
    expect(log(page).get_by_text("Understood: Then wash all crates.")).to_be_visible()
    assert [item["text"] for item in user_items(house, agent)] == ["Sort it.", "Then wash all crates."]


def test_an_unsent_text_in_the_agents_own_input_line_is_shown_first(house: House, visit: Visit) -> None:
    _, page, agent = chat(house, visit)
    house.desk.tmux("send-keys", "-t", "desk:orchard", "-l", "half a thought")
    field(page).fill("And now?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("status").filter(has_text="half a thought")).to_be_visible()
    page.get_by_role("button", name="Send after it").click()
    expect(log(page).get_by_text(re.compile(r"Delivered \d"))).to_be_visible()
    assert user_items(house, agent)[-1]["text"] == "half a thought\nAnd now?"


def test_what_was_shared_becomes_a_draft_and_is_not_sent(house: House, visit: Visit) -> None:
    _, page, agent = chat(house, visit)
    page.evaluate(SHARE)  # as the service worker keeps what the system hands over
    page.goto(f"{house.url}shared")
    expect(page.get_by_text("Read this")).to_be_visible()
    assert findings(page) == []
    page.get_by_role("button", name=re.compile("orchard")).click()
    expect(field(page)).to_have_value("A page\nRead this\nhttps://example.org/x")
    expect(page.get_by_role("list", name="Attachments").get_by_text("list.txt")).to_be_visible()
    assert len(user_items(house, agent)) == 1
