"""Words for how long something may last, as people type them: ``30d``, ``never``, ``terminal=7d,bridge=1d``.

Source: relay contract section 9.5. Seconds; 0 = never ends.
"""

from __future__ import annotations

import re
from typing import Final

NEVER: Final = 0
LONGEST_S: Final = 100 * 365 * 86400  # what is longer is a typing error

_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400, "y": 365 * 86400}
_FORM: Final = re.compile(r"([0-9]{1,12})([smhdwy]?)", re.ASCII)


def parse_duration(text: str) -> int:
    """Seconds of ``never`` (0), a bare number, or a number with s, m, h, d, w or y. Raises ValueError."""
    word = text.strip().lower()
    if word == "never":
        return NEVER
    found = _FORM.fullmatch(word)
    if found is None:
        raise ValueError(f"{text[:40]!r} is not a duration; write 30d, 12h, 3600 or never")
    seconds = int(found[1]) * _UNITS[found[2] or "s"]
    if seconds > LONGEST_S:
        raise ValueError(f"{text[:40]!r} is too long; write never for no end")
    return seconds


def parse_grants(text: str) -> dict[str, int]:
    """Seconds by right from ``right=duration,…``; 0 = never. Raises ValueError."""
    grants: dict[str, int] = {}
    for part in text.split(","):
        if not part.strip():
            continue
        right, equals, duration = part.partition("=")
        if not equals or not right.strip():
            raise ValueError(
                f"{part.strip()[:40]!r} is not a grant; write right=duration, such as terminal=7d"
            )
        grants[right.strip()] = parse_duration(duration)
    return grants
