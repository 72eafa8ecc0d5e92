"""Which connections a door keeps when there are too many.

Theory: a connection waits while it makes no request: before its first one, between two, and for as long as
somebody only holds it open. Those that work (a request, a socket) are never ended for others. When a limit is
reached, the one that waits longest goes, first among those of the address that has too many; a flood of
half-open connections pushes itself out, and a client that speaks at once gets through.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

import msgspec

Key = TypeVar("Key", bound=Hashable)

SPARE_FILES: Final = 256  # for databases, pipes, terminals and agents' files


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """``all``: connections at once. ``of_one``: of one address. ``waiting``: that make no request now."""

    all: int = 1024
    of_one: int = 256
    waiting: int = 256


def limits_for(open_files: int) -> Limits:
    """What a process that may have this many open files can hold; at least a few."""
    room = max(64, (open_files - SPARE_FILES) // 2)
    most = min(Limits().all, room)
    return Limits(all=most, of_one=min(Limits().of_one, most), waiting=min(Limits().waiting, most // 2))


class Crowd(Generic[Key]):
    """The connections of one door."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: OrderedDict[Key, str | None] = OrderedDict()
        self._working: dict[Key, str | None] = {}
        self._of: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._working)

    def came(self, key: Key, address: str | None) -> list[Key]:
        """A new connection; ``address`` None: all come from the same proxy. Returns those to end now, which
        are forgotten already; the new one may be among them."""
        self._waiting[key] = address
        if address is not None:
            self._of[address] += 1
        ended = []
        if address is not None and self._of[address] > self._limits.of_one:
            ended.append(self._oldest(address))
        while len(self._waiting) > self._limits.waiting or len(self) > self._limits.all:
            ended.append(self._oldest(None))
        return ended

    def works(self, key: Key) -> None:
        """It makes a request."""
        if key in self._waiting:
            self._working[key] = self._waiting.pop(key)

    def waits(self, key: Key) -> None:
        """Its request has ended."""
        if key in self._working:
            self._waiting[key] = self._working.pop(key)

    def gone(self, key: Key) -> None:
        """It has ended, whoever ended it."""
        address = self._waiting.pop(key, None) or self._working.pop(key, None)
        if address is not None:
            self._of[address] -= 1
            if not self._of[address]:
                del self._of[address]

    def _oldest(self, address: str | None) -> Key:
        """Forget the one that waits longest; the new one waits too, so there always is one."""
        key = next(key for key, its in self._waiting.items() if address is None or its == address)
        self.gone(key)
        return key
