"""A second computer's command line: it logs in with a code, and every command works from there."""

from __future__ import annotations

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from tests.integration.devices.conftest import Cli, Room
from tests.support.certificates import Certificate


def code_of(room: Room, cli: Cli) -> str:
    made = cli("--home", str(room.house.home.path), "pair", "--json")
    return str(json.loads(made.out)["code"])


def logged_in(room: Room, cli: Cli, *addresses: str, name: str = "desk") -> None:
    done = cli("login", *addresses, "--as", name, typed=f"{code_of(room, cli)}\n")
    assert done.status == 0, done.err


def files(tmp_path: Path) -> dict[str, int]:
    return {
        path.name: stat.S_IMODE(path.stat().st_mode)
        for path in (tmp_path / "config").rglob("*")
        if path.is_file()
    }


def test_every_command_works_over_the_network(room: Room, cli: Cli) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    assert "shop" in cli("fleet").out
    assert cli("screen", "shop", "--hub", "desk").status == 0
    sent = cli("send", "shop", "Go on", "--json")
    assert json.loads(sent.out)["state"] == "accepted", sent.err
    devices = json.loads(cli("devices", "--json").out)
    assert [device["id"] for device in devices["devices"]] == [devices["current"]]
    assert devices["devices"][0]["kind"] == "cli"
    assert "this one" in cli("devices").out


def test_what_only_the_host_may_is_refused_in_words(room: Room, cli: Cli) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    for command in (("pair",), ("pair", "pending"), ("pair", "approve", "AB12CD")):
        refused = cli(*command, "--json")
        assert refused.status == 1
        assert json.loads(refused.err)["code"] == "not_allowed"


def test_what_runs_there_is_shown(room: Room, cli: Cli) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    told = cli("status", "--json")
    assert told.status == 0, told.err
    assert json.loads(told.out)["agents"] == 1


def test_the_token_lies_in_a_private_file(room: Room, cli: Cli, tmp_path: Path) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    assert files(tmp_path) == {"desk.json": 0o600, "default": 0o600}
    folder = tmp_path / "config" / "controlroom" / "logins"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_room_that_runs_here_comes_first_and_a_named_one_before_it(
    room: Room, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    monkeypatch.setenv("CONTROLROOM_HOME", str(room.house.home.path))
    assert json.loads(cli("devices", "--json").out).get("current") is None  # over the socket
    assert json.loads(cli("devices", "--json", "--hub", "desk").out)["current"]
    monkeypatch.setenv("CONTROLROOM_HUB", "desk")
    assert json.loads(cli("devices", "--json").out)["current"]
    unknown = cli("--hub", "nowhere", "fleet")
    assert unknown.status == 1 and "There are: desk." in unknown.err


def test_a_self_signed_certificate_is_remembered(room: Room, cli: Cli, tmp_path: Path) -> None:
    port = room.door(Certificate(tmp_path).server())
    address = f"https://127.0.0.1:{port}"
    done = cli("login", address, "--as", "desk", typed=f"{code_of(room, cli)}\n")
    assert done.status == 0 and done.out.count(":") > 31, done.out  # the fingerprint
    assert "shop" in cli("fleet").out
    room.shut_doors()
    room.door(Certificate(tmp_path, stem="other").server(), port)
    other = cli("fleet")
    assert other.status == 3 and "another certificate" in other.err
    room.shut_doors()
    room.door(port=port)  # the same port, plain: no silent step down
    plain = cli("fleet")
    assert plain.status == 3 and "TLS" in plain.err


def test_addresses_are_tried_in_turn(room: Room, cli: Cli, tmp_path: Path) -> None:
    certificate = Certificate(tmp_path)
    first, second = room.door(certificate.server()), room.door(certificate.server())
    urls = [f"https://127.0.0.1:{port}" for port in (first, second)]
    logged_in(room, cli, *urls)
    assert [row["addresses"] for row in json.loads(cli("login", "--json").out)] == [urls]
    room.shut_doors()
    room.door(certificate.server(), second)
    assert "shop" in cli("fleet").out
    room.shut_doors()
    away = cli("fleet")
    assert away.status == 3 and all(url in away.err for url in urls)


def addresses(cli: Cli) -> list[str]:
    (row,) = json.loads(cli("login", "--json").out)
    return list(row["addresses"])


def free_port() -> int:
    """A port at which nobody listens now."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_the_typed_order_stays_whoever_answers_at_the_login(room: Room, cli: Cli, tmp_path: Path) -> None:
    certificate = Certificate(tmp_path)
    away, here = free_port(), room.door(certificate.server())
    urls = [f"https://127.0.0.1:{port}" for port in (away, here)]
    done = cli("login", *urls, "--as", "desk", typed=f"{code_of(room, cli)}\n")
    assert done.status == 0 and f"{urls[0]} cannot be reached" in done.out and "kept" in done.out
    assert addresses(cli) == urls
    assert "shop" in cli("fleet").out
    room.shut_doors()
    room.door(certificate.server(), away)  # the same certificate as at the login: the same control room
    assert "shop" in cli("fleet").out


def test_a_certificate_that_nobody_saw_at_the_login_is_not_taken_later(
    room: Room, cli: Cli, tmp_path: Path
) -> None:
    away, here = free_port(), room.door(Certificate(tmp_path).server())
    urls = [f"https://127.0.0.1:{port}" for port in (away, here)]
    logged_in(room, cli, *urls)
    room.door(Certificate(tmp_path, stem="other").server(), away)
    assert "shop" in cli("fleet").out  # the next in turn
    room.shut_doors()
    room.door(Certificate(tmp_path, stem="third").server(), away)
    refused = cli("fleet")
    assert refused.status == 3 and "not seen at the login" in refused.err


def test_plain_addresses_keep_their_order_too(room: Room, cli: Cli) -> None:
    urls = [f"http://127.0.0.1:{port}" for port in (free_port(), room.door())]
    logged_in(room, cli, *urls)
    assert addresses(cli) == urls
    assert "shop" in cli("fleet").out


def test_https_is_never_stepped_down_from(room: Room, cli: Cli, tmp_path: Path) -> None:
    port = room.door(Certificate(tmp_path).server())
    plain = room.door()
    logged_in(room, cli, f"https://127.0.0.1:{port}", f"http://127.0.0.1:{plain}")
    room.shut_doors()
    room.door(port=plain)
    assert cli("fleet").status == 3


def test_plain_http_over_a_network_must_be_asked_for(cli: Cli) -> None:
    refused = cli("login", "http://192.0.2.1:8767", typed="AB12CD\n")
    assert refused.status == 1 and "--plain-http" in refused.err


def test_an_address_without_scheme_is_https(room: Room, cli: Cli) -> None:
    port = room.door()
    refused = cli("login", f"127.0.0.1:{port}", typed=f"{code_of(room, cli)}\n")
    assert refused.status == 3 and f"https://127.0.0.1:{port}" in refused.err
    assert json.loads(cli("login", "--json").out) == []


@pytest.mark.parametrize("typed", ["ZZZZZZ\n", "", "\n"])
def test_a_wrong_code_logs_nobody_in(room: Room, cli: Cli, tmp_path: Path, typed: str) -> None:
    refused = cli("login", f"http://127.0.0.1:{room.door()}", typed=typed)
    assert refused.status == 1 and "code" in refused.err
    assert files(tmp_path) == {}


def test_a_link_brings_its_code_along(room: Room, cli: Cli) -> None:
    link = f"http://localhost:{room.door()}/app/#pair={code_of(room, cli)}"
    assert cli("login", link).status == 0
    assert "shop" in cli("fleet").out


def test_logging_in_again_replaces_the_device(room: Room, cli: Cli) -> None:
    address = f"http://127.0.0.1:{room.door()}"
    logged_in(room, cli, address)
    logged_in(room, cli, address)
    assert len(json.loads(cli("devices", "--json").out)["devices"]) == 1


def test_who_was_revoked_is_told_so(room: Room, cli: Cli) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    home = ("--home", str(room.house.home.path))
    device = json.loads(cli(*home, "devices", "--json").out)["devices"][0]
    assert cli(*home, "devices", "revoke", device["prefix"]).status == 0
    out = cli("fleet", "--json")
    assert out.status == 1 and json.loads(out.err)["code"] == "not_paired"
    watch = cli("fleet", "--watch", "--json")
    assert watch.status == 1 and json.loads(watch.err)["code"] == "not_paired"


def test_a_login_can_be_forgotten(room: Room, cli: Cli, tmp_path: Path) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    assert cli("login", "--forget", "desk").status == 0
    assert "desk.json" not in files(tmp_path)
    assert cli("login", "--forget", "../desk").status == 1
    assert "No login yet" in cli("login").out


def test_a_file_that_cannot_be_read_is_no_login(room: Room, cli: Cli, tmp_path: Path) -> None:
    logged_in(room, cli, f"http://127.0.0.1:{room.door()}")
    (path,) = (tmp_path / "config").rglob("desk.json")
    path.write_text("{")
    assert cli("fleet").status == 3
    os.chmod(path, 0o600)
    assert "no login" in cli("--hub", "desk", "fleet").err
