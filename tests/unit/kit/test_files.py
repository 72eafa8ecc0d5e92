"""What is read is what was checked."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from controlroom.kit.files import NotRegular, open_regular, read_at, read_regular


def test_a_file_is_opened_with_its_real_path_and_size(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a.txt"
    path.write_bytes(b"0123456789")
    opened = open_regular(str(path))
    try:
        assert (opened.path, opened.size) == (str(path), 10)
        assert read_at(opened.fd, 2, 3) == b"234"
        assert read_at(opened.fd, 8, 100) == b"89"
        assert not os.get_inheritable(opened.fd)
    finally:
        os.close(opened.fd)


def test_a_path_through_a_linked_folder_tells_where_the_file_really_lies(tmp_path: Path) -> None:
    real = tmp_path.resolve() / "real"
    real.mkdir()
    (real / "a").write_text("x")
    (tmp_path / "link").symlink_to(real)
    opened = open_regular(str(tmp_path / "link" / "a"))
    os.close(opened.fd)
    assert opened.path == str(real / "a")
    with pytest.raises(NotRegular):
        read_regular(tmp_path.resolve() / "link" / "a", 10)


def test_pipes_devices_sockets_folders_and_links_are_not_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # paths of sockets must be short
    os.mkfifo(tmp_path / "pipe")  # opening it for reading would wait for a writer
    (tmp_path / "link").symlink_to("/etc/hostname")
    (tmp_path / "dangling").symlink_to("nowhere")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s")
        for path in ["pipe", "link", "dangling", "s", ".", "/dev/zero", "/dev/ptmx"]:
            with pytest.raises(NotRegular):
                open_regular(path)
    with pytest.raises(FileNotFoundError):
        open_regular(str(tmp_path / "none"))


def test_the_descriptor_stays_with_its_file_when_the_path_gets_another(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"mine")
    opened = open_regular(str(path))
    try:
        (tmp_path / "other").write_bytes(b"secret")
        os.replace(tmp_path / "other", path)
        assert read_at(opened.fd, 0, 100) == b"mine"
    finally:
        os.close(opened.fd)


def test_a_file_that_was_removed_but_is_still_open_somewhere_is_not_found(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with path.open("wb") as file:
        path.unlink()
        with pytest.raises((FileNotFoundError, NotRegular)):
            open_regular(f"/proc/self/fd/{file.fileno()}")
