"""A Hermes host on this machine, found by reading its settings; nothing is ever written there.

Source: relay contract sections 9.4 and 17.1; Hermes keeps its API server's address in ``$HERMES_HOME/.env``
or the environment, and listens on 127.0.0.1:8642 (dashboard: 9119) unless told otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controlroom.core.invite import HermesHost
from controlroom.core.qr import ApiAddress

API_PORT: Final = 8642
DASHBOARD_PORT: Final = 9119
LARGEST_ENV: Final = 256 * 1024
_HERE: Final = frozenset({"", "localhost", "127.0.0.1", "::1", "0.0.0.0", "::"})  # noqa: S104 - compared, not bound


def hermes_home(environ: Mapping[str, str], user_home: Path) -> Path:
    """The folder of the Hermes host of this user."""
    given = environ.get("HERMES_HOME", "").strip()
    return Path(given).expanduser() if given else user_home / ".hermes"


def find_hermes(environ: Mapping[str, str], user_home: Path, *, reached_as: str) -> HermesHost | None:
    """The Hermes host of this user, None when there is none. ``reached_as``: this machine's name for devices,
    put in place of loopback and bind-all addresses."""
    home = hermes_home(environ, user_home)
    if not (home / "config.yaml").is_file() and not (home / ".env").is_file():
        return None
    values = {**_env_file(home / ".env"), **environ}
    host = values.get("API_SERVER_HOST", "").strip()
    port = values.get("API_SERVER_PORT", "").strip()
    number = int(port) if port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536 else API_PORT
    shown = reached_as if host in _HERE else host
    in_url = f"[{shown}]" if ":" in shown else shown
    return HermesHost(
        api=ApiAddress(host=shown, port=number),
        dashboard_url=f"http://{in_url}:{DASHBOARD_PORT}",
        key=values.get("API_SERVER_KEY", "").strip(),
    )


def _env_file(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            return env_values(file.read(LARGEST_ENV).decode(errors="replace"))
    except OSError:
        return {}


def env_values(text: str) -> dict[str, str]:
    """``NAME=value`` lines; quotes around a value go, everything else is ignored."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        value = value.strip()
        if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        if equals and not name.startswith("#"):
            found[name.strip()] = value
    return found
