"""Which control room a command speaks to: the one of a data folder here, or one that we logged in to."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlroom.client.logins import Login
    from controlroom.kit.home import Home


def home_of(option: Path | None) -> Home:
    """``--home``, else CONTROLROOM_HOME, else the usual place."""
    from controlroom.kit.home import Home, default_path

    chosen = option or (Path(said) if (said := os.environ.get("CONTROLROOM_HOME")) else default_path())
    return Home(chosen.expanduser().absolute())


def where_of(home: Path | None, hub: str | None) -> Path | Login:
    """The socket of the control room here, or a login to one elsewhere.

    First match: ``--hub`` or CONTROLROOM_HUB; a data folder that was named; the usual data folder while a
    control room serves it; the login that was made last. Raises ClientError for a login that is not there.
    """
    socket = home_of(home).socket
    named = hub or os.environ.get("CONTROLROOM_HUB")
    if not named and (home or os.environ.get("CONTROLROOM_HOME") or socket.exists()):
        return socket
    from controlroom.client.logins import Logins

    logins = Logins()
    return logins.get(named) if named else (logins.default() or socket)
