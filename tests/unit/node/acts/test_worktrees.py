"""Worktrees of real git: made once, completed after a kill, removed only when clean."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from controlroom.node.acts.worktrees import CannotMake, Worktree, Worktrees


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Kim", "-c", "user.email=kim@host.example")
    ran = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return ran.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))  # nobody's settings
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    folder = tmp_path / "orchard"
    (folder / "beds").mkdir(parents=True)
    (folder / "beds" / "north.txt").write_text("pears")
    (folder / ".gitignore").write_text("*.env\n")
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Plant pears.")
    return folder


@pytest.fixture
def worktrees(tmp_path: Path) -> Worktrees:
    return Worktrees(tmp_path / "state" / "worktrees")


async def made(worktrees: Worktrees, repository: Path) -> Worktree:
    return await worktrees.make("op_1", str(repository / "beds"), "kim/plums")


async def test_it_lies_beside_on_its_own_branch_and_is_made_once(
    worktrees: Worktrees, repository: Path
) -> None:
    worktree = await made(worktrees, repository)
    assert worktree.path == f"{repository}-kim-plums"
    assert Path(worktree.folder, "north.txt").read_text() == "pears"
    assert git(Path(worktree.path), "branch", "--show-current") == "kim/plums\n"
    assert await made(worktrees, repository) == worktree


async def test_one_that_a_kill_left_half_is_completed(worktrees: Worktrees, repository: Path) -> None:
    worktree = await made(worktrees, repository)
    admin = Path(git(Path(worktree.path), "rev-parse", "--absolute-git-dir").strip())
    (admin / "locked").write_text("initializing")  # what git has while it works
    Path(worktree.folder, "north.txt").unlink()
    assert await made(worktrees, repository) == worktree
    assert Path(worktree.folder, "north.txt").read_text() == "pears"
    assert not (admin / "locked").exists()


async def test_a_clean_one_is_removed_its_branch_stays_and_it_can_come_back(
    worktrees: Worktrees, repository: Path
) -> None:
    worktree = await made(worktrees, repository)
    Path(worktree.folder, "south.txt").write_text("plums")
    git(Path(worktree.path), "add", ".")
    git(Path(worktree.path), "commit", "--quiet", "-m", "Plant plums.")
    assert "the branch kim/plums stays" in await worktrees.remove(worktree.folder)
    assert not Path(worktree.path).exists()
    assert await worktrees.restore(worktree.folder)
    assert Path(worktree.folder, "south.txt").read_text() == "plums"


@pytest.mark.parametrize("name", ["new.txt", "secret.env", "north.txt"])
async def test_what_is_not_committed_keeps_it(worktrees: Worktrees, repository: Path, name: str) -> None:
    worktree = await made(worktrees, repository)
    Path(worktree.folder, name).write_text("not committed, or ignored")
    assert "not committed" in await worktrees.remove(worktree.folder)
    await worktrees.give_up("op_1")
    assert Path(worktree.folder, name).exists()


async def test_one_in_which_another_agent_works_stays(worktrees: Worktrees, repository: Path) -> None:
    """Also one at its top, while the agent that made it worked in a folder of it."""
    worktree = await made(worktrees, repository)
    said = await worktrees.remove(worktree.folder, [str(repository), worktree.path])
    assert "another agent works in it" in said
    assert Path(worktree.path).exists()
    assert "is removed" in await worktrees.remove(worktree.folder, [str(repository)])


async def test_a_start_that_failed_leaves_nothing(worktrees: Worktrees, repository: Path) -> None:
    worktree = await made(worktrees, repository)
    await worktrees.give_up("op_1")
    assert not Path(worktree.path).exists()
    assert git(repository, "branch", "--list", "kim/plums") == ""
    await worktrees.give_up("op_1")
    assert (await made(worktrees, repository)).path == worktree.path


async def test_what_is_not_ours_is_left_alone(worktrees: Worktrees, repository: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "mine", f"{repository}-mine")
    assert await worktrees.remove(f"{repository}-mine") == ""
    assert not await worktrees.restore(f"{repository}-mine")
    with pytest.raises(CannotMake, match="a branch mine already"):
        await worktrees.make("op_1", str(repository), "mine")
    git(repository, "branch", "-m", "mine", "other")
    with pytest.raises(CannotMake, match="is there already"):
        await worktrees.make("op_1", str(repository), "mine")
    assert Path(f"{repository}-mine").exists()


@pytest.mark.parametrize("branch", ["-d", "a b", "a..b", "", "@{-1}"])
async def test_no_name_of_a_branch_is_a_flag_or_damages_git(
    worktrees: Worktrees, repository: Path, branch: str
) -> None:
    with pytest.raises(CannotMake, match="git knows no branches"):
        await worktrees.make("op_1", str(repository), branch)


async def test_a_folder_without_a_repository_is_said(worktrees: Worktrees, tmp_path: Path) -> None:
    with pytest.raises(CannotMake, match="not in a git repository"):
        await worktrees.make("op_1", str(tmp_path), "plums")


@pytest.mark.parametrize(
    ("does", "said"),
    [
        ("head -c 100000 /dev/zero", "git status said more than 4 kB."),
        ("head -c 100000 /dev/zero >&2; exit 1", "it did not say why."),
        ("exec sleep 60", "git status did not answer within 0.5 seconds."),
        ("echo 'fatal: the index is damaged' >&2; exit 128", "the index is damaged"),
    ],
)
async def test_what_git_says_has_an_end_and_the_worktree_stays(
    worktrees: Worktrees,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    does: str,
    said: str,
) -> None:
    worktree = await made(worktrees, repository)
    instead_of_git(tmp_path / "bin", "status", does, monkeypatch)
    monkeypatch.setattr("controlroom.node.acts.worktrees.MOST_BYTES", 4_000)
    if "sleep" in does:
        monkeypatch.setattr("controlroom.node.acts.worktrees.GIT_S", 0.5)
    assert await worktrees.remove(worktree.folder) == f"Its worktree {worktree.path} stays: {said}"
    assert Path(worktree.folder, "north.txt").exists()


async def test_one_that_git_does_not_list_now_is_not_made_anew(
    worktrees: Worktrees, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    worktree = await made(worktrees, repository)
    Path(worktree.folder, "south.txt").write_text("plums")
    instead_of_git(tmp_path / "bin", "worktree list", "echo 'fatal: no memory' >&2; exit 1", monkeypatch)
    with pytest.raises(CannotMake, match="git could not list its worktrees: no memory"):
        await made(worktrees, repository)
    assert Path(worktree.folder, "south.txt").read_text() == "plums"


def instead_of_git(folder: Path, words: str, does: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For one command of git another program answers."""
    folder.mkdir()
    stub = folder / "git"
    stub.write_text(
        f'#!/bin/sh\ncase "$*" in "{words}"*) {does};; *) exec {shutil.which("git")} "$@";; esac\n'
    )
    stub.chmod(0o700)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
