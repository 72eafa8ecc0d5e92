"""Carries a session's files from one profile to another: copies, verifies, and can be called again."""

from __future__ import annotations

from pathlib import Path

import msgspec

from controlroom.node.agents.moving import Moving


class CannotCarry(Exception):
    """The session is not in the target, which is as it was before; the text says why, for people."""


class Carried(msgspec.Struct, frozen=True):
    """What was done. ``text``: a sentence or more for the receipt. ``backups``: paths of what it replaced."""

    text: str
    files: int = 0
    backups: tuple[str, ...] = ()


async def carry(moving: Moving, session_id: str, source: str, target: str, memory: Path) -> Carried:
    """Bring everything that a session owns into the target profile. Nothing may write to it meanwhile.

    ``memory``: a file of this one carrying in a private folder; with it the same call goes on after a kill at
    any moment, and ``take_back`` undoes what was left half done. It stays until ``forget``. The source is
    never changed. Raises CannotCarry.
    """
    raise CannotCarry("Sessions cannot be carried yet.")


async def take_back(memory: Path) -> None:
    """Leave the target as it was before ``carry``, after a kill or a failure of what came after. Idempotent;
    nothing happens without a memory. Only for a session that has not been resumed in the target. Raises
    CannotCarry when the target cannot be reached."""


def forget(memory: Path) -> None:
    """The move is over: drop what only going on would need."""
    memory.unlink(missing_ok=True)
