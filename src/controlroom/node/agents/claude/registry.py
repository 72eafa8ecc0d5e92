"""The live registry of one config folder: ``sessions/<pid>.json``, written by each process itself.

It tells the session that a process is in *now* (``/clear`` changes it), its status and its name. A file
stays behind when its process was killed, so ``proc_start`` must equal the start time of the living process.
Beside it lie ``<pid>.<hash>.key`` files with a secret: only names of digits and ``.json`` are ever opened.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from controlroom.core.facts import Fact, Reported
from controlroom.node.agents.transcripts import Stamp, stamp

MAX_BYTES = 64 * 1024  # seen: 700
_REPORTED: dict[str, Reported] = {"idle": "idle", "busy": "busy", "shell": "shell", "waiting": "waiting"}


class Entry(msgspec.Struct, frozen=True, rename="camel"):
    """What one process says of itself. ``status`` is missing for a moment after the start."""

    pid: int = 0
    session_id: str | None = None
    cwd: str | None = None
    started_at: int | None = None
    proc_start: str | None = None
    kind: str | None = None
    entrypoint: str | None = None
    name: str | None = None
    name_source: str | None = None
    status: str | None = None
    waiting_for: str | None = None
    status_updated_at: int | None = None

    @property
    def is_programmatic(self) -> bool:
        """Runs for another program (SDK, ``claude -p``), not for a person at a pane."""
        return self.entrypoint is not None and self.entrypoint.startswith("sdk")

    @property
    def given_name(self) -> str:
        """The name that a person gave; "" for one that the program made up."""
        return self.name if self.name is not None and self.name_source == "user" else ""

    def reported(self) -> Fact[Reported] | None:
        """The status as a fact; None when it says none or one that we do not know."""
        status = _REPORTED.get(self.status or "")
        if status is None:
            return None
        detail = f"status {self.status}" + (f": {self.waiting_for}" if self.waiting_for else "")
        return Fact(status, "registry", detail[:200], self.status_updated_at or self.started_at or 0)


_DECODER = msgspec.json.Decoder(Entry)


def parse(data: bytes) -> Entry | None:
    """The entry; None when it is damaged or half written (it is read again when it changes)."""
    try:
        return _DECODER.decode(data)
    except msgspec.MsgspecError:
        return None


class Registry:
    """Reads the entries of one config folder, each file again only when it was written."""

    def __init__(self, profile: Path) -> None:
        self._folder = str(profile / "sessions")
        self._known: dict[int, tuple[Stamp, Entry | None]] = {}

    def entry(self, pid: int, start: str) -> Entry | None:
        """What the living process says now; None when it has no (whole) file or the file is of an earlier
        process with that pid. Raises OSError when the folder cannot be read."""
        entry = self._read(pid)
        if entry is None or entry.pid != pid or entry.proc_start != start:
            return None
        return entry

    def left_behind(self, pid: int, start: str) -> bool:
        """Did this process, which has ended, leave its file? Only a killed one does."""
        try:
            entry = self._read(pid)
        except OSError:
            return False
        return entry is not None and entry.pid == pid and entry.proc_start == start

    def _read(self, pid: int) -> Entry | None:
        path = f"{self._folder}/{pid}.json"
        now = stamp(path)
        if now is None or now.size > MAX_BYTES:
            self._known.pop(pid, None)
            return None
        known = self._known.get(pid)
        if known is None or known[0] != now or known[1] is None:
            try:
                known = (now, parse(Path(path).read_bytes()))
            except FileNotFoundError:
                return None
            self._known[pid] = known
        return known[1]
