"""The time zone of this machine, and zones by their names."""

from __future__ import annotations

import os
import re
import time
from datetime import UTC, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_LOCALTIME, _TIMEZONE = Path("/etc/localtime"), Path("/etc/timezone")
_OFFSET = re.compile(r"UTC([+-])(\d{2}):(\d{2})")
_LONGEST = 100


def zone_here() -> str:
    """The machine's zone, read anew: an IANA name, or ``UTC+hh:mm`` when it has no name that is known."""
    for name in _names():
        if zone_of(name) is not None:
            return name
    minutes = time.localtime().tm_gmtoff // 60
    sign = "-" if minutes < 0 else "+"
    return f"UTC{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


def _names() -> list[str]:
    """What may be the zone's name, the best first."""
    found = [os.environ.get("TZ", "").lstrip(":")]
    try:
        _, is_zone, name = os.path.realpath(_LOCALTIME).partition("/zoneinfo/")
        found.append(name if is_zone else "")
        found.append(_TIMEZONE.read_text(errors="replace")[:_LONGEST].strip())
    except OSError:
        pass
    return [name for name in found if name]


def zone_of(name: str) -> tzinfo | None:
    """A zone by its IANA name or ``UTC+hh:mm``; None for a name that is not known here."""
    if name == "UTC":
        return UTC
    if (offset := _OFFSET.fullmatch(name)) is not None:
        minutes = int(offset[2]) * 60 + int(offset[3])
        if minutes >= 24 * 60:
            return None
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    if not name or len(name) > _LONGEST:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, ZoneInfoNotFoundError):
        return None
