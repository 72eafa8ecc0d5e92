"""Where media may lie on this machine: allowed and protected places, resolved at each look."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from controlroom.core.media import HERMES_PLACES, SYSTEM_PLACES, USER_PLACES, Sandbox


class Places:
    """The sandbox as the machine's folders and links are now. Reads links only; call it in a thread."""

    def __init__(
        self, *, data: Path, roots: Sequence[str], user_home: Path, environ: Mapping[str, str]
    ) -> None:
        hermes = [user_home / ".hermes"]
        if environ.get("HERMES_HOME"):
            hermes.append(Path(environ["HERMES_HOME"]))
        if environ.get("RELAY_HERMES_CONFIG"):
            hermes.append(Path(environ["RELAY_HERMES_CONFIG"]).parent)
        relay = Path(environ.get("HERMES_RELAY_HOME") or user_home / ".hermes-relay")
        self._user_home = user_home
        self._roots = [
            tempfile.gettempdir(),
            environ.get("HERMES_WORKSPACE") or str(user_home / ".hermes" / "workspace"),
            *roots,
        ]
        self._protected = [
            *SYSTEM_PLACES,
            *(str(user_home / place) for place in USER_PLACES),
            *(str(home / place) for home in hermes for place in HERMES_PLACES),
            str(relay / "config.yaml"),
            *(
                environ[name]
                for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
                if environ.get(name)
            ),
            str(data),
        ]

    def now(self) -> Sandbox:
        own = os.path.realpath(self._user_home)
        protected = {*self._protected, *map(os.path.realpath, self._protected)}
        # The home of root is the person's own home when they run this as root; "/" as a root allows all.
        return Sandbox(
            roots=tuple(os.path.realpath(root) for root in self._roots),
            protected=tuple(sorted(protected - {own, str(self._user_home), "/"})),
        )
