"""What has run out of many sessions since the last look; each end is told once.

A session that lives again (it was extended, or the clock was set back) is told again when it ends again.
Times are Unix milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from controlroom.core.rights import Expiry, Term, ended_rights, is_before, next_end


class Look(NamedTuple):
    """``ended``: sessions; ``reduced``: living ones of which a right is over now; ``next_ms``: the first
    moment at which more will be, None when nothing ever ends."""

    ended: tuple[str, ...]
    reduced: tuple[str, ...]
    next_ms: int | None


class Ends:
    """Remembers what was told."""

    def __init__(self) -> None:
        self._ended: set[str] = set()
        self._over: dict[str, frozenset[str]] = {}

    def look(self, terms: Mapping[str, Term], now_ms: int) -> Look:
        """What is over now and was not at the last look."""
        ended = {id_ for id_, term in terms.items() if not is_before(now_ms, term.expires_ms)}
        living = {id_: term for id_, term in terms.items() if id_ not in ended}
        over = {id_: ended_rights(term.grants, now_ms) for id_, term in living.items()}
        expiries: list[Expiry] = []
        for term in living.values():
            expiries += (term.expires_ms, *term.grants.values())
        look = Look(
            ended=tuple(id_ for id_ in ended if id_ not in self._ended),
            reduced=tuple(id_ for id_ in over if over[id_] - self._over.get(id_, frozenset())),
            next_ms=next_end(expiries, now_ms),
        )
        self._ended, self._over = ended, over
        return look
