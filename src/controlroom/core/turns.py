"""Turns at shared hardware: who may go, who waits, in which order.

Theory. Whoever wants a turn draws a ticket with the next number and keeps it locked for as long as it waits
or works; the kernel unlocks it with the process, however that ends (``kit.turns``). So the tickets that are
locked are all there is to know, and what is decided here is decided while nobody else can draw or change one:

* A turn is never taken away: a ticket keeps it until it is unlocked, also when the limit was lowered.
* Else the lowest number goes first, as long as fewer tickets than the limit have a turn.
* One that was stopped (Ctrl-Z) while it waited cannot take its turn: it is passed over, and keeps its place.

Source: spec 002 section 11, "Throttle shared hardware".
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

import msgspec

TurnKind = Literal["lock", "slot"]

NAME_PATTERN = r"[a-z0-9][a-z0-9_-]{0,39}"
"""What a lock or a slot may be called: also a name of a folder and of a setting."""


class Ticket(msgspec.Struct, frozen=True, kw_only=True):
    """Who wants a turn, or has it. ``started``, the kernel's start time, and ``pid`` name one process.

    ``pid`` 0: not known here. ``space``: the pid namespace that it is meant in; sandboxes have their own.
    """

    number: int
    pid: int
    started: str
    program: str
    folder: str
    space: str
    since_ms: int  # when it began to wait; when its turn began, if it has one
    has_turn: bool = False
    server: str = ""  # the tmux server and pane it was called in, "" outside
    pane: str = ""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How it stands for one ticket. ``position`` is 1 for the next in the queue."""

    may_go: bool
    position: int
    holders: tuple[Ticket, ...]


def standing(tickets: Iterable[Ticket], number: int, limit: int, stopped: Collection[int] = ()) -> Standing:
    """Whether the ticket with this number may take its turn now. ``stopped``: numbers of those that sleep.

    ``tickets`` are all that are locked, this one among them; it has no turn yet.
    """
    ordered = sorted(tickets, key=lambda ticket: ticket.number)
    holders = tuple(ticket for ticket in ordered if ticket.has_turn)
    before = [ticket for ticket in ordered if ticket.number < number and not ticket.has_turn]
    awake = [ticket for ticket in before if ticket.number not in stopped]
    return Standing(may_go=len(holders) + len(awake) < limit, position=len(before) + 1, holders=holders)


def next_number(tickets: Iterable[Ticket]) -> int:
    """Behind all others."""
    return max((ticket.number for ticket in tickets), default=0) + 1
