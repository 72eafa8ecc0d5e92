"""A file on its way to an agent, with the control room killed in between: it arrives, and once."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import aiohttp

from controlroom.testing.scripted.steps import Go, Hold, Say, Scene, Turn
from controlroom.wire.client import SendMessage
from tests.integration.demo.room import PATIENCE_S, Room
from tests.support.waiting import until_now

PNG = b"\x89PNG\r\n\x1a\n" + bytes(2000)


def upload(room: Room, data: bytes, name: str) -> str:
    async def post() -> Any:
        form = aiohttp.FormData(quote_fields=False)
        form.add_field("file", data, filename=name)
        connector = aiohttp.UnixConnector(str(room.home / "control.sock"))
        async with (
            aiohttp.ClientSession("http://localhost", connector=connector) as session,
            session.post("/api/v1/uploads", data=form) as answer,
        ):
            assert answer.status == 201, await answer.text()
            return await answer.json()

    return str(asyncio.run(post())["id"])


def test_a_file_arrives_once_although_the_room_is_killed_twice(room: Room) -> None:
    turn = Turn(prompt="Please begin.", steps=(Hold(), Say(text="Done.")))
    room.desk.add(Scene(name="orchard", turns=(turn,)))
    room.start()
    agent = room.until("orchard", "working")
    assert agent.folder is not None
    upload_id = upload(room, PNG, "my photo.png")

    room.end(signal.SIGKILL)  # between the upload and the message
    room.start()
    room.until("orchard", "working")
    body = SendMessage(id="msg_1", text="Look at this, please.", attachments=(upload_id,))
    room.ask(lambda hub: hub.send(agent.id, body))

    path = Path(agent.folder).resolve() / ".controlroom" / "inbox" / f"{upload_id}-my-photo.png"
    until_now(path.exists, f"{path} is there", PATIENCE_S)
    room.end(signal.SIGKILL)  # between the message and its typing
    room.start()
    room.until("orchard", "working")
    room.ask(lambda hub: hub.send(agent.id, body))  # a client that never heard an answer asks again
    room.desk.tell("orchard", Go())

    def delivered() -> bool:
        return room.ask(lambda hub: hub.message("msg_1")).state == "delivered"

    until_now(delivered, "msg_1 is delivered", PATIENCE_S)
    typed = f"Look at this, please.\n\nAttached files:\n- `{path}` (image/png, 2 kB)"
    first, second = room.prompts("orchard")
    assert (first, second.count(typed)) == ("Please begin.", 1)
    assert path.read_bytes() == PNG
    assert [file.name for file in path.parent.iterdir()] == [path.name]

    def shown() -> bool:
        items = room.ask(lambda hub: hub.items(agent.chat_id)).items
        (item,) = [item for item in items if item.delivery is not None]
        return item.text == "Look at this, please." and [a.id for a in item.attachments] == [upload_id]

    until_now(shown, "the chat shows the file", PATIENCE_S)
