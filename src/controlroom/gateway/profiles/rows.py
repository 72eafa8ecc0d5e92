"""Profile rows as ``auth.ok`` and ``profiles.updated`` carry them. For a thread: reads files, tries ports."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from typing import Final

import msgspec

from controlroom.core.profiles import ApiServer, api_server, api_url, description_of, is_here, model_of
from controlroom.gateway.profiles.host import (
    ConfigBad,
    ConfigMissing,
    Host,
    Profile,
    config_of,
    count_skills,
    env_of,
    soul_of,
)
from controlroom.kit.files import read_regular
from controlroom.kit.process import ProcProcesses

PROBE_S: Final = 0.25  # the contract's; only ports of this machine are tried
MOST_TEXT: Final = 400_000  # characters of all souls together: a frame must stay small enough for a phone

Row = dict[str, object]


class _PidFile(msgspec.Struct):
    pid: int
    start_time: int | float | str | None = None


def profile_rows(host: Host, reached_as: str | None, processes: ProcProcesses) -> list[Row]:
    """All of them; an unreadable one is left out."""
    rows, left = [], MOST_TEXT
    for profile in host.profiles():
        row = _row(profile, reached_as, processes, left)
        if row is not None:
            rows.append(row)
            text = row["system_message"]
            left -= len(text) if isinstance(text, str) else 0
    return rows


def _row(profile: Profile, reached_as: str | None, processes: ProcProcesses, left: int) -> Row | None:
    try:
        config, soul = config_of(profile), soul_of(profile)
    except (ConfigMissing, ConfigBad, OSError):
        return None
    text = None if soul is None else soul.content.text
    server = api_server(config, env_of(profile))
    return {
        "name": profile.name,
        "model": model_of(config) or "unknown",
        "description": description_of(config, text),
        "system_message": text.rstrip() if text is not None and len(text) <= left else None,
        "gateway_running": _is_gateway_alive(profile, processes) or _is_listening(server),
        "has_soul": soul is not None,
        "skill_count": count_skills(profile),
        "api_server_enabled": server.is_enabled,
        "api_server_url": api_url(server, reached_as),
        "api_server_host": server.host,
        "api_server_port": server.port,
        "api_server_key_present": server.has_key,
    }


def _is_gateway_alive(profile: Profile, processes: ProcProcesses) -> bool:
    """Whether the process that ``gateway.pid`` names lives, and is still the one that wrote it."""
    try:
        raw = read_regular(profile.home / "gateway.pid", 4096)
        said = _PidFile(int(raw)) if raw.strip().isdigit() else msgspec.json.decode(raw, type=_PidFile)
        start = processes.start_of(said.pid)
    except (OSError, ValueError, msgspec.MsgspecError):
        return False
    if start is None:
        return False
    wanted = said.start_time
    return not isinstance(wanted, int) or str(wanted) == start


def _is_listening(server: ApiServer) -> bool:
    if server.host is None or server.port is None or not is_here(server.host):
        return False
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(server.host, server.host)  # noqa: S104 - compared
    try:
        with socket.create_connection((host, server.port), PROBE_S):
            return True
    except OSError:
        return False


def reached_as(environ: Mapping[str, str]) -> str | None:
    """This machine's name in ``RELAY_WEBAPI_URL``, as an installed relay was told."""
    from urllib.parse import urlsplit

    try:
        return urlsplit(environ.get("RELAY_WEBAPI_URL", "")).hostname
    except ValueError:
        return None
