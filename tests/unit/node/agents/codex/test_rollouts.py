"""Finding rollouts by id in any folder, and following them as they grow."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from controlroom.node.agents.codex import rollouts as module
from controlroom.node.agents.codex.rollouts import MISSING_S, Rollouts, rollout_id
from tests.unit.node.agents.codex.samples import rollout, session_id

PLAIN = rollout("11-07-12")
ID = session_id(PLAIN)


def put(home: Path, source: Path, folder: str = "sessions/2026/11/30") -> Path:
    target = home / folder / source.name
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return target


def test_a_name_carries_the_id() -> None:
    assert rollout_id(PLAIN.name) == "01a22c23-2da6-7350-9a9f-ed920651468b"
    assert rollout_id("rollout-2026-11-30T11-07-12-nonsense.jsonl") is None
    assert rollout_id("notes.jsonl") is None


@pytest.mark.parametrize(
    "folder",
    [
        "sessions/2026/11/30",
        "sessions/2026/11/29",
        "sessions/2025/01/02",
        "archived_sessions",
        "sessions/2026/12/31",
    ],
)
def test_a_session_is_found_under_any_date_and_in_the_archive(tmp_path: Path, folder: str) -> None:
    path = put(tmp_path, PLAIN, folder)
    assert Rollouts(tmp_path).find(ID, 0.0) == path


def test_a_file_that_moves_to_the_archive_is_found_again(tmp_path: Path) -> None:
    home, path = Rollouts(tmp_path), put(tmp_path, PLAIN)
    assert home.find(ID, 0.0) == path
    moved = tmp_path / "archived_sessions" / path.name
    moved.parent.mkdir()
    path.rename(moved)
    assert home.find(ID, 0.0) == moved
    home.lost(ID)
    assert home.cached(ID) is None and home.find(ID, 0.0) == moved


def test_a_missing_id_is_not_searched_again_at_once(tmp_path: Path) -> None:
    home = Rollouts(tmp_path)
    assert home.find(ID, 0.0) is None
    path = put(tmp_path, PLAIN)
    assert home.find(ID, MISSING_S - 1) is None
    assert home.find(ID, MISSING_S + 1) == path


def test_names_come_from_the_index_and_the_newest_wins(tmp_path: Path) -> None:
    home, index = Rollouts(tmp_path), tmp_path / "session_index.jsonl"
    assert home.names(0.0) == {}
    index.write_text(f'{{"id":"{ID}","thread_name":"old"}}\nrubbish\n{{"id":"{ID}","thread_name":"new"}}\n')
    assert home.names(0.1) == {}
    assert home.names(1.0) == {ID: "new"}
    with index.open("a") as file:
        file.write(f'{{"id":"{ID}","thread_name":"newer\\u001b[31m"}}\n{{"id":"half')
    assert home.names(2.0) == {ID: "newer [31m"}
    index.unlink()
    assert home.names(3.0) == {}


def test_named_conversations_have_a_file_and_are_no_helpers(tmp_path: Path) -> None:
    put(tmp_path, PLAIN)
    helper = rollout("sessions-helpers/13-43-20")
    put(tmp_path, helper)
    lines = [f'{{"id":"{id}","thread_name":"x"}}' for id in (ID, session_id(helper), "gone")]
    (tmp_path / "session_index.jsonl").write_text("\n".join(lines) + "\n")
    (found,) = Rollouts(tmp_path).named(" x ", 0.0)
    assert (found.id, found.folder) == (ID, "/home/dev2/work/plants80")


def test_ancestors_of_a_fork(tmp_path: Path) -> None:
    parent, fork = rollout("11-11-59"), rollout("11-12-24")
    home = Rollouts(tmp_path)
    put(tmp_path, fork)
    assert home.known_ancestors(session_id(fork)) is None
    assert home.ancestors(session_id(fork), 0.0) == (session_id(parent),)
    assert home.known_ancestors(session_id(fork)) == (session_id(parent),)
    put(tmp_path, parent)
    assert Rollouts(tmp_path).ancestors(session_id(fork), 0.0) == (session_id(parent),)
    assert Rollouts(tmp_path).ancestors("unknown-id", 0.0) == ()


def test_conversations_that_began_in_a_folder_since(tmp_path: Path) -> None:
    for name in ("11-07-12", "11-07-30", "11-09-07", "10-59-58", "sessions-helpers/13-43-20"):
        put(tmp_path, rollout(name))
    since = 1_796_036_840_000  # between 11-07-12 and 11-07-30
    found = Rollouts(tmp_path).begun_in("/home/dev2/work/plants80", since, since + 86_400_000, 0.0)
    assert [thread.id for thread in found] == [session_id(rollout("11-07-30"))]


async def test_following_reads_only_what_is_new(tmp_path: Path) -> None:
    home, data = Rollouts(tmp_path), PLAIN.read_bytes()
    path = put(tmp_path, PLAIN)
    lines = data.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:13]))
    followed = await home.follow(ID, path)
    assert (followed.session.turn, followed.session.last_text) == (
        "open",
        "say The watering table is wrong because June is counted twice.",
    )
    with path.open("ab") as file:
        file.write(b"".join(lines[13:18]) + lines[18][:40])
    again = await home.follow(ID, path)
    assert again is followed and again.session.turn == "ended"
    assert again.session.end == sum(map(len, lines[:18]))


async def test_a_replaced_file_is_read_again(tmp_path: Path) -> None:
    home, path = Rollouts(tmp_path), put(tmp_path, PLAIN)
    assert (await home.follow(ID, path)).session.turn == "ended"
    other = tmp_path / "other"
    other.write_bytes(rollout("11-10-02").read_bytes())
    other.rename(path)
    assert (await home.follow(ID, path)).session.turn == "open"


async def test_damaged_rows_are_counted(tmp_path: Path) -> None:
    home, path = Rollouts(tmp_path), put(tmp_path, PLAIN)
    with path.open("ab") as file:
        file.write(b'{"type":"event_msg","pay\n\xff\xfe\n')
    followed = await home.follow(ID, path)
    assert followed.skipped == 2 and followed.session.turn == "ended"


async def test_a_missing_file_is_said_and_comes_back(tmp_path: Path) -> None:
    home, path = Rollouts(tmp_path), put(tmp_path, PLAIN)
    await home.follow(ID, path)
    path.unlink()
    assert (await home.follow(ID, path)).is_missing
    put(tmp_path, PLAIN)
    back = await home.follow(ID, path)
    assert not back.is_missing and back.session.turn == "ended"


@pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
async def test_a_file_without_rights_is_a_problem_in_words(tmp_path: Path) -> None:
    home, path = Rollouts(tmp_path), put(tmp_path, PLAIN)
    path.chmod(0)
    assert (await home.follow(ID, path)).problem == "Permission denied"


async def test_the_start_of_a_long_turn_is_looked_for(tmp_path: Path) -> None:
    """The last rows of a turn of hours hold no turn row; without it the agent would look idle."""
    home, path = Rollouts(tmp_path), put(tmp_path, rollout("11-10-02"))
    filler = b'{"timestamp":"2026-11-30T11:10:05.000Z","ordinal":99,"type":"world_state","payload":{}}\n'
    with path.open("ab") as file:
        file.write(filler * 2_000)
    followed = await home.follow(session_id(path), path)
    assert (followed.session.turn, followed.session.turn_detail) == ("open", "task_started")
    assert followed.session.last_text == "slow 20 ndk"


async def test_sessions_that_nobody_has_are_forgotten(tmp_path: Path) -> None:
    home, path = Rollouts(tmp_path), put(tmp_path, PLAIN)
    first = await home.follow(ID, path)
    home.forget({ID})
    assert await home.follow(ID, path) is first
    home.forget(set())
    assert await home.follow(ID, path) is not first


def test_searching_stops_at_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_FOLDERS", 1)
    put(tmp_path, PLAIN, "sessions/2020/01/01")
    (tmp_path / "sessions/2030/01/01").mkdir(parents=True)
    assert Rollouts(tmp_path).find(ID, 0.0) is None
