"""Pairing codes: their alphabet, their ten minutes, and when so many were wrong that all of them end.

Source: relay contract section 6; house.md section 3 (one limit over all clients). Pure: codes are made of
numbers that the caller draws, times come in.

A code is good from its making to its end. A clock that was set back by more than a minute behind the making
ends it too: otherwise it would live longer than it was told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
LENGTH = 6
LIFE_MS = 600_000
CLOCK_SLACK_MS = 60_000

FAILURES = 30
FAILURES_WITHIN_S = 600.0

PLACEHOLDERS = frozenset({"", "unknown", "none", "null"})
"""What clients send as ``device_id`` when they have none."""


class CodeTime(NamedTuple):
    """When a code was made and when it ends. ``used``: it was claimed."""

    made_ms: int
    expires_ms: int
    used: bool = False


def code_from(numbers: Sequence[int]) -> str:
    """The code that these numbers (each 0..35) stand for."""
    return "".join(ALPHABET[number] for number in numbers)


def normalised(code: str) -> str | None:
    """The code as it is compared: trimmed, in capitals; None when it cannot be one.

    People type it with blanks or a hyphen in the middle; those are not part of it.
    """
    if len(code) > LENGTH * 4 or not code.isascii():
        return None
    bare = "".join(part for part in code.upper() if not part.isspace() and part != "-")
    return bare if len(bare) == LENGTH and all(part in ALPHABET for part in bare) else None


def is_good(code: CodeTime, now_ms: int) -> bool:
    """Whether a code can be claimed now."""
    return not code.used and code.made_ms - CLOCK_SLACK_MS <= now_ms < code.expires_ms


def is_real(device_id: str) -> bool:
    """Whether a client's ``device_id`` tells it apart from others."""
    return device_id.strip().lower() not in PLACEHOLDERS


class Failures:
    """Wrong codes of all clients together. Times are monotonic seconds."""

    def __init__(self) -> None:
        self._at: list[float] = []

    def another(self, now_s: float) -> bool:
        """Count one more; whether that was one too many, and all open codes must end.

        Then counting begins anew.
        """
        self._at = [at for at in self._at if now_s - at < FAILURES_WITHIN_S]
        self._at.append(now_s)
        if len(self._at) < FAILURES:
            return False
        self._at.clear()
        return True
