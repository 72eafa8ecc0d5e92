"""The private files by which a waiting launcher says that it holds the environment of the old process, and by
which that of a move is told what it becomes (``launcher.py``).

A release appears whole, is written once for each heading, and is never taken away while the move runs: so a
look shows whether it was given, and a launcher that was kept waiting by a kill finds it.
"""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from controlroom.core.operations import Heading
from controlroom.kit.secrets_file import write_private
from controlroom.node.agents.launching import Launch

LAUNCHER = Path(__file__).with_name("launcher.py")
MOVE = "--move"
_HEADINGS: tuple[Heading, ...] = ("there", "back")


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """What the launcher becomes. ``variables``: set (None: removed) in the environment of the old process;
    with ``only_in_a_new_environment`` only where that was not to be had."""

    program: str
    arguments: tuple[str, ...]
    variables: dict[str, str | None]
    only_in_a_new_environment: bool = False


class Gates:
    """Those of all operations of one node, in a folder of ours."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def words(self, id: str, old_process: str, launch: Launch) -> tuple[str, ...]:
        """The command line of a launcher that becomes this once the old process has ended."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        keeper = str(self._path(id, "keeper"))
        return sys.executable, "-I", str(LAUNCHER), old_process or "-", keeper, launch.program, *launch.argv

    def words_of_move(self, id: str, heading: Heading, old_process: str) -> tuple[str, ...]:
        """That of a launcher that waits for a release: the first may be sent there or back, later ones only
        back."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        is_first = heading == "there"
        return (
            *(sys.executable, "-I", str(LAUNCHER), MOVE),
            (old_process if is_first else self.keeper(id)) or "-",
            (old_process if is_first else "") or "-",
            str(self._path(id, "keeper")),
            *(str(self._path(id, each)) for each in (_HEADINGS if is_first else (heading,))),
        )

    def keeper(self, id: str) -> str:
        """The process that keeps the old environment (pid and start time), "" before one does. It may have
        ended."""
        try:
            return self._path(id, "keeper").read_text()
        except OSError:
            return ""

    def released(self, id: str) -> tuple[Heading, ...]:
        """Where the launcher was sent."""
        return tuple(heading for heading in _HEADINGS if self._path(id, heading).exists())

    def release(self, id: str, heading: Heading, launch: Launch, variables: dict[str, str | None]) -> None:
        """Send it on its way. Blocks. Raises OSError."""
        release = Release(
            program=launch.program,
            arguments=launch.argv,
            variables=variables,
            only_in_a_new_environment=heading == "back",
        )
        write_private(self._path(id, heading), msgspec.json.encode(release))

    def memory(self, id: str) -> Path:
        """The file of this move's copying."""
        return self._path(id, "carrying")

    def close(self, id: str) -> None:
        """The operation is over: a keeper that waits for that ends. What cannot be removed is small."""
        for what in (*_HEADINGS, "keeper"):
            with suppress(OSError):
                self._path(id, what).unlink(missing_ok=True)

    def _path(self, id: str, what: str) -> Path:
        name = hashlib.sha256(id.encode()).hexdigest()[:32]  # ids are chosen outside
        return self._folder / f"{name}.{what}"
