"""Which sockets may have a Herdr server behind them."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlroom.node.mux.herdr.servers import Candidates, candidates, config_folder

UID = os.getuid()


@pytest.fixture
def config() -> Iterator[Path]:
    """A config folder with a short path."""
    path = Path(tempfile.mkdtemp(prefix="cr", dir="/tmp"))
    yield path
    shutil.rmtree(path)


def listen(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    return str(path)


def test_every_session_is_found_and_nothing_else(config: Path) -> None:
    main = listen(config / "herdr" / "herdr.sock")
    work = listen(config / "herdr" / "sessions" / "work" / "herdr.sock")
    listen(config / "herdr" / "herdr-client.sock")
    listen(config / "herdr" / "sessions" / "no name" / "herdr.sock")
    (config / "herdr" / "sessions" / "empty").mkdir()
    assert candidates("auto", {"XDG_CONFIG_HOME": str(config)}, UID) == Candidates((main, work))


def test_an_inherited_socket_is_one_more_and_a_setting_wins_over_it(config: Path) -> None:
    main = listen(config / "herdr" / "herdr.sock")
    elsewhere = listen(config / "elsewhere.sock")
    environment = {"XDG_CONFIG_HOME": str(config), "HERDR_SOCKET_PATH": elsewhere, "HERDR_SESSION": "work"}
    assert set(candidates("auto", environment, UID).paths) == {main, elsewhere}
    assert candidates(("default",), environment, UID).paths == (main,)
    assert candidates((elsewhere, "default", "gone"), environment, UID).paths == tuple(
        sorted((main, elsewhere))
    )
    assert candidates((), environment, UID) == Candidates(())


def test_a_socket_of_somebody_else_is_left_alone(config: Path) -> None:
    path = listen(config / "herdr" / "herdr.sock")
    assert candidates("auto", {"XDG_CONFIG_HOME": str(config)}, UID + 1) == Candidates((), (path,))


def test_no_folder_is_the_normal_state_without_herdr(config: Path) -> None:
    assert candidates("auto", {"XDG_CONFIG_HOME": str(config / "nowhere")}, UID) == Candidates(())
    assert candidates("auto", {"XDG_CONFIG_HOME": "/" + "deep/" * 2000}, UID) == Candidates(())


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"XDG_CONFIG_HOME": "/x", "HOME": "/home/ada"}, "/x/herdr"),
        ({"HOME": "/home/ada"}, "/home/ada/.config/herdr"),
        ({"TMPDIR": "/t"}, "/t/herdr"),
    ],
)
def test_where_herdr_keeps_its_sockets(environment: dict[str, str], folder: str) -> None:
    assert str(config_folder(environment)) == folder
