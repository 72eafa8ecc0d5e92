"""The Hermes host of this machine as part of how devices reach us: its settings are read, never written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from controlroom.core.invite import Reach
from controlroom.gateway.hermes_host import find_hermes


def with_hermes(
    reach: Callable[[], Reach], environ: Mapping[str, str], user_home: Path
) -> Callable[[], Reach]:
    """``reach`` with the Hermes host that is there at each call, at the address that devices use for us."""

    def found() -> Reach:
        now = reach()
        host = find_hermes(environ, user_home, reached_as=now.relay.host)
        return now if host is None else msgspec.structs.replace(now, hermes=host)

    return found
