"""How many calls a day may cost: plain arithmetic on what is kept on disk."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

import msgspec


class Spent(msgspec.Struct, frozen=True):
    """Calls of one day (``YYYY-MM-DD`` in the zone of the machine)."""

    day: str = ""
    calls: int = 0


def day_of(now_ms: int, zone: tzinfo) -> str:
    return datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone).date().isoformat()


def spent_today(spent: Spent, now_ms: int, zone: tzinfo) -> Spent:
    """What counts now. A clock or zone that goes back a little opens no second budget; a day that lies
    further in the future was a wrong clock."""
    today = day_of(now_ms, zone)
    if spent.day == today:
        return spent
    tomorrow = (date.fromisoformat(today) + timedelta(days=1)).isoformat()
    return spent if spent.day == tomorrow else Spent(today)


def spend(spent: Spent, limit: int, now_ms: int, zone: tzinfo) -> Spent | None:
    """With one more call; None when today's are used up."""
    now = spent_today(spent, now_ms, zone)
    return Spent(now.day, now.calls + 1) if now.calls < limit else None


def next_day_ms(now_ms: int, zone: tzinfo) -> int:
    """When the next day begins there, also where that midnight does not exist or comes twice."""
    today = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone).date()
    midnight = datetime.combine(today + timedelta(days=1), time(), zone)
    return max(int(midnight.timestamp() * 1000), now_ms + 1)
