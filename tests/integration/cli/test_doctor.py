"""``controlroom doctor``: each thing that can be missing or odd is found, named, and has a fix."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from controlroom.app.doctor import checks
from controlroom.app.doctor_check import Check
from controlroom.cli.doctor import render_checks
from controlroom.hub.store.tables import SCHEMA
from controlroom.kit.clock import FakeClock
from controlroom.kit.home import Home
from controlroom.kit.schema import prepare
from controlroom.wire.model import Fleet, Health
from tests.integration.cli.conftest import Cli
from tests.integration.cli.stub_hub import StubHub
from tests.support.tmux import TmuxFolder
from tests.unit.cli.agents import NOW, agent, fleet


def diagnose(home: Path, environment: dict[str, str]) -> dict[str, Check]:
    """The findings by name; of several with one name the worst."""
    found = asyncio.run(checks(Home(home), environment))
    order = ("ok", "note", "wrong")
    return {check.name: check for check in sorted(found, key=lambda check: order.index(check.state))}


def test_a_healthy_machine_without_a_control_room(home: Path, tmux_folder: TmuxFolder) -> None:
    home.chmod(0o700)
    found = diagnose(home, tmux_folder.environment)
    assert {name: check.state for name, check in found.items()} == {
        "python": "ok",
        "tmux": "ok",
        "tmux servers": "note",
        "settings": "ok",
        "data folder": "ok",
        "checker": "ok",
        "control room": "note",
    }
    assert found["tmux servers"].fix == "Start an agent: tmux new -s work claude"
    assert found["control room"].fix == "Start it: controlroom up"


def test_no_model_is_a_normal_state(home: Path, tmux_folder: TmuxFolder) -> None:
    found = diagnose(home, tmux_folder.environment)
    assert found["checker"] == Check(
        "checker", "ok", "No model is configured: open questions are closed by rules alone."
    )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"MODEL": "anthropic:haiku"}, "needs a key"),
        ({"MODEL": "claude:haiku", "KEY_ENV": "MY_KEY"}, "needs the program claude"),
        ({"MODEL": "openai:x", "URL": "http://192.168.1.5/v1"}, "in the clear"),
        ({"MODEL": "openai:x", "KEY_ENV": "NOT_SET"}, "NOT_SET"),
        ({"MODEL": "openai:x", "KEY_FILE": "open-key"}, "chmod 600"),
    ],
)
def test_a_model_that_cannot_be_asked(
    home: Path, tmux_folder: TmuxFolder, settings: dict[str, str], said: str
) -> None:
    (home / "open-key").write_text("sk-invented")
    (home / "open-key").chmod(0o644)
    set_ = {f"CONTROLROOM_CHECKER_{name}": value for name, value in settings.items()}
    check = diagnose(home, tmux_folder.environment | set_ | {"MY_KEY": "sk-invented"})["checker"]
    assert check.state == "wrong" and said in check.text and check.fix
    assert "sk-invented" not in check.text


def test_a_local_model_needs_no_key(home: Path, tmux_folder: TmuxFolder) -> None:
    settings = {"CONTROLROOM_CHECKER_MODEL": "openai:qwen3", "CONTROLROOM_CHECKER_URL": "http://[::1]:1/v1"}
    check = diagnose(home, tmux_folder.environment | settings)["checker"]
    assert (check.state, check.text) == ("ok", "openai:qwen3, at most 200 calls a day")


def test_tmux_missing(home: Path, tmux_folder: TmuxFolder) -> None:
    found = diagnose(home, tmux_folder.environment | {"PATH": "/nowhere"})
    assert (found["tmux"].state, "not installed" in found["tmux"].text) == ("wrong", True)
    assert "apt-get install tmux" in found["tmux"].fix


def test_tmux_too_old(home: Path, tmux_folder: TmuxFolder) -> None:
    old = tmux_folder.path / "bin" / "tmux"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho tmux 3.0a\n")
    old.chmod(0o755)
    found = diagnose(home, tmux_folder.environment | {"PATH": str(old.parent)})
    assert found["tmux"].state == "wrong"
    assert "3.2 or newer" in found["tmux"].text


def test_each_tmux_server_and_a_hook_that_our_client_would_run(home: Path, tmux_folder: TmuxFolder) -> None:
    server = tmux_folder.server("work")
    server.session("one")
    server.run("set-hook", "-g", "client-attached", "display-message hello")
    found = diagnose(home, tmux_folder.environment)
    assert found["tmux servers"].state == "ok"
    assert "/work: version " in found["tmux servers"].text
    assert found["tmux hooks"].state == "note"
    assert "display-message hello" in found["tmux hooks"].text
    assert "client_control_mode" in found["tmux hooks"].fix
    assert server.clients() == []  # it only looks


def test_a_socket_that_no_tmux_answers(home: Path, tmux_folder: TmuxFolder) -> None:
    import socket

    tmux_folder.sockets.mkdir()
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmux_folder.sockets / "odd"))
        door.listen()
        found = diagnose(home, tmux_folder.environment)
    assert found["tmux servers"].state == "wrong"


def test_a_data_folder_that_others_can_read(home: Path, tmux_folder: TmuxFolder) -> None:
    home.chmod(0o755)
    found = diagnose(home, tmux_folder.environment)["data folder"]
    assert (found.state, found.fix) == ("wrong", f"chmod 700 {home}")


def test_a_data_folder_that_is_too_deep(home: Path, tmux_folder: TmuxFolder) -> None:
    found = diagnose(home / ("x" * 100), tmux_folder.environment)["data folder"]
    assert (found.state, "too deep" in found.text) == ("wrong", True)


def test_a_bad_setting(home: Path, tmux_folder: TmuxFolder) -> None:
    (home / "config.toml").write_text("[door]\nport = 99999\n")
    found = diagnose(home, tmux_folder.environment)["settings"]
    assert (found.state, "door.port" in found.text) == ("wrong", True)


def test_databases(home: Path, tmux_folder: TmuxFolder) -> None:
    from sqlalchemy import create_engine

    path = home / "hub.sqlite"
    engine = create_engine(f"sqlite:///{path}")
    prepare(engine, SCHEMA, path, FakeClock())
    engine.dispose()
    assert diagnose(home, tmux_folder.environment)["database"].text == f"hub.sqlite, schema {SCHEMA.head}"
    path.write_bytes(b"not a database at all" * 100)
    damaged = diagnose(home, tmux_folder.environment)["database"]
    assert (damaged.state, "backups/" in damaged.fix) == ("wrong", True)


def test_config_folders_of_the_agents(home: Path, hub: StubHub, tmux_folder: TmuxFolder) -> None:
    profile = tmux_folder.path / "profile"
    profile.mkdir()
    hub.fleet = fleet(agent("a", profile=str(profile)))
    assert diagnose(home, tmux_folder.environment)["agents' folders"].text == f"{profile} can be read"
    if os.getuid():  # nothing is unreadable for root
        profile.chmod(0)
        assert diagnose(home, tmux_folder.environment)["agents' folders"].state == "wrong"
        profile.chmod(0o700)
        (profile / "projects").mkdir(mode=0)
        shut = diagnose(home, tmux_folder.environment)["agents' folders"]
        assert (shut.state, str(profile / "projects") in shut.text) == ("wrong", True)


def test_the_running_control_room_and_its_health(home: Path, hub: StubHub, cli: Cli) -> None:
    import msgspec

    home.chmod(0o700)
    item = Health(code="disk", title="The disk is full", since_ms=NOW, do="Make room.")
    hub.fleet = Fleet(seq=1, machines=(), agents=())
    hub.status = msgspec.structs.replace(hub.status, version="9.9.9", health=(item,))
    ran = cli("doctor", "--json")
    found = {check["name"]: check for check in json.loads(ran.out)}
    assert ran.status == 1
    assert (found["health"]["state"], found["health"]["fix"]) == ("wrong", "Make room.")
    assert "9.9.9" in found["control room"]["text"]
    shown = cli("doctor").out
    assert "▲ health" in shown
    assert "→ Make room." in shown


def test_drawn_at_80_columns() -> None:
    found = [
        Check("tmux", "ok", "tmux 3.3a at /usr/bin/tmux"),
        Check("data folder", "wrong", "It is too deep: " + "x " * 60, "Choose a shorter one."),
    ]
    drawn = render_checks(found, 80, False)
    assert drawn[0] == "✓ tmux         tmux 3.3a at /usr/bin/tmux"
    assert drawn[1].startswith("▲ data folder  It is too deep: x x")
    assert "               → Choose a shorter one." in drawn
    assert drawn[-1] == "1 thing to put right."
    assert all(len(entry) <= 80 for entry in drawn)


@pytest.mark.parametrize("count", [0, 2])
def test_the_verdict(count: int) -> None:
    drawn = render_checks([Check("a", "wrong", "b")] * count, 80, True)
    assert drawn[-1] == ("Nothing is wrong." if not count else "2 things to put right.")
