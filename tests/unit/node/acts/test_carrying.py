"""A session's files in another profile: all of them with their times, or the target as it was."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from controlroom.node.acts.carrying import CannotCarry, Carried, carry, forget, take_back
from controlroom.node.agents.claude import moving as claude
from tests.unit.node.acts.profiles_to_move import (
    SESSION,
    SLUG,
    full_disk,
    full_profile,
    make_old,
    mark,
    names,
    said,
    standing,
    times,
    transcript,
    write,
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return full_profile(tmp_path / "one")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    folder = tmp_path / "two"
    write(folder / "settings.json", "{}")
    make_old(folder)
    return folder


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    return tmp_path / "state" / "moves" / "op_1.json"


def carried(source: Path, target: Path, memory: Path) -> Carried:
    return asyncio.run(carry(claude, SESSION, str(source), str(target), memory))


def test_lesson_copies_keep_times(source: Path, target: Path, memory: Path) -> None:
    """Spec 11: everything of the session arrives with its times, folders too, and nothing else does."""
    before = standing(source)

    done = carried(source, target, memory)
    asyncio.run(forget(memory))

    own = {name for name in names(source) if SESSION in name} | {"plans/green.md"}
    assert names(target) == own | {"settings.json"}
    assert {name: time for name, time in times(target).items() if name != "settings.json"} == {
        name: time for name, time in times(source).items() if name in times(target)
    }
    assert all((target / name).read_bytes() == (source / name).read_bytes() for name in own)
    assert standing(source) == before
    assert done.files == len(own) == 7
    assert done.text.startswith("7 files copied (")
    assert not memory.exists()


def test_asked_again_it_says_the_same_and_does_nothing(source: Path, target: Path, memory: Path) -> None:
    done = carried(source, target, memory)
    before = standing(target)
    assert carried(source, target, memory) == done
    assert standing(target) == before


def test_a_stub_in_the_target_makes_way_and_is_kept_wherever_it_lies(
    source: Path, target: Path, memory: Path
) -> None:
    stub = write(transcript(target, "-older-spelling"), mark("opened"))
    make_old(target)

    done = carried(source, target, memory)
    asyncio.run(forget(memory))

    assert stub.read_bytes() == transcript(source).read_bytes()
    (backup,) = done.backups
    assert Path(backup).read_text() == mark("opened")
    assert Path(backup).name == f"{SESSION}.jsonl.before-move"
    assert "kept as a backup: 1 file" in done.text
    # What lies beside the history goes along; no second history of the session is made.
    assert (stub.parent / SESSION / "subagents" / "agent-a1.jsonl").exists()
    assert not transcript(target).exists()


def test_the_longer_history_of_the_target_goes_on(source: Path, target: Path, memory: Path) -> None:
    text = transcript(source).read_text() + said(8) + said(9)
    write(transcript(target), text)
    done = carried(source, target, memory)
    assert transcript(target).read_text() == text
    assert "own history goes on, 2 entries longer" in done.text
    assert (target / "plans" / "green.md").exists()


def test_a_way_there_and_back_leaves_no_litter(source: Path, target: Path, memory: Path) -> None:
    carried(source, target, memory)
    asyncio.run(forget(memory))
    with transcript(target).open("a") as file:
        file.write(said(50))
    expected = names(source)

    done = carried(target, source, memory)
    asyncio.run(forget(memory))

    assert names(source) == expected
    assert transcript(source).read_bytes() == transcript(target).read_bytes()
    assert done.files == 1
    assert done.backups == ()


@pytest.mark.parametrize("linked", [".", "projects"])
def test_the_same_folder_through_a_link_is_left_alone(
    source: Path, target: Path, memory: Path, linked: str
) -> None:
    if linked == ".":
        shutil.rmtree(target)
        target.symlink_to(source)
    else:
        shutil.copytree(source, target, dirs_exist_ok=True)
        shutil.rmtree(target / linked)
        (target / linked).symlink_to(source / linked)
    make_old(source)
    before = standing(source)
    done = carried(source, target, memory)
    assert done.files == 0
    assert "nothing was copied" in done.text
    assert standing(source) == before


def _no_source(source: Path, target: Path) -> None:
    shutil.rmtree(source)


def _no_history(source: Path, target: Path) -> None:
    transcript(source).unlink()


def _no_target(source: Path, target: Path) -> None:
    shutil.rmtree(target)


def _went_another_way(source: Path, target: Path) -> None:
    write(transcript(target), "".join(said(number) for number in range(100, 120)))


def _in_the_way(source: Path, target: Path) -> None:
    write(target / "projects", "not a folder")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_no_source, "no history"),
        (_no_history, "no history"),
        (_no_target, "target profile is gone"),
        (_went_another_way, "goes further"),
        (_in_the_way, "could not be copied|cannot be"),
    ],
)
def test_what_cannot_go_is_said_and_changes_nothing(
    source: Path, target: Path, memory: Path, spoil: Callable[[Path, Path], None], words: str
) -> None:
    spoil(source, target)
    before = standing(target)
    with pytest.raises(CannotCarry, match=words):
        carried(source, target, memory)
    assert standing(target) == before
    assert not memory.exists()


def test_a_disk_that_gets_full_leaves_the_target_as_it_was(source: Path, target: Path, memory: Path) -> None:
    write(transcript(target), mark("opened"))
    make_old(target)
    before = standing(target)
    for number in range(7):
        with full_disk(number), pytest.raises(CannotCarry, match=r"full\. The target is as it was"):
            carried(source, target, memory)
        assert standing(target) == before
        assert not memory.exists()


def test_a_folder_that_refuses_leaves_the_target_as_it_was(
    source: Path, target: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (target / "plans").mkdir()
    make_old(target)
    before = standing(target)
    real = os.open

    def refusing(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_CREAT and "/two/plans/" in str(path):  # also where root runs, who may do all
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, mode)

    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(CannotCarry, match=r"green\.md.* cannot be read or written"):
        carried(source, target, memory)
    assert standing(target) == before


def test_a_session_that_is_still_written_to_is_not_moved(
    source: Path, target: Path, memory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, looks = standing(target), []
    real = claude.belongings

    def and_then_it_grows(profile: str, session_id: str) -> object:
        looks.append(profile)
        if len(looks) == 2:
            write(transcript(source), transcript(source).read_text() + said(6))
            write(source / "projects" / SLUG / SESSION / "late.json", "{}")
        return real(profile, session_id)

    monkeypatch.setattr(claude, "belongings", and_then_it_grows)
    with pytest.raises(CannotCarry, match="still writes"):
        carried(source, target, memory)
    assert standing(target) == before


def test_taken_back_the_target_is_as_it_was(source: Path, target: Path, memory: Path) -> None:
    write(transcript(target), mark("opened"))
    write(target / "plans" / "green.md", "# Gr")
    make_old(target)
    before = standing(target)
    carried(source, target, memory)
    asyncio.run(take_back(memory))
    assert standing(target) == before
    asyncio.run(take_back(memory))
    assert standing(target) == before


def test_what_was_written_to_in_the_target_is_not_taken_back(
    source: Path, target: Path, memory: Path
) -> None:
    write(transcript(target), mark("opened"))
    carried(source, target, memory)
    with transcript(target).open("a") as file:
        file.write(said(60))
    grown = transcript(target).read_bytes()
    asyncio.run(take_back(memory))
    assert transcript(target).read_bytes() == grown
