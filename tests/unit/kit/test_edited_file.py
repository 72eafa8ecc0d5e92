"""A person's file is changed in one step, keeps what it was, or is left alone with a sentence."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from controlroom.kit.edited_file import MOST_BYTES, CannotEdit, open_edited, save_edited


def left(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_the_new_text_has_the_mode_of_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_bytes(b"one\r\n\xff")
    path.chmod(0o640)
    file = open_edited(path)
    assert file.text is not None
    save_edited(file, file.text + "two\n")
    assert path.read_bytes() == b"one\r\n\xfftwo\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert left(tmp_path) == ["CLAUDE.md"]


def test_a_new_file_is_made_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    save_edited(open_edited(path), "one\n")
    assert path.read_text() == "one\n"
    save_edited(open_edited(path), None)
    assert left(tmp_path) == []


def test_a_link_stays_and_the_file_behind_it_changes(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("one\n")
    link = tmp_path / "CLAUDE.md"
    link.symlink_to("AGENTS.md")
    save_edited(open_edited(link), "two\n")
    assert link.is_symlink()
    assert (tmp_path / "AGENTS.md").read_text() == "two\n"


@pytest.mark.parametrize("target", ["gone.md", "CLAUDE.md"])
def test_a_link_that_leads_nowhere(tmp_path: Path, target: str) -> None:
    link = tmp_path / "CLAUDE.md"
    link.symlink_to(target)
    with pytest.raises(CannotEdit, match="link"):
        open_edited(link)


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("one\n")
    file, missing = open_edited(path), open_edited(tmp_path / "AGENTS.md")
    path.write_text("somebody else's\n")
    (tmp_path / "AGENTS.md").write_text("somebody else's\n")
    for changed in (file, missing):
        with pytest.raises(CannotEdit, match="changed meanwhile"):
            save_edited(changed, "mine\n")
        assert changed.path.read_text() == "somebody else's\n"


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("one\n")
    path.chmod(0o444)
    with pytest.raises(CannotEdit, match="read-only"):
        save_edited(open_edited(path), "two\n")
    assert (path.read_text(), left(tmp_path)) == ("one\n", ["CLAUDE.md"])


def test_a_read_only_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o555)
    if os.geteuid() == 0:  # may write everywhere: the kernel's answer to everybody else
        monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != tmp_path)
    with pytest.raises(CannotEdit, match="read-only"):
        save_edited(open_edited(tmp_path / "CLAUDE.md"), "one\n")


def test_what_is_no_text_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "utf16").write_bytes("one\n".encode("utf-16"))
    (tmp_path / "long").write_bytes(b"x" * (MOST_BYTES + 1))
    for name, said in (
        ("folder", "is not a file"),
        ("pipe", "is not a file"),
        ("utf16", "is not a UTF-8 text"),
        ("long", "KiB"),
        ("none/CLAUDE.md", "There is no folder"),
    ):
        with pytest.raises(CannotEdit, match=said):
            open_edited(tmp_path / name)


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "CLAUDE.md"
    path.write_text("one\n")
    file = open_edited(path)

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CannotEdit, match="No space left"):
        save_edited(file, "two\n")
    assert (path.read_text(), left(tmp_path)) == ("one\n", ["CLAUDE.md"])
