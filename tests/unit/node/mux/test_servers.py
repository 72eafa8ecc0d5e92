"""Which sockets may have a tmux server behind them."""

from __future__ import annotations

import socket
from pathlib import Path

from controlroom.node.mux.tmux.servers import Candidates, candidates


def test_auto_finds_every_socket_of_the_user_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "tmux-7"
    folder.mkdir()
    (folder / "notes.txt").touch()
    for name in ("work", "default"):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(folder / name))
    found = candidates("auto", {"TMUX_TMPDIR": str(tmp_path)}, 7)
    assert found == Candidates((str(folder / "default"), str(folder / "work")))


def test_no_folder_of_sockets_is_the_normal_state_without_tmux(tmp_path: Path) -> None:
    assert candidates("auto", {"TMUX_TMPDIR": str(tmp_path)}, 7) == Candidates(())


def test_the_setting_takes_paths_and_names_as_tmux_does(tmp_path: Path) -> None:
    found = candidates((str(tmp_path / "sock"), "work", "work"), {"TMUX_TMPDIR": str(tmp_path)}, 7)
    assert found.paths == (str(tmp_path / "sock"), str(tmp_path / "tmux-7" / "work"))
