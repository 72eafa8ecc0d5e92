"""Quiet hours by the wall clock of the person's zone, also on days when clocks are changed."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

from controlroom.core.notify.model import Quiet

_FORM = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])\s*[-–]\s*([01]?[0-9]|2[0-3]):([0-5][0-9])", re.ASCII)
FORM = "22:00-07:30, or nothing"


def read_quiet(text: str) -> Quiet | None:
    """``22:00-07:30``; "" for none. Raises ValueError."""
    if not text.strip():
        return None
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"quiet hours are written as {FORM}")
    begin = int(found[1]) * 60 + int(found[2])
    end = int(found[3]) * 60 + int(found[4])
    if begin == end:
        raise ValueError("quiet hours need two different times")
    return Quiet(begin_min=begin, end_min=end)


def said(quiet: Quiet | None) -> str:
    """The form that ``read_quiet`` takes."""
    return "" if quiet is None else f"{clock(quiet.begin_min)}-{clock(quiet.end_min)}"


def clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def quiet_until(quiet: Quiet | None, now_ms: int, zone: tzinfo) -> int | None:
    """When the quiet hours that run now end; None when none run."""
    if quiet is None:
        return None
    here = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
    minute = here.hour * 60 + here.minute
    if quiet.begin_min < quiet.end_min:
        is_quiet, is_over_midnight = quiet.begin_min <= minute < quiet.end_min, False
    else:
        is_quiet = minute >= quiet.begin_min or minute < quiet.end_min
        is_over_midnight = minute >= quiet.begin_min
    if not is_quiet:
        return None
    day = here.date() + timedelta(days=1 if is_over_midnight else 0)
    end = datetime(day.year, day.month, day.day, quiet.end_min // 60, quiet.end_min % 60, tzinfo=zone)
    # An hour that comes twice: the end by the clock may lie behind us already, but it is still quiet.
    return max(int(end.timestamp() * 1000), now_ms + 60_000 - now_ms % 60_000)
