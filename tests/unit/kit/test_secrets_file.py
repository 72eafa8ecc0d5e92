"""A random secret in a private file."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.kit.secrets_file import read_or_make


def test_it_is_made_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    assert read_or_make(path, lambda: b"x" * 32, shortest=16) == b"x" * 32
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_or_make(path, lambda: b"y" * 32, shortest=16) == b"x" * 32
    assert [file.name for file in tmp_path.iterdir()] == ["secret"]


def test_one_that_is_too_short_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"short")
    assert read_or_make(path, lambda: b"y" * 32, shortest=16) == b"y" * 32


def test_one_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_bytes(b"x" * 32)
    path.chmod(0o644)
    read_or_make(path, lambda: b"", shortest=16)
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        read_or_make(tmp_path / "none" / "secret", lambda: b"x" * 32, shortest=16)
