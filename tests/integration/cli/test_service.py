"""``controlroom service`` with a service manager that only remembers what it was told."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.cli.conftest import Cli

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd")


class Manager:
    """``says``: the status with which it ends."""

    def __init__(self, folder: Path) -> None:
        self._calls = folder / "calls"
        self._program = folder / "systemctl"
        self.units = folder / "config" / "systemd" / "user"
        self.ends_with(0)

    def ends_with(self, status: int) -> None:
        self._program.write_text(f'#!/bin/sh\necho "$*" >> {self._calls}\necho no bus >&2\nexit {status}\n')
        self._program.chmod(0o755)

    @property
    def calls(self) -> list[str]:
        return self._calls.read_text().splitlines() if self._calls.exists() else []


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    yield Manager(tmp_path)


def test_it_is_shown_installed_looked_at_and_removed(cli: Cli, manager: Manager, home: Path) -> None:
    shown = cli("service", "install", "--show", "--", "--tailscale")
    assert (shown.status, manager.calls, manager.units.exists()) == (0, [], False)
    assert f'"--home" "{home}" "up" "--tailscale"' in shown.out

    refused = cli("service", "install")
    assert (refused.status, manager.calls) == (2, [])
    assert "--yes" in refused.err

    done = cli("service", "install", "--yes", "--", "--cert", "room.pem", "--key", "/etc/room.key")
    assert done.status == 0
    (unit,) = manager.units.iterdir()
    assert stat.S_IMODE(unit.stat().st_mode) == 0o600
    text = unit.read_text()
    assert f'"--cert" "{Path.cwd() / "room.pem"}" "--key" "/etc/room.key"' in text
    assert manager.calls == [
        "--user daemon-reload",
        f"--user enable {unit.name}",
        f"--user restart {unit.name}",
    ]
    assert "loginctl enable-linger" in done.out
    assert not any("linger" in call for call in manager.calls)

    said = json.loads(cli("--json", "service", "status").out)
    assert (said["installed"], said["running"]) == (True, True)
    manager.ends_with(3)
    assert "does not run now" in cli("service", "status").out
    manager.ends_with(0)

    assert cli("service", "uninstall").status == 0
    assert manager.calls[-2:] == [f"--user disable --now {unit.name}", "--user daemon-reload"]
    assert not unit.exists()
    assert "No service is installed" in cli("service", "uninstall").out


def test_what_does_not_work_is_one_sentence(cli: Cli, manager: Manager) -> None:
    manager.ends_with(1)
    failed = cli("service", "install", "--yes")
    assert (failed.status, failed.err.count("\n")) == (1, 1)
    assert "systemctl --user daemon-reload failed: no bus" in failed.err
    wrong = cli("service", "install", "--yes", "--", "--hots", "x")
    assert wrong.status == 2
    assert "No such option" in wrong.err
    assert cli("service", "status", "--", "--tailscale").status == 2


def test_a_machine_without_a_manager_is_told(
    cli: Cli, manager: Manager, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    failed = cli("service", "install", "--yes")
    assert (failed.status, "there is no systemctl here" in failed.err) == (1, True)
    assert not manager.units.exists()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd's own checker")
def test_systemd_itself_understands_the_file(cli: Cli, manager: Manager, tmp_path: Path) -> None:
    assert cli("service", "install", "--yes").status == 0
    (unit,) = manager.units.iterdir()
    checked = subprocess.run(
        ["systemd-analyze", "verify", "--system", "--man=no", str(unit)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    about_it = [line for line in checked.stderr.splitlines() if unit.name in line]
    assert about_it == [], checked.stderr
