"""What a conversation of Codex owns: its rollout, those that it builds on, and those of its helpers."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controlroom.kit.clock import SystemClock
from controlroom.kit.process import ProcProcesses
from controlroom.node.acts.carrying import CannotCarry, carry
from controlroom.node.agents.codex import moving, rollouts
from controlroom.node.agents.codex.client import CodexDriver
from controlroom.node.agents.moving import moving as moving_of
from controlroom.node.world import PaneWorld
from tests.unit.node.agents.codex.samples import rollout, rows, session_id

FORK, PARENT = rollout("11-18-27"), "01a22c2d-620d-7120-b723-46469a2de8ab"
LEADER = rollout("sessions-helpers/13-42-32")
DAY = "sessions/2026/11/30"


def home(top: Path, *rollouts: Path) -> Path:
    (top / DAY).mkdir(parents=True)
    for path in rollouts:
        shutil.copy2(path, top / DAY / path.name)
    return top


def parent_of(fork: Path) -> Path:
    """The parent of the recorded fork, as long as the fork needs it."""
    return fork.with_name(f"rollout-2026-11-30T11-18-20-{PARENT}.jsonl")


def with_parent(top: Path, size: int = 94_622) -> Path:
    """A home with a fork and its parent, which is made up: the fork needs its first 94 622 bytes."""
    made = home(top, FORK)
    row = b'{"type":"event_msg","payload":{"type":"user_message","message":"water"}}\n'
    data = (row * (size // len(row) + 1))[: size - 1] + b"\n"
    (made / DAY / parent_of(FORK).name).write_bytes(data)
    return made


def test_its_driver_can_move() -> None:
    world = PaneWorld((), ProcProcesses(), SystemClock())
    assert moving_of(CodexDriver(world)) is not None


def test_helpers_come_along_and_strangers_do_not(tmp_path: Path) -> None:
    helpers = [rollout("sessions-helpers/13-43-20"), rollout("sessions-helpers/13-43-58")]
    folder = home(tmp_path, LEADER, *helpers, rollout("11-18-27"), rollout("11-07-30"))
    found = moving.belongings(str(folder), session_id(LEADER))
    assert [piece.history for piece in found.pieces] == [session_id(LEADER), *map(session_id, helpers)]
    assert {piece.folder for piece in found.pieces} == {DAY}
    # A helper owns itself alone.
    (one,) = moving.belongings(str(folder), session_id(helpers[1])).pieces
    assert one.history == session_id(helpers[1])


def made_id(number: int) -> str:
    """An id of a conversation that began so many milliseconds after another."""
    digits = f"{0x01A22C2D620D + number:012x}"
    return f"{digits[:8]}-{digits[8:]}-7000-8000-000000000000"


def made_up(top: Path, number: int, base: str = "", **more: object) -> str:
    """A conversation of nothing but a first row; its id. ``base``: with whose bytes it begins."""
    id, folder = made_id(number), top / DAY
    folder.mkdir(parents=True, exist_ok=True)
    if base:
        more["history_base"] = {"thread_id": base, "end_byte_offset": 7}
    row = {"type": "session_meta", "payload": {"id": id, "cwd": "/orchard", **more}}
    (folder / f"rollout-2026-11-30T12-00-00-{id}.jsonl").write_bytes(msgspec.json.encode(row) + b"\n")
    return id


def test_all_helpers_come_along_however_many_and_however_deep(tmp_path: Path) -> None:
    leader = last = made_up(tmp_path, 0)
    began = [leader]
    for number in range(1, 701):
        last = made_up(tmp_path, number, thread_source="subagent", parent_thread_id=began[number // 3])
        began.append(last)
    assert {piece.history for piece in moving.belongings(str(tmp_path), leader).pieces} == set(began)


def test_a_helper_that_began_after_the_clock_was_set_back_comes_along(tmp_path: Path) -> None:
    leader = made_up(tmp_path, 600_000)
    helper = made_up(tmp_path, 0, thread_source="subagent", parent_thread_id=leader)
    pieces = moving.belongings(str(tmp_path), leader).pieces
    assert [piece.history for piece in pieces] == [leader, helper]


def test_all_that_a_chain_of_forks_builds_on_comes_along(tmp_path: Path) -> None:
    chain = [made_up(tmp_path, 0)]
    for number in range(1, 40):
        chain.append(made_up(tmp_path, number, base=chain[-1]))
    found = moving.belongings(str(tmp_path), chain[-1])
    assert [piece.history for piece in found.pieces] == chain[::-1]
    assert found.missing == ()


def test_the_target_is_looked_through_once_however_many_helpers_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "one", tmp_path / "two"
    leader = made_up(source, 0)
    for number in range(1, 9):
        made_up(source, number, thread_source="subagent", parent_thread_id=leader)
    days = [target / f"sessions/2026/12/0{day}" for day in range(1, 6)]
    for day in days:
        day.mkdir(parents=True)
    listed: Counter[Path] = Counter()
    really = rollouts._rollouts_in

    def counted(folder: Path) -> Iterator[Path]:
        listed[folder] += 1
        return really(folder)

    monkeypatch.setattr(rollouts, "_rollouts_in", counted)
    done = asyncio.run(carry(moving, leader, str(source), str(target), tmp_path / "memory"))
    assert done.files == 9
    assert [listed[day] for day in days] == [1] * 5


def test_a_history_is_found_where_the_target_has_it(tmp_path: Path) -> None:
    likely, other = tmp_path / DAY, tmp_path / "sessions/2027/01/01"
    id = made_up(tmp_path, 0)
    other.mkdir(parents=True)
    shutil.copy2(next(likely.iterdir()), other)
    late = made_up(tmp_path, 1)
    (likely / f"rollout-2026-11-30T12-00-00-{late}.jsonl").rename(
        other / f"rollout-2026-11-30T12-00-00-{late}.jsonl"
    )
    random_id = "f47ac10b-58cc-4372-a567-0e02b2c3d479"  # as a time it would lie behind all calendars
    assert rollouts.Rollouts(tmp_path).find(random_id, 10.0) is None
    found = moving.histories(str(tmp_path), [id, late, random_id])
    assert {id: piece.folder for id, piece in found.items()} == {id: DAY, late: "sessions/2027/01/01"}


def test_a_fork_brings_what_it_was_forked_from(tmp_path: Path) -> None:
    source, target = with_parent(tmp_path / "one"), tmp_path / "two"
    target.mkdir()
    found = moving.belongings(str(source), session_id(FORK))
    assert [(piece.history, piece.base_bytes) for piece in found.pieces] == [
        (session_id(FORK), None),
        (PARENT, 94_622),
    ]
    with (source / DAY / parent_of(FORK).name).open("ab") as file:
        file.write(b'{"its own agent":"is just writ')

    asyncio.run(carry(moving, session_id(FORK), str(source), str(target), tmp_path / "memory"))

    copied = (target / DAY / parent_of(FORK).name).read_bytes()
    assert len(copied) == 94_622  # whole rows only
    assert (target / DAY / FORK.name).read_bytes() == FORK.read_bytes()


def test_a_parent_that_went_on_in_the_target_is_left_alone(tmp_path: Path) -> None:
    source, target = with_parent(tmp_path / "one"), tmp_path / "two"
    elsewhere = target / "sessions/2026/12/01" / parent_of(FORK).name
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_bytes((source / DAY / elsewhere.name).read_bytes() + b'{"went":"on"}\n')
    longer = elsewhere.read_bytes()
    done = asyncio.run(carry(moving, session_id(FORK), str(source), str(target), tmp_path / "memory"))
    assert elsewhere.read_bytes() == longer
    assert done.files == 1


def test_a_fork_without_its_parent_is_refused(tmp_path: Path) -> None:
    source, target = home(tmp_path / "one", FORK), home(tmp_path / "two")
    with pytest.raises(CannotCarry, match=f"not whole: the conversation {PARENT}"):
        asyncio.run(carry(moving, session_id(FORK), str(source), str(target), tmp_path / "memory"))
    assert list((target / DAY).iterdir()) == []


def test_talk_is_what_people_and_models_said_or_did() -> None:
    counts = [moving.is_talk(row.data) for row in rows(rollout("11-07-30"))]
    assert not counts[0]  # session_meta
    assert any(counts)
    assert not moving.is_talk(b"damaged")


def test_refusals_are_known_wherever_the_screen_cuts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = (
        "resume failed: This thread was created with a different ChatG\nPT account or"
        " workspace. Sign in with th"
    )
    assert "another ChatGPT account" in moving.refusal(words)
    assert "forked from" in moving.refusal("lineage for 01a2: missing source rollout (code -32600)")
    assert moving.refusal("What is a different ChatGPT account?") == ""
    monkeypatch.setenv("HOME", str(tmp_path))
    assert moving.variables("/home/kim/two") == {"CODEX_HOME": "/home/kim/two"}
