"""The live registry file ``sessions/<pid>.json`` as Claude Code 2.1.332 keeps it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import msgspec

from controlroom.kit.clock import Clock
from controlroom.testing.scripted.rows import VERSION


class Registry:
    """This process's file. It appears when the program is up, and a clean end removes it."""

    def __init__(self, config: Path, name: str, folder: str, clock: Clock) -> None:
        self._clock = clock
        self._folder = folder
        self._name = name
        self._started_at_ms = clock.now_ms()
        self._path = config / "sessions" / f"{os.getpid()}.json"
        self._tmux = _own_pane()
        self._last: tuple[str, str] = ("", "")
        self._since_ms = self._started_at_ms

    def write(self, session_id: str, status: str, waiting_for: str = "") -> None:
        """Say the status now; ``waiting_for`` only while ``waiting``."""
        now = self._clock.now_ms()
        if (status, waiting_for) != self._last:
            self._since_ms = now
        self._last = (status, waiting_for)
        row: dict[str, object] = {
            "pid": os.getpid(),
            "sessionId": session_id,
            "cwd": self._folder,
            "startedAt": self._started_at_ms,
            "procStart": _own_start(),
            "version": VERSION,
            "kind": "interactive",
            "entrypoint": "cli",
            "tmux": self._tmux,
            "name": self._name,
            "nameSource": "user",
            "updatedAt": now,
            "status": status,
            "statusUpdatedAt": self._since_ms,
        }
        if waiting_for:
            row["waitingFor"] = waiting_for
        self._path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self._path.with_suffix(".tmp")
        scratch.write_bytes(msgspec.json.encode(row))
        scratch.replace(self._path)

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)


def _own_start() -> str:
    return Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()[19].decode()


def _own_pane() -> str:
    """``session:@window.%pane`` as of the start; "" outside tmux."""
    pane = os.environ.get("TMUX_PANE")
    if not pane:
        return ""
    asked = subprocess.run(
        ["tmux", "display-message", "-p", "-t", pane, "#{session_name}:#{window_id}.#{pane_id}"],
        capture_output=True,
        text=True,
        timeout=5,  # our own server, on this machine
        check=False,
    )
    return asked.stdout.strip()
