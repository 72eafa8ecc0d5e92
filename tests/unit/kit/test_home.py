"""The data folder and its lock."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from controlroom.kit.home import Home, HomeError, HomeInUse, HomeLock


def test_the_folder_is_made_private(tmp_path: Path) -> None:
    home = Home(tmp_path / "a" / "b")
    home.prepare()
    assert stat.S_IMODE(home.path.stat().st_mode) == 0o700
    assert stat.S_IMODE(home.log.parent.stat().st_mode) == 0o700


def test_an_open_folder_becomes_private(tmp_path: Path) -> None:
    (tmp_path / "h").mkdir(mode=0o755)
    Home(tmp_path / "h").prepare()
    assert stat.S_IMODE((tmp_path / "h").stat().st_mode) == 0o700


def test_a_folder_whose_socket_path_is_too_long_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(HomeError, match=r"has \d+ bytes and the system allows 100\. Choose a shorter"):
        Home(tmp_path / ("é" * 60)).prepare()


@pytest.mark.parametrize("path", [Path("/"), Path.home()])
def test_a_folder_that_holds_other_things_is_refused(path: Path) -> None:
    with pytest.raises(HomeError, match="cannot be"):
        Home(path).prepare()


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    with pytest.raises(HomeError, match="cannot be used: File exists"):
        Home(tmp_path / "f").prepare()


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path) -> None:
    home = Home(tmp_path / "room")
    home.prepare()
    (home.path / "lock").mkdir()  # what a read-only disk does, for root too: the file cannot be opened
    with pytest.raises(HomeError, match="cannot be written to"), HomeLock(home):
        pass


def test_a_second_control_room_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    said = rf"already runs on .* \(process {os.getpid()}\)"
    with HomeLock(Home(tmp_path)), pytest.raises(HomeInUse, match=said):
        HomeLock(Home(tmp_path)).__enter__()
    with HomeLock(Home(tmp_path)):
        pass


def test_a_killed_one_leaves_no_lock_behind(tmp_path: Path) -> None:
    script = (
        "import os, sys, pathlib; from controlroom.kit.home import *;"
        "HomeLock(Home(pathlib.Path(sys.argv[1]))).__enter__(); os.kill(os.getpid(), 9)"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert ended.returncode == -9
    with HomeLock(Home(tmp_path)):
        pass
