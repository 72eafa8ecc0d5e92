"""Texts for service managers."""

from __future__ import annotations

import plistlib

import pytest

from controlroom.core.service import Service, kept, launchd_agent, systemd_unit

SERVICE = Service(
    label="controlroom",
    command=("/opt/my venv/bin/python", "-m", "x", "--home", '/home/kim/100% "mine"\\$HOME', "up"),
    environment={"PATH": "/usr/bin:/home/kim/my bin", "LANG": "C.UTF-8"},
)


def test_a_unit_quotes_whatever_is_in_a_path() -> None:
    unit = systemd_unit(SERVICE)
    assert (
        'ExecStart="/opt/my venv/bin/python" "-m" "x" "--home" '
        '"/home/kim/100%% \\"mine\\"\\\\$$HOME" "up"\n' in unit
    )
    assert 'Environment="PATH=/usr/bin:/home/kim/my bin"\n' in unit
    assert "KillMode=process\n" in unit


def test_a_line_break_never_becomes_a_directive() -> None:
    with pytest.raises(ValueError, match="control characters"):
        systemd_unit(Service(label="x", command=("/x\nExecStartPre=/bin/evil",), environment={}))


def test_an_agent_for_launchd_says_the_same() -> None:
    read = plistlib.loads(launchd_agent(SERVICE).encode())
    assert read["ProgramArguments"] == list(SERVICE.command)
    assert read["EnvironmentVariables"] == dict(SERVICE.environment)
    assert read["KeepAlive"] == {"SuccessfulExit": False}


def test_only_what_finds_things_is_kept() -> None:
    environ = {
        "PATH": "/bin",
        "CONTROLROOM_DOOR_PORT": "1",
        "CONTROLROOM_HOME": "/elsewhere",
        "ANTHROPIC_API_KEY": "secret",
        "SSH_AUTH_SOCK": "/run/x",
        "LANG": "",
    }
    assert kept(environ) == {"PATH": "/bin", "CONTROLROOM_DOOR_PORT": "1"}
