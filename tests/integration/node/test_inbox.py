"""Files in agents' projects: private, once, inside the folder, out of commits, gone after a month."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controlroom.node.api import Refused
from controlroom.wire.model import Attachment
from controlroom.wire.node import FileOffer, SendAct
from tests.integration.node.conftest import Room

DATA = b"pixels" * 1000
NAME = "photo.png"


async def pieces(data: bytes = DATA) -> AsyncIterator[bytes]:
    for at in range(0, len(data), 1000):
        yield data[at : at + 1000]


@pytest.fixture
async def project(room: Room, tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    room.driver.add("orchard").folder = str(project)
    await room.look()
    return project


async def offer(room: Room, id: str = "up_1a", data: bytes = DATA, name: str = NAME) -> FileOffer:
    agent_id = (await room.agents())["orchard"].id
    return FileOffer(
        id=id, agent_id=agent_id, name=name, bytes=len(data), sha256=hashlib.sha256(data).hexdigest()
    )


async def place(room: Room, **more: str) -> Path:
    return Path((await room.node.api.put_file(await offer(room, **more), pieces())).path)  # type: ignore[arg-type] # by name


async def test_a_file_lies_in_a_private_folder_of_the_project(room: Room, project: Path) -> None:
    path = await place(room)
    assert path == project / ".controlroom" / "inbox" / "up_1a-photo.png"
    assert path.read_bytes() == DATA
    assert path.stat().st_mode & 0o777 == 0o600
    assert {p.stat().st_mode & 0o777 for p in (path.parent, path.parent.parent)} == {0o700}


async def test_the_same_id_again_writes_nothing(room: Room, project: Path) -> None:
    path = await place(room)
    before = path.stat().st_mtime_ns, path.stat().st_ino
    await room.restart()
    await room.look()
    assert await place(room) == path
    assert (path.stat().st_mtime_ns, path.stat().st_ino) == before
    assert len(list(path.parent.iterdir())) == 1


async def test_a_file_that_was_placed_just_before_a_kill_is_placed_once(room: Room, project: Path) -> None:
    path = await place(room)
    await room.node._journal.forget_placed("up_1a")  # the kill came before its row
    (path.parent / ".up_1a-photo.png.part").write_bytes(b"half")  # and another one in the middle
    await room.restart()
    await room.look()
    assert await place(room) == path
    assert [p.name for p in path.parent.iterdir()] == [path.name]


async def test_what_does_not_come_whole_is_not_there(room: Room, project: Path) -> None:
    for data in (DATA[:-1], DATA + b"more", b"", DATA[:-1] + b"x"):
        with pytest.raises(Refused) as caught:
            await room.node.api.put_file(await offer(room), pieces(data))
        assert caught.value.refusal.code == "failed"
    assert list((project / ".controlroom" / "inbox").iterdir()) == []


@pytest.mark.parametrize("which", [".controlroom", "inbox"])
async def test_no_link_leads_out_of_the_project(
    room: Room, project: Path, tmp_path: Path, which: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if which == "inbox":
        (project / ".controlroom").mkdir()
        (project / ".controlroom" / "inbox").symlink_to(outside)
    else:
        (project / ".controlroom").symlink_to(outside)
    with pytest.raises(Refused) as caught:
        await place(room)
    assert "link" in caught.value.refusal.text
    assert list(outside.iterdir()) == []


async def test_a_link_in_place_of_the_file_is_replaced_and_not_followed(
    room: Room, project: Path, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    inbox = project / ".controlroom" / "inbox"
    inbox.mkdir(parents=True)
    (inbox / "up_1a-photo.png").symlink_to(victim)
    (inbox / ".up_1a-photo.png.part").symlink_to(victim)
    path = await place(room)
    assert victim.read_text() == "mine" and not path.is_symlink()


@pytest.mark.parametrize("id", ["../../up_1", "up_1/x", "", "up_", ".up_1", "up_1\n"])
async def test_an_id_never_becomes_a_path(room: Room, project: Path, id: str) -> None:
    with pytest.raises(Refused) as caught:
        await place(room, id=id)
    assert caught.value.refusal.code == "failed"
    assert not (project / ".controlroom").exists()


async def test_an_agent_without_a_folder_takes_no_files(room: Room) -> None:
    room.driver.add("orchard")
    await room.look()
    with pytest.raises(Refused) as caught:
        await place(room)
    assert caught.value.refusal.code == "not_found"


async def test_the_folder_is_named_once_in_gits_exclude_file(room: Room, project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    exclude = project / ".git" / "info" / "exclude"
    exclude.parent.mkdir(exist_ok=True)
    exclude.write_text("*.log")
    await place(room)
    await place(room, id="up_2b")
    assert exclude.read_text() == "*.log\n.controlroom/\n"
    said = subprocess.run(["git", "status", "--porcelain"], cwd=project, check=True, capture_output=True)
    assert said.stdout == b""


async def test_a_worktree_is_named_in_its_repository(room: Room, tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    git = ["git", "-c", "user.name=K", "-c", "user.email=k@example.com", "-C", str(main)]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(tree)], check=True, capture_output=True)
    room.driver.add("orchard").folder = str(tree)
    await room.look()
    await place(room)
    said = subprocess.run(["git", "status", "--porcelain"], cwd=tree, check=True, capture_output=True)
    assert said.stdout == b""
    assert ".controlroom/" in (main / ".git" / "info" / "exclude").read_text()


async def test_files_go_after_thirty_days_and_leave_no_folders(room: Room, project: Path) -> None:
    path = await place(room)
    room.clock.advance(29 * 24 * 3600)
    await room.node._inbox.sweep()
    assert path.exists()
    room.clock.advance(2 * 24 * 3600)
    await room.node._inbox.sweep()
    assert not (project / ".controlroom").exists()
    assert await room.node._journal.placed_file("up_1a") is None


async def send(room: Room) -> SendAct:
    agent_id = (await room.agents())["orchard"].id
    attachment = Attachment(id="up_1a", name=NAME, bytes=len(DATA), type="image/png")
    act = SendAct(id="m1", agent_id=agent_id, text="look", attachments=(attachment,))
    assert (await room.node.api.act(act)).code == "ok"
    return act


async def test_the_agent_is_told_where_its_files_lie(room: Room, project: Path) -> None:
    path = await place(room)
    await send(room)
    await room.restart()
    await room.look()
    (agent,) = room.driver.agents
    assert agent.received == [f"look\n\nAttached files:\n- `{path}` (image/png, 6 kB)"]
    assert (await room.progress("m1"))[-1].state == "delivered"
    assert (await room.progress("m1"))[-1].text == "look"


async def test_a_file_that_is_gone_fails_the_message_untyped_and_the_same_id_tries_again(
    room: Room, project: Path
) -> None:
    path = await place(room)
    path.unlink()
    await send(room)
    await room.look()
    (agent,) = room.driver.agents
    assert agent.received == []
    assert (await room.progress("m1"))[-1].state == "failed"
    await place(room)
    await send(room)
    await room.look()
    assert len(agent.received) == 1
    assert (await room.progress("m1"))[-1].state == "delivered"
    await send(room)
    await room.look()
    assert len(agent.received) == 1
