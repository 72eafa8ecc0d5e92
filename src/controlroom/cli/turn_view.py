"""Who has a lock or a slot and who waits for it, in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controlroom.cli import text
from controlroom.cli.fleet_view import short_folder
from controlroom.cli.times import span
from controlroom.core.turns import Ticket, TurnKind

Who = Callable[[Ticket], str]
"""The name of the agent in whose pane a ticket was drawn, "" when it is not known."""

Left = Callable[[Ticket], str]
"""What still has a turn whose own command has ended, "" while it runs."""


def noun(kind: TurnKind, name: str, limit: int) -> str:
    """``the browser lock`` or ``a heavy slot (2 at once)``."""
    return f"the {name} lock" if kind == "lock" else f"a {name} slot ({limit} at once)"


def ordinal(number: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number % 10, 'th')}"


def describe(ticket: Ticket, now_ms: int, who: Who, left: Left) -> str:
    """One ticket: ``npx of orchard in ~/shop (process 4312), for 4 min``."""
    if not ticket.program:
        return "a process that cannot be named"
    name = text.line(who(ticket), 60)
    said = f"{text.line(ticket.program, 60)}{f' of {name}' if name else ''} in {short_folder(ticket.folder)}"
    said += f" (process {ticket.pid})" if ticket.pid else " (inside a sandbox)"
    said += f", for {span(now_ms - ticket.since_ms)}"
    if rest := left(ticket):
        said += f"; that has ended, and {text.line(rest, 60)}, which it started, keeps it"
    return said


def held_by(holders: Sequence[Ticket], now_ms: int, who: Who, left: Left) -> str:
    """The sentence about those who have a turn."""
    if not holders:
        return "It is free, and others are before you."
    return f"Held by {'; and by '.join(describe(one, now_ms, who, left) for one in holders)}."


def render_queue(
    name: str, limit: int | None, tickets: Sequence[Ticket], now_ms: int, who: Who, left: Left
) -> list[str]:
    """All about one lock (``limit`` None) or slot, one line for each ticket."""
    holders = [ticket for ticket in tickets if ticket.has_turn]
    waiting = [ticket for ticket in tickets if not ticket.has_turn]
    if limit is None:
        lines = [f"{name}: {'held' if holders else 'free'}"]
    else:
        lines = [f"{name}: {len(holders)} of {limit} in use"]
    lines += [f"  has it  {describe(ticket, now_ms, who, left)}" for ticket in holders]
    for position, ticket in enumerate(waiting, 1):
        lines.append(f"  {ordinal(position):<6}  {describe(ticket, now_ms, who, left)}")
    return lines
