"""Readings that status lines left: Claude Code hands its limits to the status line's command, and
``controlroom statusline`` keeps them here before it runs the person's own one (claude-usage.md section 1).

One private file for each session. An agent that draws its status line again repeats what it knows, however
old that is: the time of a reading is when its numbers were first seen in that session.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import msgspec

from controlroom.core.usage import FIVE_HOURS, WEEK, Reading, percent, reset_time

FOLDER = "status-lines"
MOST_BYTES = 1_000_000
MOST_FILES = 2_000
KEPT_MS = 8 * 24 * 3_600_000  # longer than a week's window there is nothing to be said from it
_WINDOWS = {"five_hour": (FIVE_HOURS, ""), "seven_day": (WEEK, "")}


class _Window(msgspec.Struct, omit_defaults=True):
    used_percentage: int | float | None = None
    resets_at: int | float | None = None


class _Limits(msgspec.Struct, omit_defaults=True):
    five_hour: _Window | None = None
    seven_day: _Window | None = None


class _Input(msgspec.Struct):
    session_id: str = ""
    transcript_path: str = ""
    rate_limits: _Limits | None = None


class Kept(msgspec.Struct):
    """One file: the config folder whose agent said it, when these numbers were first seen, and they."""

    folder: str
    since_ms: int
    limits: _Limits


def folder_of(data: bytes) -> str:
    """The config folder of the agent that said this, by where its transcript lies; "" = it does not say.

    Raises msgspec.MsgspecError when the input is none.
    """
    path = msgspec.json.decode(data[:MOST_BYTES], type=_Input).transcript_path
    folder, is_there, _ = path.rpartition("/projects/")
    return folder if is_there and folder.startswith("/") else ""


def keep(spool: Path, config_folder: str, data: bytes, now_ms: int) -> bool:
    """Keep the limits of one status line's input; whether it had any.

    Raises OSError, and msgspec.MsgspecError when the input is none.
    """
    said = msgspec.json.decode(data[:MOST_BYTES], type=_Input)
    if said.rate_limits is None or not said.session_id:
        return False
    spool.mkdir(mode=0o700, exist_ok=True)
    name = hashlib.blake2b(f"{config_folder}\0{said.session_id}".encode(), digest_size=12).hexdigest()
    path = spool / f"{name}.json"
    before = _read(path)
    if before is not None and before.limits == said.rate_limits and before.since_ms <= now_ms:
        return True
    kept = Kept(os.path.realpath(config_folder), now_ms, said.rate_limits)
    fresh = spool / f".{name}.{os.getpid()}"
    fd = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(msgspec.json.encode(kept))
    fresh.replace(path)
    return True


def kept_readings(spool: Path, accounts: dict[str, tuple[str, int]], now_ms: int) -> list[Reading]:
    """What lies there, of config folders (real paths) whose account is known, and since when it is that one.

    Old files are removed. Blocks.
    """
    found: list[Reading] = []
    try:
        paths = sorted(spool.glob("*.json"))[:MOST_FILES]
    except OSError:
        return found
    for path in paths:
        kept = _read(path)
        if kept is None:
            continue
        if kept.since_ms < now_ms - KEPT_MS:
            path.unlink(missing_ok=True)
            continue
        account_id, since_ms = accounts.get(kept.folder, ("", 0))
        if account_id and kept.since_ms >= since_ms:
            found += _readings(account_id, kept)
    return found


def _readings(account_id: str, kept: Kept) -> list[Reading]:
    made = []
    for name, (length, scope) in _WINDOWS.items():
        window: _Window | None = getattr(kept.limits, name)
        if window is None:
            continue
        resets_ms = None if window.resets_at is None else int(window.resets_at * 1000)
        made.append(
            Reading(
                account_id=account_id,
                length_minutes=length,
                taken_at_ms=kept.since_ms,
                source="status_line",
                scope=scope,
                used_pct=percent(window.used_percentage),
                resets_at_ms=reset_time(resets_ms, length, kept.since_ms),
            )
        )
    return made


def _read(path: Path) -> Kept | None:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(MOST_BYTES), type=Kept)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
