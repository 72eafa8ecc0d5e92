"""The control room as a service of the person's own session: written, started, looked at, taken away."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec

from controlroom.core.service import Service, kept, launchd_agent, systemd_unit
from controlroom.core.text import clean_line
from controlroom.kit.home import Home, default_path
from controlroom.kit.secrets_file import write_private

ANSWER_S: Final = 30.0  # the manager waits for the old one to end

Manager = Literal["systemd", "launchd"]


class ServiceError(Exception):
    """It did not work; the text is one sentence for people."""


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be written where, and which commands make it so. ``notes`` are for the person."""

    manager: Manager
    path: Path
    name: str
    text: str
    start: tuple[tuple[str, ...], ...]
    stop: tuple[tuple[str, ...], ...]
    look: tuple[str, ...]
    notes: tuple[str, ...] = ()


def plan(home: Home, arguments: Sequence[str], environ: Mapping[str, str], platform: str) -> Plan:
    """The service of this data folder. ``arguments``: of ``up``. Raises ServiceError."""
    is_default = home.path == default_path()
    tail = "" if is_default else "-" + hashlib.blake2b(os.fsencode(home.path), digest_size=4).hexdigest()
    service = Service(
        label=f"controlroom{tail}",
        command=(sys.executable, "-m", "controlroom.cli.main", "--home", str(home.path), "up", *arguments),
        environment=kept(environ),
    )
    user_home = Path(environ.get("HOME") or Path.home())
    try:
        if platform == "darwin":
            return _launchd(service, user_home)
        return _systemd(service, Path(environ.get("XDG_CONFIG_HOME") or user_home / ".config"))
    except ValueError as error:
        raise ServiceError(f"{error}, which a service cannot have") from None


def _systemd(service: Service, config: Path) -> Plan:
    name = f"{service.label}.service"
    manager = ("systemctl", "--user")
    return Plan(
        manager="systemd",
        path=config / "systemd" / "user" / name,
        name=name,
        text=systemd_unit(service),
        start=((*manager, "daemon-reload"), (*manager, "enable", name), (*manager, "restart", name)),
        stop=((*manager, "disable", "--now", name),),
        look=(*manager, "is-active", name),
        notes=(
            "It runs while you are logged in. To keep it running after you log out, and to start it with the "
            "machine, allow that yourself: loginctl enable-linger",
        ),
    )


def _launchd(service: Service, user_home: Path) -> Plan:
    label = f"org.{service.label}"
    path = user_home / "Library" / "LaunchAgents" / f"{label}.plist"
    domain = f"gui/{os.getuid()}"
    return Plan(
        manager="launchd",
        path=path,
        name=label,
        text=launchd_agent(msgspec.structs.replace(service, label=label)),
        start=(("launchctl", "bootstrap", domain, str(path)),),
        stop=(("launchctl", "bootout", f"{domain}/{label}"),),
        look=("launchctl", "print", f"{domain}/{label}"),
    )


def install(wanted: Plan) -> None:
    """Write the file and start the service. Raises ServiceError."""
    _program(wanted)
    try:
        wanted.path.parent.mkdir(parents=True, exist_ok=True)
        write_private(wanted.path, wanted.text.encode())
    except OSError as error:
        raise ServiceError(f"{wanted.path} cannot be written: {error.strerror}") from None
    for command in wanted.start:
        _run(command)


def uninstall(installed: Plan) -> bool:
    """End the service and remove its file; whether there was one. Raises ServiceError."""
    if not installed.path.exists():
        return False
    for command in installed.stop:
        _run(command)
    try:
        installed.path.unlink(missing_ok=True)
    except OSError as error:
        raise ServiceError(f"{installed.path} cannot be removed: {error.strerror}") from None
    if installed.manager == "systemd":
        _run(installed.start[0])
    return True


def is_running(installed: Plan) -> bool:
    """Whether the manager says that it runs. Raises ServiceError when it cannot be asked."""
    _program(installed)
    return _call(installed.look).returncode == 0


def _program(wanted: Plan) -> None:
    program = wanted.look[0]
    if shutil.which(program) is None:
        raise ServiceError(f"there is no {program} here: start controlroom up with what this machine has")


def _run(command: Sequence[str]) -> None:
    done = _call(command)
    if done.returncode:
        said = clean_line((done.stderr or done.stdout).decode(errors="replace"), 300).rstrip(".")
        raise ServiceError(f"{' '.join(command[:3])} failed: {said or f'status {done.returncode}'}")


def _call(command: Sequence[str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(command, capture_output=True, timeout=ANSWER_S, check=False)
    except subprocess.TimeoutExpired:
        raise ServiceError(f"{' '.join(command[:3])} did not end in {ANSWER_S:.0f} seconds") from None
    except OSError as error:
        raise ServiceError(f"{command[0]} cannot be started: {error.strerror}") from None
