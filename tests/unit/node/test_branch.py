"""The git branch of a folder, without git."""

from __future__ import annotations

import os
from pathlib import Path

from controlroom.node.branch import Branches


def repository(path: Path, head: str) -> Path:
    (path / ".git").mkdir(parents=True)
    (path / ".git" / "HEAD").write_text(head)
    return path


def test_the_branch_of_a_folder_inside_a_repository(tmp_path: Path) -> None:
    repo = repository(tmp_path / "orchard", "ref: refs/heads/feature/pears\n")
    (repo / "src").mkdir()
    assert Branches().of(str(repo / "src"), 0) == "feature/pears"


def test_a_worktree_names_its_own_branch(tmp_path: Path) -> None:
    git = tmp_path / "main" / ".git" / "worktrees" / "w"
    git.mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/w\n")
    tree = tmp_path / "w"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {git}\n")
    assert Branches().of(str(tree), 0) == "w"


def test_a_detached_head_has_no_branch(tmp_path: Path) -> None:
    assert Branches().of(str(repository(tmp_path, "0123456789abcdef\n")), 0) is None


def test_a_folder_outside_a_repository_has_no_branch(tmp_path: Path) -> None:
    assert Branches().of(str(tmp_path), 0) is None


def test_a_switch_of_branches_is_seen(tmp_path: Path) -> None:
    repo = repository(tmp_path, "ref: refs/heads/one\n")
    branches = Branches()
    assert branches.of(str(repo), 0) == "one"
    head = repo / ".git" / "HEAD"
    head.write_text("ref: refs/heads/two\n")
    os.utime(head, ns=(1, 1))
    assert branches.of(str(repo), 0) == "two"


def test_a_repository_that_vanishes_is_no_error(tmp_path: Path) -> None:
    repo = repository(tmp_path, "ref: refs/heads/one\n")
    branches = Branches()
    branches.of(str(repo), 0)
    (repo / ".git" / "HEAD").unlink()
    (repo / ".git").rmdir()
    assert branches.of(str(repo), 0) is None
    assert branches.of(str(repo), 0) is None


def test_a_repository_that_is_made_later_is_found_after_a_while(tmp_path: Path) -> None:
    branches = Branches()
    assert branches.of(str(tmp_path), 0) is None
    repository(tmp_path, "ref: refs/heads/one\n")
    assert branches.of(str(tmp_path), 1_000) is None
    assert branches.of(str(tmp_path), 31_000) == "one"
