"""Files over the relay door: offered, uploaded, fetched, listed, forgotten."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.kit.clock import FakeClock
from controlroom.kit.settings import Media
from tests.integration.gateway.media_door import PNG, MediaDoor

UNKNOWN = "media token not found or expired"
SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "private, max-age=3600",
    "Accept-Ranges": "bytes",
}


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[MediaDoor]:
    door = MediaDoor(tmp_path)
    await door.start()
    yield door
    await door.door.aclose()


async def test_an_offered_file_is_fetched_by_its_token(door: MediaDoor) -> None:
    (door.work / "pic").write_bytes(PNG)
    told = await door.register(
        door.work / "pic", content_type="image/jpeg", file_name='shot "1".png', sensitive="yes"
    )
    assert (told.status, told.json["ok"], told.json["sensitive"]) == (200, True, True)
    assert len(told.json["token"]) == 22
    assert told.json["expires_at"] == door.door.clock.now_ms() / 1000 + 86400
    answer = await door.call("GET", f"/media/{told.json['token']}")
    assert (answer.status, answer.body) == (200, PNG)
    wanted = {
        **SAFE,
        "Content-Type": "image/png",
        "Content-Disposition": 'inline; filename="shot 1.png"',
        "X-Media-Sensitive": "1",
    }
    assert {name: answer.headers.get(name) for name in wanted} == wanted


async def test_what_is_no_image_is_saved_and_never_shown(door: MediaDoor) -> None:
    page = door.work / "page.html"
    page.write_text("<script>alert(1)</script>")
    answer = await door.by_path(page)
    assert answer.headers["Content-Type"] == "text/html"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="page.html"'
    assert {name: answer.headers[name] for name in SAFE} == SAFE
    assert "X-Media-Sensitive" not in answer.headers
    marked = await door.by_path(page, params={"content_type": "text/x-custom", "sensitive": "1"})
    assert (marked.headers["Content-Type"], marked.headers["X-Media-Sensitive"]) == ("text/x-custom", "1")


async def test_parts_of_a_file_and_its_head(door: MediaDoor) -> None:
    file = door.work / "ten"
    file.write_bytes(b"0123456789")
    part = await door.by_path(file, headers={"Range": "bytes=2-4"})
    assert (part.status, part.body, part.headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")
    behind = await door.by_path(file, headers={"Range": "bytes=10-"})
    assert (behind.status, behind.headers["Content-Range"]) == (416, "bytes */10")
    modified = part.headers["Last-Modified"]
    same = await door.by_path(file, headers={"Range": "bytes=2-4", "If-Range": modified})
    assert same.status == 206
    changed = await door.by_path(file, headers={"Range": "bytes=2-4", "If-Range": '"other"'})
    assert (changed.status, changed.body) == (200, b"0123456789")
    head = await door.call("HEAD", "/media/by-path", params={"path": str(file)})
    assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", "10")
    (door.work / "empty").touch()
    empty = await door.by_path(door.work / "empty")
    assert (empty.status, empty.body) == (200, b"")


async def test_an_upload_is_private_and_fetched_back(door: MediaDoor) -> None:
    told = await door.upload(PNG, "..\\..\\a/b.png")
    assert (told.status, set(told.json)) == (200, {"ok", "token", "expires_at"})
    answer = await door.call("GET", f"/media/{told.json['token']}")
    assert (answer.body, answer.headers["Content-Disposition"]) == (PNG, 'inline; filename="b.png"')
    folder = door.door.home.path / "media"
    [name] = door.uploads
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / name).stat().st_mode & 0o777 == 0o600


async def test_offers_and_uploads_survive_a_restart(door: MediaDoor) -> None:
    (door.work / "a").write_text("hello")
    offered = (await door.register(door.work / "a")).json["token"]
    uploaded = (await door.upload(PNG)).json["token"]
    (door.door.home.path / "media" / "up_orphan.part").write_text("left by a crash")
    await door.door.restart()
    assert (await door.call("GET", f"/media/{offered}")).text == "hello"
    assert (await door.call("GET", f"/media/{uploaded}")).body == PNG
    assert len(door.uploads) == 1


async def test_an_upload_is_deleted_with_its_token(tmp_path: Path) -> None:
    clock = FakeClock()
    door = MediaDoor(tmp_path, Media(ttl_s=2), clock)
    await door.start()
    token = (await door.upload(PNG)).json["token"]
    clock.advance(2)
    assert (await door.call("GET", f"/media/{token}")).text == UNKNOWN
    await door.media.store.sweep()
    assert door.uploads == []
    await door.door.aclose()


async def test_the_longest_unused_offer_makes_room(tmp_path: Path) -> None:
    clock = FakeClock()
    door = MediaDoor(tmp_path, Media(entries=2), clock)
    await door.start()
    (door.work / "a").write_text("x")

    async def offer() -> str:
        clock.advance(1)
        return str((await door.register(door.work / "a")).json["token"])

    async def status(token: str) -> int:
        clock.advance(1)
        return (await door.call("GET", f"/media/{token}")).status

    first, second = await offer(), await offer()
    assert await status(first) == 200
    third = await offer()
    assert [await status(token) for token in (third, second, first)] == [200, 404, 200]
    await door.door.restart()  # the order of use is kept
    await offer()
    assert [await status(token) for token in (third, first)] == [404, 200]
    await door.door.aclose()


async def test_an_upload_over_the_limit_leaves_nothing(tmp_path: Path) -> None:
    door = MediaDoor(tmp_path, Media(max_bytes=1_048_576))
    await door.start()
    assert (await door.upload(b"x" * 900_008)).status == 200
    refused = await door.upload(b"x" * 1_100_008)
    assert refused.status == 413
    assert refused.json == {"ok": False, "error": "upload too large (max 1048576 bytes)"}
    declared = await door.upload(b"x" * 3_000_000)
    assert declared.status == 413
    assert len(door.uploads) == 1
    await door.door.aclose()


async def test_uploads_together_have_a_limit(tmp_path: Path) -> None:
    door = MediaDoor(tmp_path, Media(uploads_bytes=2048))
    await door.start()
    tokens = [(await door.upload(b"x" * 900)).json["token"] for _ in range(3)]
    statuses = [(await door.call("GET", f"/media/{token}")).status for token in tokens]
    assert statuses == [404, 200, 200]
    assert len(door.uploads) == 2
    await door.door.aclose()


@pytest.mark.parametrize(
    ("body", "type_", "error"),
    [
        (b"plain", "text/plain", "expected multipart/form-data"),
        (b"", "multipart/form-data", "expected multipart/form-data"),
        (b"no boundary at all", "multipart/form-data; boundary=b", "expected multipart/form-data"),
        (
            b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--b--\r\n',
            "multipart/form-data; boundary=b",
            "missing 'file' multipart field",
        ),
    ],
)
async def test_uploads_that_are_none(door: MediaDoor, body: bytes, type_: str, error: str) -> None:
    answer = await door.call("POST", "/media/upload", data=body, headers={"Content-Type": type_})
    assert (answer.status, answer.json) == (400, {"ok": False, "error": error})
    assert door.uploads == []


async def test_an_upload_that_breaks_off_leaves_nothing(door: MediaDoor) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", door.door.port)
    head = (
        f"POST /media/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {door.token}\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 500000\r\n\r\n"
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
    )
    writer.write(head.encode() + b"x" * 200_000)
    await writer.drain()
    async with asyncio.timeout(60):
        while not door.uploads:
            await asyncio.sleep(0.01)
        writer.close()
        while door.uploads:
            await asyncio.sleep(0.01)


async def test_inspect_lists_offers_without_paths_for_programs_of_this_machine(door: MediaDoor) -> None:
    (door.work / "a").write_text("x")
    token = (await door.register(door.work / "a", file_name="a.txt")).json["token"]
    listed = await door.call("GET", "/media/inspect", host=True)
    now = door.door.clock.now_ms() / 1000
    assert listed.json == {
        "media": [
            {
                "token": token, "file_name": "a.txt", "content_type": "text/plain", "size": 1,
                "created_at": now, "expires_at": now + 86400, "last_accessed": now, "is_expired": False,
            }
        ]
    }  # fmt: skip
    assert str(door.work) not in listed.text
    assert (await door.call("GET", "/media/inspect")).status == 403


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"path": "rel.png", "content_type": "image/png"}, "path must be absolute: 'rel.png'"),
        (
            {"path": "/etc/passwd", "content_type": "text/plain"},
            "path is in a protected credential/system location: '/etc/passwd'",
        ),
        ({"path": "/opt/x", "content_type": "text/plain"}, "path is not under an allowed root: '/opt/x'"),
        ({"path": "/tmp", "content_type": "text/plain"}, "path is not a regular file: '/tmp'"),
        ({"path": "/tmp/no-such", "content_type": "a/b"}, "path does not exist: '/tmp/no-such'"),
        ({"path": "/tmp/x"}, "missing or invalid 'content_type'"),
        ({"path": 5, "content_type": "a/b"}, "missing or invalid 'path'"),
        ([], "body must be a JSON object"),
    ],
)  # fmt: skip
async def test_offers_that_are_refused(door: MediaDoor, body: object, error: str) -> None:
    answer = await door.call("POST", "/media/register", host=True, json=body)
    assert (answer.status, answer.json) == (400, {"ok": False, "error": error})
