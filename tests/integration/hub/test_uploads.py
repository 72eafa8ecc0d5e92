"""Files that people send: taken to the disk, given back harmless, handed to the agent's machine once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest

from controlroom.client import Refused
from controlroom.hub.store import upload_rows
from controlroom.kit import upload_folder
from controlroom.testing.fake_node import agent_state
from controlroom.wire.client import SendMessage
from controlroom.wire.model import Attachment, Item
from controlroom.wire.node import FileOffer, Refusal, SendAct
from tests.integration.hub.conftest import House
from tests.integration.hub.test_messages import until_message, until_taken
from tests.support.waiting import until

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


async def upload(house: House, data: bytes = PNG, name: str = "my photo.png") -> dict[str, Any]:
    form = aiohttp.FormData(quote_fields=False)
    form.add_field("file", data, filename=name, content_type="text/html")
    async with house.raw() as session, session.post("/api/v1/uploads", data=form) as answer:
        return {"status": answer.status, **await answer.json()}


async def fetch(house: House, upload_id: str) -> tuple[int, bytes, Mapping[str, str]]:
    async with house.raw() as session, session.get(f"/api/v1/uploads/{upload_id}") as answer:
        return answer.status, await answer.read(), answer.headers


async def ready(house: House, **more: Any) -> None:
    await house.node.put(agent_state(folder="/home/kim/orchard", **more))
    await house.until_agent()


async def test_a_file_is_taken_named_and_given_back_as_what_it_is(house: House) -> None:
    taken = await upload(house)
    assert (taken["status"], taken["name"], taken["bytes"], taken["type"]) == (
        201,
        "my-photo.png",
        len(PNG),
        "image/png",
    )
    (file,) = (house.home.path / "uploads").iterdir()
    assert file.name == taken["id"]
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    status, body, headers = await fetch(house, taken["id"])
    assert (status, body, headers["Content-Type"]) == (200, PNG, "image/png")
    assert headers["Content-Disposition"].startswith("inline")
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert headers["X-Content-Type-Options"] == "nosniff"


async def test_what_is_no_picture_is_saved_and_never_shown(house: House) -> None:
    taken = await upload(house, b"<svg onload='alert(1)'>", "a.svg")
    _, _, headers = await fetch(house, taken["id"])
    assert (taken["type"], headers["Content-Type"]) == ("text/plain", "text/plain")
    assert headers["Content-Disposition"].startswith("attachment")


async def test_an_upload_leaves_a_receipt(house: House) -> None:
    await upload(house)
    (receipt,) = (await house.client.receipts()).receipts
    assert (receipt.what, receipt.by, receipt.text) == ("upload", "host", "Uploaded my-photo.png (10 kB).")


async def test_the_limits_are_told_before(house: House) -> None:
    async with house.raw() as session, session.get("/api/v1/uploads/limits") as answer:
        limits = await answer.json()
    assert (limits["upload_bytes"], limits["most"]) == (26_214_400, 10)


async def test_too_large_and_no_form_are_refused_and_leave_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house.hub._parts.uploads._receiver, "_max_bytes", 1000)
    monkeypatch.setattr(house.hub._parts.uploads, "_upload_bytes", 1000)
    refused = await upload(house)
    assert (refused["status"], refused["code"]) == (413, "too_large")
    async with house.raw() as session, session.post("/api/v1/uploads", json={}) as answer:
        assert (answer.status, (await answer.json())["code"]) == (400, "bad_request")
    assert list((house.home.path / "uploads").iterdir()) == []


async def test_a_full_disk_is_said(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(upload_folder.Upload, "write", full)
    refused = await upload(house)
    assert (refused["status"], refused["code"]) == (500, "failed")
    assert "disk" in refused["text"] and "full" in refused["text"]
    assert list((house.home.path / "uploads").iterdir()) == []


async def test_files_reach_the_node_before_the_message(house: House) -> None:
    await ready(house)
    taken = await upload(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="look", attachments=(taken["id"],)))
    await until_taken(house, "msg_1")
    act = house.node.taken["msg_1"]
    assert isinstance(act, SendAct)
    attachment = Attachment(id=taken["id"], name="my-photo.png", bytes=len(PNG), type="image/png")
    assert (act.text, act.attachments) == ("look", (attachment,))
    assert house.node.files == {taken["id"]: PNG}
    assert (await house.client.message("msg_1")).attachments == (attachment,)


async def test_files_alone_are_a_message(house: House) -> None:
    await ready(house)
    taken = await upload(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="", attachments=(taken["id"],)))
    await until_taken(house, "msg_1")


async def test_a_delivered_message_shows_its_own_text_and_its_files(house: House) -> None:
    await ready(house)
    taken = await upload(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="look", attachments=(taken["id"],)))
    await until_taken(house, "msg_1")
    path = f"/home/kim/orchard/.controlroom/inbox/{taken['id']}-my-photo.png"
    typed = f"look\n\nAttached files:\n- `{path}` (image/png, 10 kB)"
    await house.node.say("agt_1", Item(id="i1", at_ms=5, kind="user", text=typed))
    await house.node.progress("msg_1", "delivered", item_id="i1")
    await until_message(house, "msg_1", lambda m: m.state == "delivered")
    (item,) = (await house.client.items("cht_1")).items
    assert item.text == "look"
    assert [(a.id, a.bytes) for a in item.attachments] == [(taken["id"], len(PNG))]
    assert item.delivery is not None and item.delivery.id == "msg_1"


@pytest.mark.parametrize(
    ("where", "attachments", "send_as", "code"),
    [
        (None, ("ID",), "text", "bad_request"),
        ("/home/kim/orchard", ("up_unknown",), "text", "not_found"),
        ("/home/kim/orchard", ("ID", "ID"), "text", "bad_request"),
        ("/home/kim/orchard", ("ID",), "command", "bad_request"),
    ],
)
async def test_what_cannot_be_attached_is_refused(
    house: House, where: str | None, attachments: tuple[str, ...], send_as: str, code: str
) -> None:
    await house.node.put(agent_state(folder=where))
    await house.until_agent()
    taken = await upload(house)
    ids = tuple(taken["id"] if id == "ID" else id for id in attachments)
    body = SendMessage(id="msg_1", text="look", attachments=ids, send_as=send_as)  # type: ignore[arg-type] # by name
    with pytest.raises(Refused) as caught:
        await house.client.send("agt_1", body)
    assert caught.value.code == code
    assert not house.node.taken


async def test_a_refused_file_fails_the_message_and_the_same_id_tries_again(house: House) -> None:
    await ready(house)

    def refuse(offer: FileOffer) -> Refusal:
        return Refusal(code="failed", text="The disk of the agent's project is full.")

    house.node.refuse_file = refuse
    taken = await upload(house)
    body = SendMessage(id="msg_1", text="look", attachments=(taken["id"],))
    await house.client.send("agt_1", body)
    message = await until_message(house, "msg_1", lambda m: m.state == "failed")
    assert message.detail == "The disk of the agent's project is full."
    assert not house.node.taken
    house.node.refuse_file = lambda offer: None
    assert (await house.client.send("agt_1", body)).state == "accepted"
    await until_taken(house, "msg_1")


async def test_a_hub_that_is_killed_in_between_loses_and_doubles_nothing(house: House) -> None:
    await ready(house)
    await house.node.go_away()
    await until(lambda: not house.hub.fleet().machines[0].online)
    taken = await upload(house)
    await house.client.send("agt_1", SendMessage(id="msg_1", text="look", attachments=(taken["id"],)))
    await house.restart()
    await house.node.come_back()
    await until_taken(house, "msg_1")
    assert house.node.files == {taken["id"]: PNG}
    assert [act.id for act in house.node.asked] == ["msg_1"]


async def test_what_nobody_sent_goes_after_a_day_and_what_was_sent_stays(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ready(house)
    used, unused = await upload(house), await upload(house, b"text", "b.txt")
    await house.client.send("agt_1", SendMessage(id="msg_1", text="look", attachments=(used["id"],)))
    now_ms = house.clock.now_ms()
    monkeypatch.setattr(house.clock, "now_ms", lambda: now_ms + 25 * 3600 * 1000)
    await house.hub._parts.uploads.sweep()
    assert [file.name for file in (house.home.path / "uploads").iterdir()] == [used["id"]]
    assert (await fetch(house, unused["id"]))[0] == 404
    monkeypatch.setattr(house.clock, "now_ms", lambda: now_ms + 31 * 24 * 3600 * 1000)
    await house.hub._parts.uploads.sweep()
    assert list((house.home.path / "uploads").iterdir()) == []
    rows = await house.store.read(lambda c: upload_rows.upload_rows(c, [used["id"]]))
    assert rows[used["id"]].name == "my-photo.png"


async def test_half_an_upload_is_removed_at_the_next_start(house: House) -> None:
    (house.home.path / "uploads" / "up_half.part").write_bytes(b"x")
    (house.home.path / "uploads" / "up_nobodys").write_bytes(b"x")
    taken = await upload(house)
    await house.restart()
    assert [file.name for file in (house.home.path / "uploads").iterdir()] == [taken["id"]]
