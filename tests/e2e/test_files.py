"""Attachments: picked and dropped; handed to the agent as private files, and shown in the chat."""

from __future__ import annotations

import re
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.scenes import idle
from tests.e2e.support.browser import Visitor, said
from tests.e2e.support.house import House

Visit = Callable[..., Visitor]


def png(width: int = 40, height: int = 30) -> bytes:
    """A green picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    rows = (b"\x00" + bytes((40, 160, 90)) * width) * height
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def opened(house: House, visitor: Visitor) -> Page:
    agent = house.until_agent("orchard", "idle")
    page = visitor.pair(house.url, house.code())
    page.goto(f"{house.url}agents/{agent['id']}")
    expect(said(page, "I am here.")).to_be_visible()
    return page


def inbox(house: House) -> dict[str, Path]:
    """What lies in the folder that the agent finds attachments in, by the end of its name."""
    folder = house.desk.folder / "home" / "work" / "orchard" / ".controlroom" / "inbox"
    return {file.name: file for file in folder.rglob("*") if file.is_file()}


def test_a_picture_and_a_text_are_handed_over_as_private_files(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    page = opened(house, visit("phone"))
    page.get_by_label("Files to attach").set_input_files(
        [
            FilePayload(name="tree.png", mimeType="image/png", buffer=png()),
            FilePayload(name="../notes <1>.txt", mimeType="text/plain", buffer=b"Pears first."),
        ]
    )
    tray = page.get_by_role("list", name="Attachments").last
    expect(tray.get_by_role("listitem")).to_have_count(2)
    page.reload()  # the bytes are kept with the draft
    expect(tray.get_by_role("listitem")).to_have_count(2)
    page.get_by_role("textbox", name=re.compile("Message")).fill("Look at these.")
    page.get_by_role("button", name="Send").click()
    expect(said(page, re.compile("Understood: .*Look at these", re.DOTALL)).first).to_be_visible(
        timeout=60_000
    )
    picture = page.get_by_role("log", name="Conversation").get_by_role("img", name="tree.png")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.complete && image.naturalWidth") == 40
    found = inbox(house)
    (tree,) = (file for name, file in found.items() if name.endswith("tree.png"))
    assert tree.read_bytes() == png()
    assert any(file.read_bytes() == b"Pears first." for file in found.values())
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in found.values())
    assert tree.name in "".join(line.strip() for line in house.pane("orchard").split("\n"))
    assert house.until_done("upload") >= 1


def test_a_file_is_dropped_and_one_that_is_too_large_is_refused_before(house: House, visit: Visit) -> None:
    house.start()
    house.add(idle())
    page = opened(house, visit("desktop"))
    page.evaluate(
        "() => { const data = new DataTransfer(); data.items.add(new File(['dropped'], 'dropped.txt'));"
        " document.querySelector('.thread').dispatchEvent("
        "new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); }"
    )
    tray = page.get_by_role("list", name="Attachments").last
    expect(tray.get_by_role("listitem")).to_contain_text("dropped.txt")
    page.evaluate(
        "() => { const data = new DataTransfer(); const file = new File(['x'], 'huge.bin');"
        " Object.defineProperty(file, 'size', { value: 5e9 }); data.items.add(file);"
        " const event = new DragEvent('drop', { bubbles: true, cancelable: true });"
        " Object.defineProperty(event, 'dataTransfer', { value: { types: ['Files'], files: [file] } });"
        " document.querySelector('.thread').dispatchEvent(event); }"
    )
    expect(page.get_by_text(re.compile("huge.bin has 5.*; a file may have at most"))).to_be_visible()
    expect(tray.get_by_role("listitem")).to_have_count(1)
