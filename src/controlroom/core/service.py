"""What the machine's own service manager must be told, so that the control room outlives a terminal.

``systemd`` of the person (Linux) and ``launchd`` of the person (macOS). Source: systemd.unit(5),
systemd.service(5) (quoting and specifiers), launchd.plist(5).
"""

from __future__ import annotations

import plistlib
from collections.abc import Mapping, Sequence

import msgspec

KEPT = (
    *("PATH", "LANG", "LC_ALL", "SHELL", "TMUX_TMPDIR", "XDG_CONFIG_HOME"),
    *("CLAUDE_CONFIG_DIR", "CODEX_HOME", "HERMES_HOME"),
)
"""Variables of the person's shell that decide what is found and shown; secrets are not among them."""


class Service(msgspec.Struct, frozen=True, kw_only=True):
    """``command``: absolute path first. ``environment``: what a shell would have given."""

    label: str
    command: Sequence[str]
    environment: Mapping[str, str]


def kept(environ: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that the service gets: what decides where things are, and our settings."""
    return {
        name: value
        for name, value in sorted(environ.items())
        if (name in KEPT or name.startswith("CONTROLROOM_")) and name != "CONTROLROOM_HOME" and value
    }


def systemd_unit(service: Service) -> str:
    """The unit file. Raises ValueError for a path or a value with a line break in it.

    Only the main process is ended with the service: shells that devices opened go on in tmux.
    """
    command = " ".join(_quoted(word, dollars=True) for word in service.command)
    environment = "".join(
        f"Environment={_quoted(f'{name}={value}')}\n" for name, value in service.environment.items()
    )
    return (
        "[Unit]\n"
        "Description=Agent Control Room\n"
        "\n"
        "[Service]\n"
        "Type=exec\n"
        f"ExecStart={command}\n"
        f"{environment}"
        "Restart=on-failure\n"
        "RestartSec=5\n"
        "KillMode=process\n"
        "TimeoutStopSec=30\n"
        "\n"
        "[Install]\n"
        "WantedBy=default.target\n"
    )


def _quoted(text: str, *, dollars: bool = False) -> str:
    """One word of a unit file, whatever is in it."""
    if any(ord(char) < 32 or ord(char) == 127 for char in text):
        raise ValueError(f"{text[:80]!r} has control characters")
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text.replace("$", "$$") if dollars else text}"'


def launchd_agent(service: Service) -> str:
    """The property list of a user agent."""
    return plistlib.dumps(
        {
            "Label": service.label,
            "ProgramArguments": list(service.command),
            "EnvironmentVariables": dict(service.environment),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "AbandonProcessGroup": True,
            "ProcessType": "Background",
        }
    ).decode()
