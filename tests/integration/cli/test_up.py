"""``controlroom up`` that cannot start says why in one line; one that can says what to do next."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.cli.conftest import Ran
from tests.support.tmux import TmuxFolder

PROGRAM = [sys.executable, "-m", "controlroom.cli.main"]


def up(folder: TmuxFolder, *arguments: str, **more: str) -> Ran:
    done = subprocess.run(
        [*PROGRAM, *arguments],
        env=folder.environment | more,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("config", "more", "said"),
    [
        ("[door]\nport = 'x'", {}, "door.port cannot be 'x'; allowed: a port"),
        ("[dor]\nport = 1", {}, "[dor] is not a section"),
        ("port = ", {}, "config.toml is not valid TOML"),
        ("", {"CONTROLROOM_DOOR_PORT": "many"}, "door.port cannot be 'many'"),
        ("", {"CONTROLROOM_DOOR_PRT": "1"}, "did you mean door.port?"),
    ],
)
def test_a_bad_setting(
    home: Path, tmux_folder: TmuxFolder, config: str, more: dict[str, str], said: str
) -> None:
    (home / "config.toml").write_text(config)
    ran = up(tmux_folder, "--home", str(home), "up", "--port", "0", **more)
    assert (ran.status, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.count("\n") == 1


def test_a_folder_that_is_too_deep(home: Path, tmux_folder: TmuxFolder) -> None:
    ran = up(tmux_folder, "--home", str(home / ("x" * 100)), "up", "--port", "0")
    assert (ran.status, "is too deep" in ran.err, ran.err.count("\n")) == (1, True, 1)


def test_a_port_that_is_taken(home: Path, tmux_folder: TmuxFolder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = up(tmux_folder, "--home", str(home), "up", "--port", str(port))
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert f"Port {port} is taken" in ran.err


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--host", "192.168.77.5"], 2, "--plain-http"),
        (["--host", "0.0.0.0", "--plain-http"], 2, "--public"),
        (["--host", "desk.local"], 2, "is not an address"),
        (["--host", "192.0.2.77", "--public", "--plain-http"], 1, "is not an address of this machine"),
        (["--cert", "room.pem"], 2, "belong together"),
        (["--cert", "room.pem", "--key", "room.key"], 1, "room.pem cannot be read"),
    ],
)
def test_a_door_that_cannot_be(
    home: Path, tmux_folder: TmuxFolder, options: list[str], status: int, said: str
) -> None:
    ran = up(tmux_folder, "--home", str(home), "up", "--port", "0", *options)
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    assert said in ran.err


def test_a_damaged_database(home: Path, tmux_folder: TmuxFolder) -> None:
    (home / "hub.sqlite").write_bytes(b"not a database" * 1000)
    ran = up(tmux_folder, "--home", str(home), "up", "--port", "0")
    assert (ran.status, "Traceback" in ran.err, ran.err.count("\n")) == (1, False, 1)


def test_what_is_missing_is_said_at_once(home: Path, tmux_folder: TmuxFolder, tmp_path: Path) -> None:
    (tmp_path / "tmux").write_text("#!/bin/sh\necho tmux 2.9a\n")
    (tmp_path / "tmux").chmod(0o755)
    process = subprocess.Popen(
        [*PROGRAM, "--home", str(home), "up", "--port", "0"],
        env=tmux_folder.environment | {"PATH": f"{tmp_path}:/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert lines[0].startswith("Control Room is ready at ")
    assert lines[1] == "Trouble: tmux 2.9a is too old; 3.2 or newer is needed.\n"
    assert "doctor" in lines[2]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ready_then_what_to_type_and_a_clean_end(
    home: Path, tmux_folder: TmuxFolder, number: signal.Signals
) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "--home", str(home), "up", "--port", "0"],
        env=tmux_folder.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    said = ""
    while "No device is paired yet" not in said:
        line = process.stdout.readline()
        assert line, process.communicate()
        said += line
    assert said.splitlines()[0].startswith("Control Room is ready at http://localhost:")
    assert "/app/" in said.splitlines()[0]
    assert "tmux new -s work claude" in said
    assert "demo" in said
    process.send_signal(number)
    rest, trouble = process.communicate(timeout=60)
    assert (process.returncode, rest, trouble) == (0, "Closing. Your agents go on.\n", "")


def test_for_scripts_only_the_address(home: Path, tmux_folder: TmuxFolder) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "--home", str(home), "up", "--port", "0", "--json"],
        env=os.environ | tmux_folder.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["url"].startswith("http://localhost:")
    process.terminate()
    rest, _ = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "")


def test_a_reader_that_leaves_does_not_end_it(home: Path, tmux_folder: TmuxFolder) -> None:
    process = subprocess.Popen(
        [*PROGRAM, "--home", str(home), "up", "--port", "0"],
        env=tmux_folder.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"Control Room is ready")
    process.stdout.close()
    asked = up(tmux_folder, "--home", str(home), "status", "--json")
    assert json.loads(asked.out)["pid"] == process.pid
    process.terminate()
    assert (process.wait(60), process.stderr.read()) == (0, b"")
    process.stderr.close()
