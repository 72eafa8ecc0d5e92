"""Two devices at one card, and what a device needs for it."""

from __future__ import annotations

import asyncio

from controlroom.wire.device import PairingPolicy
from tests.integration.hub.conftest import House
from tests.integration.hub.device_door import Door, open_door
from tests.integration.hub.question_house import BLOCKING, PLAIN, ready


async def answer(door: Door, who: dict[str, str], id: str, option: str) -> tuple[int, str]:
    """The status, and the state or the refusal's sentence."""
    body = {"request_id": f"req_{option}", "option": option}
    told = await door.ask("POST", f"/questions/{id}/answer", body, who)
    return told.status, told.body.get("state") or told.body["text"]


async def test_of_two_devices_one_wins_and_the_other_is_told_which(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(PLAIN)
    async with open_door(house) as door:
        pixel, tablet = await door.laptop(name="Pixel"), await door.laptop(name="Tablet")
        told = await asyncio.gather(answer(door, pixel, asked.id, "1"), answer(door, tablet, asked.id, "2"))
    won = told.index((200, "answered"))
    name, label = (("Pixel", "Yes, all of them"), ("Tablet", "No"))[won]
    assert told[1 - won] == (409, f"It was answered by you with {name} already: {label}.")
    await inbox.taken(f"{asked.id}:1")
    assert len(inbox.sent) == 1
    (receipt,) = [one for one in await inbox.receipts() if one.what == "answer"]
    assert receipt.device == name


async def test_a_device_needs_the_right_for_what_it_does(house: House) -> None:
    inbox = await ready(house)
    asked = await inbox.asked(BLOCKING)
    async with open_door(house) as door:
        reader = await door.laptop(PairingPolicy(grants={"answers": -1, "actions": -1}))
        assert (await door.ask("GET", "/questions", headers=reader)).status == 200
        for act in ("answer", "skip", "dismiss", "undo", "reopen"):
            body = {"request_id": "req_1", "option": "1"}
            told = await door.ask("POST", f"/questions/{asked.id}/{act}", body, reader)
            assert (told.status, told.code) == (403, "not_allowed")
        told = await door.ask("PUT", "/pause", {"request_id": "req_1", "paused": True}, reader)
        assert (told.status, told.code) == (403, "not_allowed")
        laptop = await door.laptop()
        told = await door.ask("PUT", "/pause", {"request_id": "req_1", "paused": True}, laptop)
        assert told.body["paused"]["by"].startswith("device:")
        house.hub._questions._acts.only_devices_answer = True
        assert (await answer(door, laptop, asked.id, "2"))[0] == 200
    assert (await inbox.get(asked.id)).state == "answered"
