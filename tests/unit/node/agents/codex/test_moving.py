"""What a conversation of Codex owns: its rollout, those that it builds on, and those of its helpers."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from controlroom.kit.clock import SystemClock
from controlroom.kit.process import ProcProcesses
from controlroom.node.acts.carrying import CannotCarry, carry
from controlroom.node.agents.codex import moving
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
