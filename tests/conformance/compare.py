"""Whether an answer is the recorded one, up to ids, tokens and times.

What was made up by the server (tokens, prefixes, fresh ids) is learned: where the recording has one, ours is
taken down, and later rows that mention the recorded one are read as ours. Times must lie as far from the
moment of the answer as they did in the recording.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TOKEN = re.compile(r"[A-Za-z0-9_-]{22}|[A-Za-z0-9_-]{43}")
MADE_UP = (UUID, TOKEN, re.compile(r"[A-Z0-9]{6}"), re.compile(r"shell-[0-9a-f]{8}"))
CLOSE_S = 90.0  # between the pace of the recording and of the replay

# Where only the type must be the same: they depend on the machine or on what else happened.
LOOSE = frozenset(
    {"pid", "uptime_seconds", "session_count", "paired_device_count", "sessions", "clients", "version"}
    | {
        "plugin_version",
        "server_version",
        "shell",
        "replay",
        "qr_payload",
        "pairing_url",
        "current",
        "media_entry_count",
    }
)
LEARNED = frozenset({"session_token", "refresh_token", "token", "message_id", "code", "session_name"})


class Different(AssertionError):
    """Our answer is not the recorded one."""


class Comparer:
    """``names``: recorded text -> ours, longest first."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def ours(self, value: Any) -> Any:
        """A recorded value with everything that was learned put in."""
        if isinstance(value, str):
            for recorded in sorted(self.names, key=len, reverse=True):
                value = value.replace(recorded, self.names[recorded])
            return value
        if isinstance(value, dict):
            return {self.ours(key): self.ours(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self.ours(part) for part in value]
        return value

    def learn(self, recorded: str, ours: str) -> None:
        self.names[recorded] = ours
        if UUID.fullmatch(recorded) and len(ours) >= 8:
            self.names[recorded[:8]] = ours[:8]

    def check(self, recorded: Any, ours: Any, *, recorded_now: float, now: float, at: str = "") -> None:
        """Raises Different. ``at``: where in the answer we are."""
        key = at.rpartition(".")[2]
        if key == "profiles":
            self._check_rows(recorded, ours, at)
        elif isinstance(recorded, dict):
            self._check_object(recorded, ours, recorded_now, now, at)
        elif isinstance(recorded, list):
            _same(type(ours), list, at)
            _same(len(recorded), len(ours), f"{at} length")
            for place, (one, other) in enumerate(zip(recorded, ours, strict=True)):
                self.check(one, other, recorded_now=recorded_now, now=now, at=f"{at}[{place}]")
        elif isinstance(recorded, bool) or recorded is None:
            _same(recorded, ours, at)
        elif isinstance(recorded, (int, float)):
            self._check_number(recorded, ours, recorded_now, now, at)
        else:
            self._check_text(recorded, ours, at)

    def _check_object(
        self, recorded: Mapping[str, Any], ours: Any, recorded_now: float, now: float, at: str
    ) -> None:
        _same(type(ours), dict, at)
        _same(sorted(recorded), sorted(ours), f"{at} fields")
        for key, value in recorded.items():
            self.check(value, ours[key], recorded_now=recorded_now, now=now, at=f"{at}.{key}")

    def _check_rows(self, recorded: Any, ours: Any, at: str) -> None:
        """Profiles are those of the machine: the rows must have the contract's fields."""
        _same(type(ours), list, at)
        for row in ours:
            missing = set(recorded[0]) - set(row) if recorded else {"name"} - set(row)
            _same(missing, set(), f"{at} missing fields")

    def _check_number(self, recorded: float, ours: Any, recorded_now: float, now: float, at: str) -> None:
        if isinstance(ours, bool) or not isinstance(ours, (int, float)):
            raise Different(f"{at}: {ours!r} is not a number like {recorded!r}")
        if recorded == ours or at.rpartition(".")[2] in LOOSE:
            return
        scale = 1000 if recorded > 1e12 else 1
        if recorded > 1e9:
            then, here = recorded / scale - recorded_now, ours / scale - now
            if abs(then - here) > CLOSE_S:
                raise Different(f"{at}: {here:.0f} s from now instead of {then:.0f} s")
        else:
            _same(recorded, ours, at)

    def _check_text(self, recorded: str, ours: Any, at: str) -> None:
        key = at.rpartition(".")[2]
        if not isinstance(ours, str):
            raise Different(f"{at}: {ours!r} is not a text like {recorded!r}")
        if recorded in self.names:
            _same(self.names[recorded], ours, at)
        elif key in LOOSE:
            return
        elif key in LEARNED and any(f.fullmatch(recorded) and f.fullmatch(ours) for f in MADE_UP):
            self.learn(recorded, ours)
        else:
            _same(self.ours(recorded), ours, at)


def _same(expected: object, ours: object, at: str) -> None:
    if expected != ours:
        raise Different(f"{at}: {str(ours)[:300]!r} instead of {str(expected)[:300]!r}")
