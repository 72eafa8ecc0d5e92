"""A Hermes host of this user, found by reading its settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from controlroom.core.qr import ApiAddress
from controlroom.gateway.hermes_host import find_hermes

LAN = "192.0.2.10"


def host(home: Path, text: str | None, **environ: str) -> ApiAddress | None:
    if text is not None:
        (home / ".hermes").mkdir(exist_ok=True)
        (home / ".hermes" / ".env").write_text(text)
    found = find_hermes(environ, home, reached_as=LAN)
    return None if found is None else found.api


def test_without_its_folder_there_is_none(tmp_path: Path) -> None:
    assert host(tmp_path, None) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (LAN, 8642)),
        ("API_SERVER_HOST=0.0.0.0\nexport API_SERVER_PORT='9000'\n", (LAN, 9000)),
        ("API_SERVER_HOST=localhost", (LAN, 8642)),
        ('API_SERVER_HOST="box.example"', ("box.example", 8642)),
        ("API_SERVER_PORT=99999999999", (LAN, 8642)),
        ("API_SERVER_PORT=-1\n#API_SERVER_HOST=x\nnonsense\n", (LAN, 8642)),
    ],
)
def test_loopback_addresses_are_shown_as_devices_reach_them(
    tmp_path: Path, text: str, expected: tuple[str, int]
) -> None:
    found = host(tmp_path, text)
    assert found is not None
    assert (found.host, found.port) == expected


def test_the_environment_is_stronger_than_the_file(tmp_path: Path) -> None:
    assert host(tmp_path, "API_SERVER_PORT=1", API_SERVER_PORT="2") == ApiAddress(host=LAN, port=2)


def test_key_and_dashboard_are_found_too(tmp_path: Path) -> None:
    host(tmp_path, "API_SERVER_KEY=made-up-key")
    found = find_hermes({}, tmp_path, reached_as="fd00::1")
    assert found is not None
    assert (found.key, found.dashboard_url) == ("made-up-key", "http://[fd00::1]:9119")
