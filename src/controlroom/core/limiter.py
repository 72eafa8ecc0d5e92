"""Failed logins of the relay door, and who is blocked because of them.

Theory: each peer has two counters of failures, for session credentials and for pairing codes, each with its
own sliding window; the failure that reaches a limit starts a block of that peer, which both share. A block
is never made shorter by a later one. Success forgets a peer's failures, but does not lift its block.
Memory is bounded: when too many peers are known, the one whose last failure is longest ago is forgotten.

Source: relay contract section 7. Times are seconds of one clock that never goes backwards.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Mapping
from typing import Final, Literal

import msgspec

Bucket = Literal["session", "pairing"]


class Limit(msgspec.Struct, frozen=True):
    """``failures`` within ``window_s`` block for ``block_s``."""

    failures: int
    window_s: float
    block_s: float


LIMITS: Final[Mapping[Bucket, Limit]] = {"session": Limit(5, 60, 300), "pairing": Limit(10, 60, 120)}
MOST_PEERS: Final = 4096


class Limiter:
    """Counts failures by peer. Forgets everything when the process ends, as the contract says."""

    def __init__(self, limits: Mapping[Bucket, Limit] = LIMITS, most_peers: int = MOST_PEERS) -> None:
        self._limits = limits
        self._most = most_peers
        self._failures: OrderedDict[str, dict[Bucket, deque[float]]] = OrderedDict()
        self._blocked_until: OrderedDict[str, float] = OrderedDict()

    def blocked_for(self, peer: str, now: float) -> float:
        """Seconds that the block of ``peer`` still lasts; 0 = not blocked."""
        left = self._blocked_until.get(peer, now) - now
        if left <= 0:
            self._blocked_until.pop(peer, None)
        return max(0.0, left)

    def failed(self, peer: str, bucket: Bucket, now: float) -> None:
        """Count one credential that was refused."""
        limit = self._limits[bucket]
        buckets = self._failures.setdefault(peer, {})
        self._failures.move_to_end(peer)
        times = buckets.setdefault(bucket, deque(maxlen=limit.failures))
        while times and times[0] <= now - limit.window_s:
            times.popleft()
        times.append(now)
        if len(times) >= limit.failures:
            del buckets[bucket]
            self._block(peer, now + limit.block_s)
        while len(self._failures) > self._most:
            self._failures.popitem(last=False)

    def succeeded(self, peer: str) -> None:
        """Forget the failures of ``peer``; a block that runs goes on."""
        self._failures.pop(peer, None)

    def clear(self) -> None:
        """Forget everything: the person at the host let somebody in (register, approve or mint)."""
        self._failures.clear()
        self._blocked_until.clear()

    @property
    def peers(self) -> int:
        """How many peers are remembered."""
        return len(self._failures.keys() | self._blocked_until.keys())

    def _block(self, peer: str, until: float) -> None:
        self._blocked_until[peer] = max(until, self._blocked_until.get(peer, until))
        self._blocked_until.move_to_end(peer)
        while len(self._blocked_until) > self._most:
            self._blocked_until.popitem(last=False)
