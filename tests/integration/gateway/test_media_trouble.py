"""Media while the database or the disk fails: clear answers, nothing left behind, and it goes on."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from controlroom.hub.store.media_rows import StoredMedia
from controlroom.kit import receiving, sending
from controlroom.kit.clock import FakeClock
from controlroom.kit.settings import Media
from controlroom.kit.sql import DatabaseTrouble
from tests.integration.gateway.media_door import PNG, MediaDoor
from tests.support.waiting import until

is_broken = False


@pytest.fixture(autouse=True)
def breakable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of media fail while ``is_broken``."""
    for name in ("all", "put", "delete"):
        real = getattr(StoredMedia, name)

        async def maybe(self: StoredMedia, *args: object, real: object = real) -> object:
            if is_broken:
                raise DatabaseTrouble("read-only")
            return await real(self, *args)  # type: ignore[operator]  # one of three methods

        monkeypatch.setattr(StoredMedia, name, maybe)
    broken(False)


def broken(is_so: bool) -> None:
    global is_broken
    is_broken = is_so


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[MediaDoor]:
    door = MediaDoor(tmp_path, Media(ttl_s=100), FakeClock())
    await door.start()
    yield door
    await door.door.aclose()


async def test_what_cannot_be_stored_is_not_promised(door: MediaDoor) -> None:
    (door.work / "a").write_text("x")
    token = (await door.upload(PNG)).json["token"]
    broken(True)
    refused = await door.upload(PNG)
    assert (refused.status, refused.json["ok"]) == (503, False)
    assert len(door.uploads) == 1
    assert (await door.register(door.work / "a")).status == 503
    assert (await door.call("GET", f"/media/{token}")).body == PNG, "what was offered is still given"
    broken(False)
    assert (await door.upload(PNG)).status == 200


async def test_an_upload_that_could_not_be_forgotten_is_removed_later(door: MediaDoor) -> None:
    token = (await door.upload(PNG)).json["token"]
    door.door.clock.advance(100)  # type: ignore[attr-defined]  # a FakeClock
    broken(True)
    await door.media.store.sweep()
    assert (await door.call("GET", f"/media/{token}")).status == 404
    broken(False)
    await door.media.store.sweep()
    assert door.uploads == []


async def test_a_start_without_rows_removes_no_upload(door: MediaDoor) -> None:
    token = (await door.upload(PNG)).json["token"]
    broken(True)
    await door.door.restart()
    assert len(door.uploads) == 1
    broken(False)
    await door.door.restart()
    assert (await door.call("GET", f"/media/{token}")).body == PNG


async def test_uploads_without_their_folder_are_refused(door: MediaDoor) -> None:
    shutil.rmtree(door.door.home.path / "media")
    refused = await door.upload(PNG)
    assert (refused.status, refused.json) == (503, {"ok": False, "error": "the file cannot be kept now"})


async def test_a_device_that_takes_nothing_is_dropped_and_others_are_served(
    door: MediaDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "SLOW_S", 0.05)
    (door.work / "big").write_bytes(b"x" * 60_000_000)
    reader, writer = await asyncio.open_connection("127.0.0.1", door.door.port, limit=1024)
    head = f"GET /media/by-path?path={door.work}/big HTTP/1.1\r\nHost: localhost\r\n"
    writer.write(f"{head}Authorization: Bearer {door.token}\r\n\r\n".encode())
    assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    await until(lambda: door.media._sender._running == 0, "the device is given up")
    got = 0
    with contextlib.suppress(ConnectionError):  # what was under way may come before the reset
        while part := await reader.read(1_000_000):
            got += len(part)
    assert got < 60_000_000
    writer.close()
    (door.work / "small").write_text("x")
    assert (await door.by_path(door.work / "small")).text == "x"


async def test_too_many_at_once_are_turned_away(door: MediaDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    (door.work / "a").write_text("x")
    monkeypatch.setattr(sending, "MOST_AT_ONCE", 0)
    monkeypatch.setattr(receiving, "MOST_AT_ONCE", 0)
    busy = await door.by_path(door.work / "a")
    assert (busy.status, busy.headers["Retry-After"]) == (503, "5")
    assert (await door.upload(PNG)).status == 503


@pytest.mark.filterwarnings("ignore::aiohttp.multipart.BadContentDispositionHeader")
@pytest.mark.filterwarnings("ignore::aiohttp.multipart.BadContentDispositionParam")
async def test_bodies_of_any_kind_get_an_answer_and_leave_nothing_half(door: MediaDoor) -> None:
    random = Random(20)
    pieces = [
        b"--b\r\n", b"--b--\r\n", b"\r\n", b"\r\n\r\n", b"x" * 300, b"\0\xff", b"--b", b"\n", b": ",
        b'Content-Disposition: form-data; name="file"; filename="a"\r\n',
        b'Content-Disposition: form-data; name="x"\r\n', b"Content-Disposition: ;;;=\r\n",
        b"Content-Type: multipart/mixed; boundary=b\r\n", b"Content-Transfer-Encoding: base64\r\n",
        b"Content-Length: 99\r\n", b"Content-Encoding: gzip\r\n", b"X: " + b"y" * 9000 + b"\r\n",
    ]  # fmt: skip
    taken = 0
    for _ in range(200):
        body = b"".join(random.choices(pieces, k=random.randrange(1, 9)))
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        answer = await door.call("POST", "/media/upload", data=body, headers=headers)
        assert answer.status in {200, 400, 413}, (answer.status, body)
        taken += answer.status == 200
    assert len(door.uploads) == taken


async def test_a_device_that_stops_sending_is_not_waited_for(
    door: MediaDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "SLOW_S", 0.2)
    reader, writer = await asyncio.open_connection("127.0.0.1", door.door.port)
    head = (
        f"POST /media/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {door.token}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500000\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbegin'
    )
    writer.write(head.encode())
    assert (await reader.readline()).startswith(b"HTTP/1.1 408")
    writer.close()
    assert door.uploads == []
