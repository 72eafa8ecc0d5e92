"""Ages and clock times in the words of the design: ``20 s``, ``47 min``, ``1 h 12 min``, ``3 d``."""

from __future__ import annotations

from datetime import datetime, tzinfo

MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


def span(ms: int) -> str:
    """A length of time in words; never negative (a clock may have been set back)."""
    ms = max(ms, 0)
    if ms < MINUTE_MS:
        return f"{ms // 1000} s"
    if ms < HOUR_MS:
        return f"{ms // MINUTE_MS} min"
    if ms < DAY_MS:
        hours, minutes = divmod(ms // MINUTE_MS, 60)
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{ms // DAY_MS} d"


def clock(at_ms: int, zone: tzinfo | None = None) -> str:
    """``14:09``, in the person's time zone."""
    return _local(at_ms, zone).strftime("%H:%M")


def stamp(at_ms: int, now_ms: int, zone: tzinfo | None = None) -> str:
    """A clock time, with the date when it is not today's."""
    at, now = _local(at_ms, zone), _local(now_ms, zone)
    return at.strftime("%H:%M" if at.date() == now.date() else "%Y-%m-%d %H:%M")


def _local(at_ms: int, zone: tzinfo | None) -> datetime:
    try:
        return datetime.fromtimestamp(at_ms / 1000, zone)
    except (OverflowError, OSError, ValueError):  # a row with an absurd time
        return datetime.fromtimestamp(0, zone)


def day(at_ms: int, zone: tzinfo | None = None) -> str:
    """``2026-11-30``, in the person's time zone."""
    return _local(at_ms, zone).strftime("%Y-%m-%d")
