"""What an HTTP status means for a push, and when to come again. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final

from controlroom.hub.channels.base import Again, Answer, Delivered, Gone, Refused

LONGEST_WAIT_MS: Final = 24 * 3600 * 1000  # whatever a service asks for, it is asked again within a day
CLOCK_OFF_MS: Final = 5 * 60_000  # services forgive minutes


def answer_to(status: int, headers: Mapping[str, str], now_ms: int, who: str) -> Answer:
    """``who``: the service as people know it, such as “The push service”."""
    if 200 <= status < 300:
        return Delivered()
    if status in (404, 410):
        return Gone(f"{who} says that this subscription has ended (HTTP {status}).")
    if status in (408, 425, 429) or status >= 500:
        why = "asks us to wait" if status == 429 else "is busy or in trouble"
        return Again(f"{who} {why} (HTTP {status}).", again_at(headers, now_ms))
    if status in (401, 403):
        return Refused(f"{who} refuses our signature (HTTP {status}).")
    if status == 413:
        return Refused(f"{who} takes no message of this size (HTTP 413).")
    if 300 <= status < 400:
        return Refused(f"{who} only points elsewhere (HTTP {status}), which is not followed.")
    return Refused(f"{who} does not take this (HTTP {status}).")


def again_at(headers: Mapping[str, str], now_ms: int) -> int | None:
    """When the other side wants to be asked again; None when it does not say, or says nonsense.

    A date is read against the service's own clock, because ours may be wrong.
    """
    said = headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdigit() and len(said) < 10:
        wait_ms = int(said) * 1000
    else:
        date_ms = _date_ms(said)
        if date_ms is None:
            return None
        server_ms = _date_ms(headers.get("Date", ""))
        wait_ms = max(0, date_ms - (now_ms if server_ms is None else server_ms))
    return now_ms + min(wait_ms, LONGEST_WAIT_MS)


def clock_off_ms(headers: Mapping[str, str], now_ms: int) -> int:
    """By how much the service's clock is ahead of ours, when that is more than it forgives; else 0."""
    server_ms = _date_ms(headers.get("Date", ""))
    if server_ms is None or abs(server_ms - now_ms) < CLOCK_OFF_MS:
        return 0
    return server_ms - now_ms


def _date_ms(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(parsedate_to_datetime(text).timestamp() * 1000)
    except (ValueError, OverflowError, TypeError):
        return None
