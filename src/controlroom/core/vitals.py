"""Whether a machine is nearly full, and what was killed for memory: figures become trouble, and blink not.

A machine without memory kills programs, and agents with them; one without disk loses what is written. Both
are told before, with the figure. Trouble begins below one mark and ends above a higher one, so that a figure
that swings around a mark is one trouble.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

import msgspec

What = Literal["memory", "disk"]

LOW_PCT = 4.0
ENOUGH_PCT = 7.0
"""Of all memory, or of the disk: agents need some hundred MB each within seconds."""

LITTLE_BYTES = 100_000_000
"""So little is too little of any disk: the databases and their copies may not fit any more."""

PLENTY_BYTES = 20_000_000_000  # of a large disk or memory a few percent may be plenty
KILLED_MS = 3_600_000
"""How long it is shown that something was killed."""

AT_ONCE_MS = 15_000
"""An agent that ended so near to a kill may be what was killed."""

GB = 1_000_000_000


class Room(msgspec.Struct, frozen=True):
    """What is free of what; ``where``: of a disk, its folder."""

    what: What
    free_bytes: int
    all_bytes: int
    where: str = ""


class Killed(msgspec.Struct, frozen=True):
    """Programs that the system killed for memory: how many, when the last, which agents ended then."""

    count: int
    at_ms: int
    agents: tuple[str, ...] = ()


class Item(msgspec.Struct, frozen=True):
    code: str
    title: str
    do: str


def is_low(room: Room, *, was_low: bool) -> bool:
    """Whether it is nearly full. What is free is never a negative part; a size of zero says nothing."""
    if room.all_bytes <= 0:
        return False
    if room.what == "disk" and room.free_bytes < (2 if was_low else 1) * LITTLE_BYTES:
        return True
    free_pct = 100 * room.free_bytes / room.all_bytes
    mark, plenty = (ENOUGH_PCT, 2 * PLENTY_BYTES) if was_low else (LOW_PCT, PLENTY_BYTES)
    return free_pct < mark and room.free_bytes < plenty


def items_of(rooms: Sequence[Room], low: Collection[str], killed: Killed | None, now_ms: int) -> list[Item]:
    """The troubles now. ``low``: codes of what was low before."""
    found = [_low_item(room) for room in rooms if is_low(room, was_low=code_of(room) in low)]
    if killed is not None and 0 <= now_ms - killed.at_ms < KILLED_MS:
        found.append(_killed_item(killed))
    return found


def code_of(room: Room) -> str:
    return "vitals:memory" if room.what == "memory" else f"vitals:disk:{room.where}"


def _low_item(room: Room) -> Item:
    figures = f"{_size(room.free_bytes)} of {_size(room.all_bytes)}"
    if room.what == "memory":
        return Item(
            code_of(room),
            f"Memory is nearly full: {figures} left",
            "End what is not needed: the system may kill an agent next.",
        )
    return Item(
        code_of(room),
        f"The disk of {room.where} is nearly full: {figures} left",
        "Make room: what agents write and what is sent to them may get lost.",
    )


def _killed_item(killed: Killed) -> Item:
    programs = "A program was" if killed.count == 1 else f"{killed.count} programs were"
    if not killed.agents:
        return Item("vitals:killed", f"{programs} killed for memory", "Run less at once on this machine.")
    names = ", ".join(killed.agents[:3]) + (" and others" if len(killed.agents) > 3 else "")
    return Item(
        "vitals:killed",
        f"{programs} killed for memory, and {names} ended at that moment",
        "Start what ended again, and run less at once on this machine.",
    )


def _size(count: int) -> str:
    return f"{count / GB:.1f} GB" if count >= GB / 10 else f"{count // 1_000_000} MB"
