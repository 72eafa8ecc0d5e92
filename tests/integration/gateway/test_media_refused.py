"""What nobody gets through the media routes: secrets, pipes, files that were swapped."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from controlroom.kit.settings import Media
from tests.integration.gateway.media_door import PNG, MediaDoor

UNKNOWN = "media token not found or expired"


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[MediaDoor]:
    door = MediaDoor(tmp_path)
    await door.start()
    yield door
    await door.door.aclose()


async def test_without_the_right_nothing_is_read_or_left(door: MediaDoor) -> None:
    (door.work / "a").write_text("x")
    offered = (await door.register(door.work / "a")).json["token"]
    poor = await door.pair(grants={"chat": -1})
    for method, path in [
        ("GET", f"/media/by-path?path={door.work}/a"),
        ("GET", f"/media/{offered}"),
        ("POST", "/media/upload"),
    ]:
        assert (await door.call(method, path, token=poor)).status == 403
        assert (await door.call(method, path, token="")).status == 401
        assert (await door.call(method, path, token="0" * 36)).status == 401


async def test_register_and_inspect_need_the_secret_of_this_machine(door: MediaDoor) -> None:
    session = door.door.session("127.0.0.1")
    body = {"path": "/tmp/x", "content_type": "text/plain"}
    secret = door.door.secret
    for headers in [{}, {**secret, "Origin": "https://evil.example"}, {**secret, "X-Forwarded-For": "1"}]:
        async with session.post("/media/register", json=body, headers=headers) as answer:
            assert answer.status == 403
        async with session.get("/media/inspect", headers=headers) as answer:
            assert answer.status == 403


async def test_by_path_stays_in_its_roots(door: MediaDoor) -> None:
    (door.outside / "note.txt").write_text("outside roots")
    # All of the test's folder lies under the temporary one, so the roots are narrowed to show it.
    door.media._files._places._roots = [str(door.work)]
    refused = await door.by_path(door.outside / "note.txt")
    assert (refused.status, refused.text) == (
        403, f"path is not under an allowed root: '{door.outside}/note.txt'",
    )  # fmt: skip
    nothing = await door.by_path(door.outside / "none")
    assert nothing.status == 403, "an answer must not tell what exists outside"
    climbing = await door.by_path(f"{door.work}/../outside/note.txt")
    assert climbing.status == 403
    (door.work / "note.txt").write_text("hi")
    assert (await door.by_path(f"{door.work}/../work/note.txt")).text == "hi"


async def test_the_sandbox_can_be_opened_but_secrets_stay_closed(tmp_path: Path) -> None:
    door = MediaDoor(tmp_path, Media(strict=False))
    await door.start()
    door.media._files._places._roots = []
    (door.outside / "note.txt").write_text("outside roots")
    assert (await door.by_path(door.outside / "note.txt")).text == "outside roots"
    assert (await door.by_path("/etc/passwd")).status == 403
    await door.door.aclose()


async def test_secrets_are_refused_however_they_are_reached(door: MediaDoor) -> None:
    (door.user / ".ssh").mkdir()
    (door.user / ".ssh" / "id_rsa").write_text("PRIVATE")
    (door.work / "link").symlink_to(door.user / ".ssh" / "id_rsa")
    (door.work / "folder").symlink_to(door.user / ".ssh")
    (door.work / ".env").write_text("TOKEN=x")
    (door.work / "profile").mkdir()
    (door.work / "profile" / ".credentials.json").write_text("{}")
    (door.user / ".hermes").mkdir()
    (door.user / ".hermes" / "config.yaml").write_text("key: x")
    paths = [
        "/etc/passwd", "/etc/none", "/proc/self/environ", "/proc/self/root/etc/passwd", "/dev/zero",
        "/sys/kernel/notes", "/run/none", "//etc/passwd", "/tmp/../etc/passwd",
        door.user / ".ssh" / "id_rsa", door.work / "link", door.work / "folder" / "id_rsa",
        f"{door.work}/folder/../.ssh/id_rsa", door.work / ".env", door.work / "profile" / ".credentials.json",
        door.user / ".hermes" / "config.yaml", door.door.home.path / "hub.sqlite",
        door.door.home.path / "door-secret",
    ]  # fmt: skip
    for path in paths:
        answer = await door.by_path(path)
        assert answer.status == 403, path
        assert "PRIVATE" not in answer.text and "id_rsa" not in answer.text.replace(str(path), "")


async def test_what_is_no_file_is_refused_without_being_opened(door: MediaDoor) -> None:
    os.mkfifo(door.work / "pipe")
    (door.work / "dir").mkdir()
    (door.work / "loop").symlink_to(door.work / "loop")
    (door.work / "to-pipe").symlink_to(door.work / "pipe")
    for name in ["pipe", "dir", "loop", "to-pipe", "none", "dir/../none"]:
        assert (await door.by_path(door.work / name)).status == 404, name
    for path in ["relative.txt", "~/x", "file:///etc/passwd"]:
        assert (await door.by_path(path)).status == 403
    for query in ["", "?path=", "?path=%00"]:
        assert (await door.call("GET", f"/media/by-path{query}")).status in {400, 403}
    assert (await door.by_path(f"{door.work}/a\0b")).status == 404
    assert (await door.by_path(f"{door.work}/" + "a" * 5000)).status == 404
    assert (await door.by_path(f"{door.work}/" + "a/" * 1500)).status == 404


async def test_a_huge_file_is_refused_before_a_byte_is_read(door: MediaDoor) -> None:
    with (door.work / "huge").open("wb") as file:
        file.truncate(2**40)
    answer = await door.by_path(door.work / "huge")
    assert (answer.status, answer.text) == (403, f"file too large ({2**40} bytes, max 104857600)")
    assert (await door.register(door.work / "huge")).status == 400


async def test_an_offered_path_that_got_a_link_to_a_secret_gives_nothing(door: MediaDoor) -> None:
    (door.work / "a").write_text("mine")
    token = (await door.register(door.work / "a")).json["token"]
    (door.user / ".ssh").mkdir()
    (door.user / ".ssh" / "key").write_text("PRIVATE")
    (door.work / "a").unlink()
    (door.work / "a").symlink_to(door.user / ".ssh" / "key")
    answer = await door.call("GET", f"/media/{token}")
    assert (answer.status, answer.text) == (404, UNKNOWN)
    (door.work / "a").unlink()
    assert (await door.call("GET", f"/media/{token}")).text == UNKNOWN


async def test_an_upload_that_was_replaced_in_our_folder_gives_nothing(door: MediaDoor) -> None:
    token = (await door.upload(PNG)).json["token"]
    upload = door.door.home.path / "media" / door.uploads[0]
    upload.unlink()
    upload.symlink_to("/etc/passwd")
    assert (await door.call("GET", f"/media/{token}")).text == UNKNOWN


async def test_a_link_that_is_swapped_all_the_time_never_gives_the_secret(door: MediaDoor) -> None:
    (door.user / ".ssh").mkdir()
    (door.user / ".ssh" / "a").write_text("PRIVATE")
    (door.work / "real").mkdir()
    (door.work / "real" / "a").write_text("mine")
    folders = [door.work / "real", door.user / ".ssh"]
    is_over = asyncio.Event()

    def swap() -> None:
        n = 0
        while not is_over.is_set():
            n += 1
            (door.work / "new").symlink_to(folders[n % 2])
            os.replace(door.work / "new", door.work / "folder")

    (door.work / "folder").symlink_to(folders[0])
    swapping = asyncio.get_running_loop().run_in_executor(None, swap)
    try:
        answers = [await door.by_path(door.work / "folder" / "a") for _ in range(150)]
    finally:
        is_over.set()
        await swapping
    assert {answer.status for answer in answers} <= {200, 403, 404}
    assert {answer.text for answer in answers if answer.status == 200} <= {"mine"}
    assert not [answer for answer in answers if "PRIVATE" in answer.text]


async def test_a_file_that_is_replaced_while_it_is_sent_is_sent_to_its_end(door: MediaDoor) -> None:
    size = 20_000_000
    (door.work / "big").write_bytes(b"a" * size)
    session = door.door.session("127.0.0.2")
    headers = {"Authorization": f"Bearer {door.token}"}
    async with session.get(f"/media/by-path?path={door.work}/big", headers=headers) as answer:
        first = await answer.content.readexactly(1000)
        (door.work / "other").write_bytes(b"s" * size)
        os.replace(door.work / "other", door.work / "big")
        rest = await answer.content.read()
    assert set(first + rest) == {ord("a")} and len(first + rest) == size


async def test_a_file_that_becomes_shorter_ends_the_connection(door: MediaDoor) -> None:
    size = 40_000_000
    (door.work / "big").write_bytes(b"a" * size)
    session = door.door.session("127.0.0.2")
    headers = {"Authorization": f"Bearer {door.token}"}
    with pytest.raises((aiohttp.ClientError, ConnectionError)):
        async with session.get(f"/media/by-path?path={door.work}/big", headers=headers) as answer:
            assert answer.headers["Content-Length"] == str(size)
            await answer.content.readexactly(1000)
            os.truncate(door.work / "big", 2000)
            await answer.content.read()
    assert (await door.by_path(door.work / "big")).body == b"a" * 2000, "the service goes on"


async def test_no_descriptor_is_left_open(door: MediaDoor) -> None:
    (door.work / "a").write_text("x")
    await door.by_path(door.work / "a")
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        await door.by_path(door.work / "a")
        await door.by_path(door.work / "a", headers={"Range": "bytes=9-"})
        await door.by_path(door.work / "none")
        await door.register(door.work / "a")
    assert len(os.listdir("/proc/self/fd")) <= before + 3
