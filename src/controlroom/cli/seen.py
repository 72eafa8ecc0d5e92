"""Which prompt of each agent the person was shown last, so that an answer can only meet that one.

Somebody reads a prompt (``controlroom answer NAME``), thinks, and types the answer; in between another
prompt may have opened. The note lies in the data folder; losing it costs one more look, nothing else.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

KEPT = 100
_FILE = "cli-seen.json"


def last_seen(home: Path, agent_id: str) -> str | None:
    """Id of the prompt that was shown last."""
    return _read(home).get(agent_id)


def note_seen(home: Path, agent_id: str, waiting_id: str) -> None:
    """Remember that this prompt was shown whole."""
    notes = _read(home)
    notes.pop(agent_id, None)
    notes[agent_id] = waiting_id
    kept = dict(list(notes.items())[-KEPT:])
    scratch = home / f"{_FILE}.{os.getpid()}"
    with contextlib.suppress(OSError):  # a full or foreign disk: then the next answer asks again
        descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(kept))
        scratch.replace(home / _FILE)


def _read(home: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode((home / _FILE).read_bytes(), type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}
