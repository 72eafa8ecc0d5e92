"""A node killed at any moment of a copy: the next call completes it, or all of it can be taken back."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from unittest.mock import patch

from controlroom.node.acts.carrying import carry, forget, take_back
from controlroom.node.agents.claude import moving as claude
from tests.unit.node.acts.profiles_to_move import (
    SESSION,
    full_profile,
    killed_at,
    make_old,
    mark,
    said,
    standing,
    transcript,
    write,
)

Standing = dict[str, tuple[object, ...]]


class Moved:
    """A source, a target with a stub, an older plan and a shorter helper, and what each way should end in."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self.source, self.target = full_profile(top / "one", helpers=("a1",)), top / "two"
        shutil.rmtree(self.source / "file-history")  # fewer files, fewer moments
        self.memory = top / "state" / "op_1.json"
        write(transcript(self.target), mark("opened"))
        write(self.target / "plans" / "green.md", "# Gr")
        write(self.target / "settings.json", "{}")
        make_old(self.target)
        self.as_it_was = standing(self.target)
        self._kept = top / "kept"
        shutil.copytree(self.target, self._kept)
        self.carry()
        asyncio.run(forget(self.memory))
        self.carried = contents(standing(self.target))
        self.reset()

    def reset(self) -> None:
        shutil.rmtree(self.target)
        shutil.copytree(self._kept, self.target)
        make_old(self.target)
        self.memory.unlink(missing_ok=True)

    def carry(self) -> None:
        with patch("os.fsync"):  # slow, and no process sees it
            asyncio.run(carry(claude, SESSION, str(self.source), str(self.target), self.memory))


def contents(found: Standing) -> dict[str, object]:
    return {name: content for name, (content, *_) in found.items()}


def test_killed_at_any_change_it_goes_on_or_back(tmp_path: Path) -> None:
    moved = Moved(tmp_path)
    assert contents(moved.as_it_was) != moved.carried
    moment = 0
    while True:
        with killed_at(moment) as changes:
            moved.carry()
        if len(changes) < moment:
            break
        moved.carry()
        asyncio.run(forget(moved.memory))
        assert contents(standing(moved.target)) == moved.carried, moment
        moved.reset()

        with killed_at(moment):
            moved.carry()
        asyncio.run(take_back(moved.memory))
        assert standing(moved.target) == moved.as_it_was, moment
        moved.reset()
        moment += 1
    assert moment > 30


def test_killed_while_it_is_taken_back_it_is_taken_back_all_the_same(tmp_path: Path) -> None:
    moved = Moved(tmp_path)
    moment = 0
    while True:
        moved.carry()
        with killed_at(moment) as changes:
            asyncio.run(take_back(moved.memory))
        if len(changes) < moment:
            break
        asyncio.run(take_back(moved.memory))
        assert standing(moved.target) == moved.as_it_was, moment
        moved.reset()
        moment += 1
    assert moment > 10


def test_a_session_that_changed_after_the_kill_is_copied_as_it_is_now(tmp_path: Path) -> None:
    moved = Moved(tmp_path)
    with killed_at(25):
        moved.carry()
    with transcript(moved.source).open("a") as file:
        file.write(said(90))
    moved.carry()
    assert transcript(moved.target).read_bytes() == transcript(moved.source).read_bytes()


def test_a_target_that_is_gone_can_still_be_given_up(tmp_path: Path) -> None:
    moved = Moved(tmp_path)
    with killed_at(25):
        moved.carry()
    shutil.rmtree(moved.target)
    asyncio.run(take_back(moved.memory))
    assert not moved.memory.exists()
