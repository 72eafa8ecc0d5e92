"""Files that go with a message: the real programs read their paths as text, and make nothing else of them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import aiohttp
import pytest

from controlroom.testing.fake_anthropic import FakeAnthropic, Text
from controlroom.testing.fake_openai import FakeOpenAI, Say
from controlroom.wire.client import SendMessage
from controlroom.wire.model import Agent, Item
from tests.real.conftest import Desk
from tests.real.support.room import Room


def picture() -> bytes:
    """A PNG that opens: a program that takes a pasted path for a picture would read it."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = (b"\0" + b"\x40\x90\xc0" * 8) * 8
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


async def upload(room: Room, data: bytes, name: str) -> str:
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("file", data, filename=name)
    connector = aiohttp.UnixConnector(str(room.data / "control.sock"))
    async with (
        aiohttp.ClientSession("http://localhost", connector=connector) as session,
        session.post("/api/v1/uploads", data=form) as answer,
    ):
        assert answer.status == 201, await answer.text()
        return str((await answer.json())["id"])


async def send_with_files(room: Room, agent: Agent, text: str) -> Item:
    """Send a picture and a text; the row of the chat that it became."""
    ids = (await upload(room, picture(), "my photo.png"), await upload(room, b"pears", "list.txt"))
    async with room.hub() as hub:
        await hub.send(agent.id, SendMessage(id="msg_files", text=text, attachments=ids))
    await room.until_message("msg_files", lambda message: message.state == "delivered")
    rows = [item for item in await room.chat(agent.id) if item.kind == "user" and item.delivery is not None]
    (row,) = rows
    assert [file.id for file in row.attachments] == list(ids)
    inbox = Path(agent.folder or "") / ".controlroom" / "inbox"
    assert (inbox / f"{ids[0]}-my-photo.png").read_bytes() == picture()
    return row


@pytest.mark.parametrize("text", ["Look at these, please.", ""])
async def test_claude_reads_the_paths_as_text(
    desk: Desk, room: Room, claude_model: FakeAnthropic, text: str
) -> None:
    claude_model.answer(Text("Seen."), match="Attached files")
    claude = await desk.claude()
    agent = await room.until_activity(claude.pane, "idle")
    row = await send_with_files(room, agent, text)
    assert row.text == text
    await room.until_said(agent.id, "Seen.")
    assert "my-photo.png` (image/png" in claude.typed()[-1]


async def test_codex_reads_the_paths_as_text(desk: Desk, room: Room, codex_model: FakeOpenAI) -> None:
    codex_model.answer(Say("Seen."), match="Attached files")
    codex = await desk.codex()
    agent = await room.until_activity(codex.pane, "idle")
    row = await send_with_files(room, agent, "Look at these, please.")
    assert row.text == "Look at these, please."
    await room.until_said(agent.id, "Seen.")
