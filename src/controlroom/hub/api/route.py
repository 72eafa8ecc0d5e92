"""One row of the table of REST routes, and one request as its handler sees it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import msgspec

from controlroom.core.access import API, Rule, rule_of
from controlroom.core.unlock import Site
from controlroom.hub.api.callers import Caller
from controlroom.hub.api.parts import Parts
from controlroom.hub.errors import HubError

PREFIX = API


@dataclass(frozen=True)
class Call:
    """One request, looked at: who asks, the parts of the path, the query, the decoded body; ``site`` is where
    the asking page lies, if passkeys are possible there."""

    caller: Caller
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: object
    site: Site | None = None

    def number(self, name: str, default: int, largest: int) -> int:
        """A whole number of the query. Raises HubError ``bad_request``."""
        text = self.query.get(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise HubError("bad_request", f"{name}: a whole number is wanted.")
        return min(int(text), largest)

    def cursor(self, name: str) -> str | None:
        return self.query.get(name) or None


Answer = msgspec.Struct | tuple[msgspec.Struct, ...]
Handler = Callable[[Parts, Call], Awaitable[Answer]]


@dataclass(frozen=True)
class Parameter:
    """One parameter of the query."""

    name: str
    kind: type[str] | type[int]
    meaning: str


@dataclass(frozen=True)
class Route:
    """``summary`` is one sentence, for the reference. ``body`` None: the request has none.

    Who may use it stands in ``core.access.RIGHTS``.
    """

    method: str
    path: str
    summary: str
    handler: Handler
    answer: type[msgspec.Struct] | type[tuple[msgspec.Struct, ...]]
    body: type[msgspec.Struct] | None = None
    status: int = 200
    query: tuple[Parameter, ...] = ()

    @property
    def rule(self) -> Rule:
        return rule_of(f"{self.method} {PREFIX}{self.path}")

    @property
    def name(self) -> str:
        """What a refusal's receipt calls it: the last word of the path that is not a variable."""
        words = [part for part in self.path.split("/") if part and not part.startswith("{")]
        return words[-1] if self.method != "DELETE" else f"take back {words[-1]}"
