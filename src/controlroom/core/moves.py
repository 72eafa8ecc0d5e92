"""Which copy of a session's files wins when it moves to another profile, as pure decisions.

Theory. A history grows at its end only, so two copies of one either agree up to the shorter one's end or went
apart somewhere. What was said or done ("talk") behind the place where they part is what could be lost; rows
without talk (settings, marks of opening and closing) are never worth anything to a person. Nothing that holds
talk of its own is replaced without a backup, and when the target's copy tells more than the source's, nothing
is done at all. A person is not asked to trust: every outcome is said.

Files that are no histories follow their session: who wins the history has the right files beside it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

SPARE_BYTES = 50_000_000
"""What must stay free on the target's disk: the agent goes on writing there."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a session in the source, beside the same one in the target.

    ``common``: how many first bytes are equal. Talk is counted in rows, behind the last row that both have.
    """

    name: str
    source_size: int
    target_size: int | None = None  # None: the target has none
    is_history: bool = False
    is_one_file: bool = False  # both paths lead to the same file
    common: int = 0
    source_talk: int = 0
    target_talk: int = 0
    base_bytes: int | None = None
    """Set for a history that another one builds on: this many first bytes are needed, and what is there must
    never change."""

    @property
    def is_equal(self) -> bool:
        return self.common == self.source_size == self.target_size


Fate = Literal["copy", "leave", "keep", "extend", "replace"]
"""``copy``: the target has none. ``leave``: it has the same. ``keep``: the target's goes further, or is
enough. ``extend``: the target's is a beginning of the source's. ``replace``: the target's goes away, with a
backup."""


class Refused(Exception):
    """The session cannot go there; the text says why, for people."""


def plan(pairs: tuple[Pair, ...]) -> tuple[Fate, ...]:
    """What becomes of each file, the session's own history first. Raises Refused."""
    if not pairs or not pairs[0].is_history:
        raise Refused("The session has no history there, so there is nothing to move.")
    main = _of_history(pairs[0])
    return tuple(
        main if pair is pairs[0] else _of_history(pair) if pair.is_history else _of_file(pair, main)
        for pair in pairs
    )


def _of_history(pair: Pair) -> Fate:
    if pair.target_size is None:
        return "copy"
    if pair.is_one_file or pair.is_equal:
        return "leave"
    if pair.base_bytes is not None:
        return _of_base(pair, pair.base_bytes)
    if pair.common == pair.target_size:
        return "extend"
    if pair.common == pair.source_size or (pair.target_talk and not pair.source_talk):
        return "keep"
    if pair.target_talk > pair.source_talk:
        raise Refused(
            f"The target has another history of this session, and it goes further: {rows(pair.target_talk)}"
            f" that the source does not have, against {rows(pair.source_talk)}. Nothing was changed."
        )
    return "replace"


def _of_base(pair: Pair, needed: int) -> Fate:
    if pair.common >= needed:
        return "keep"
    if pair.common == pair.target_size:
        return "extend"
    raise Refused(
        f"The session was forked from one whose history in the target is another ({pair.name})."
        " Nothing was changed."
    )


def _of_file(pair: Pair, main: Fate) -> Fate:
    if pair.target_size is None:
        return "copy"
    if pair.is_one_file or pair.is_equal:
        return "leave"
    if main == "keep":
        return "keep"
    return "extend" if pair.common == pair.target_size else "replace"


def has_room(pairs: tuple[Pair, ...], fates: tuple[Fate, ...], free: int) -> None:
    """Raises Refused when what has to be written does not fit."""
    needed = sum(pair.source_size for pair, fate in zip(pairs, fates, strict=True) if is_written(fate))
    if needed and needed + SPARE_BYTES > free:
        raise Refused(
            f"The disk of the target is too full: {size(needed)} and some room to go on are needed,"
            f" {size(free)} are free. Nothing was changed."
        )


def is_written(fate: Fate) -> bool:
    """Whether the file goes into the target."""
    return fate in ("copy", "extend", "replace")


def told(pairs: tuple[Pair, ...], fates: tuple[Fate, ...], backups: int) -> str:
    """What was done, for the receipt. ``backups``: how many files of the target were put aside."""
    written = [pair for pair, fate in zip(pairs, fates, strict=True) if is_written(fate)]
    said = []
    if written:
        said.append(f"{files(len(written))} copied ({size(sum(pair.source_size for pair in written))}).")
    elif all(pair.is_one_file for pair in pairs):
        said.append("The target shares the session's files, so nothing was copied.")
    else:
        said.append("The target had everything already, so nothing was copied.")
    if fates[0] == "keep" and pairs[0].target_talk:
        said.append(f"The target's own history goes on, {rows(pairs[0].target_talk)} longer.")
    if backups:
        said.append(f"Replaced in the target and kept as a backup: {files(backups)}.")
    return " ".join(said)


def files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def rows(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def size(count: int) -> str:
    """A size for people: ``104 MB``, ``12 kB``, ``7 bytes``."""
    for unit, step in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if count >= step:
            return f"{count / step:.3g} {unit}"
    return "1 byte" if count == 1 else f"{count} bytes"
