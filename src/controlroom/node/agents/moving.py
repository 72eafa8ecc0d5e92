"""What moves ask of kinds of agents: what a session owns in a profile, and how a profile is chosen.

A driver that is ``Movable`` beside ``Launching`` can be moved to another profile of its kind. It only
names things; ``node.acts.carrying`` copies them. A profile is a config folder; nothing of a login is ever
named here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol, runtime_checkable

import msgspec


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """One regular file that a session owns. ``folder`` is relative to the profile: where the session lies;
    ``name`` is relative to that, and may go deeper.

    ``history``: the id of the session whose growing history this file is; "" for any other file. The same
    history may lie in another folder of another profile; it stays there, and what lies beside it follows.
    ``base_bytes``: set for a history that another one builds on: so many of its first bytes are needed.
    """

    folder: str
    name: str
    history: str = ""
    base_bytes: int | None = None

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}" if self.folder else self.name


class Belongings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one session owns in one profile, its own history first.

    ``folders``: those that hold nothing else; their times say when something happened, so they are kept.
    ``missing``: what the session needs and the profile does not have, for people.
    """

    pieces: tuple[Piece, ...] = ()
    folders: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class Owning(Protocol):
    """What copying asks."""

    def belongings(self, profile: str, session_id: str) -> Belongings:
        """What this session owns in a profile; no pieces when it has no history there. Blocks. Raises
        OSError when a folder cannot be read."""

    def histories(self, profile: str, session_ids: Collection[str]) -> Mapping[str, Piece]:
        """Where the histories of these sessions lie in a profile; without those that have none there. Looks
        through the profile once, however many they are. Blocks. Raises OSError."""

    def is_talk(self, row: bytes) -> bool:
        """Whether this row of a history was said or done by the person or the model: only such rows make a
        history worth keeping. A damaged row is none."""


class Moving(Owning, Protocol):
    """How sessions of one kind of agent go to another profile: a module of that kind, without a state."""

    takes_name_along: bool
    """Whether its own name for a session lies in what is copied. Else it gets a new one in the target."""

    def variables(self, profile: str) -> dict[str, str | None]:
        """The variables that choose a profile (a config folder's path). None: it must not be set, whatever
        the environment says that the program would inherit."""

    def refusal(self, words: str) -> str:
        """Why the program refused to go on with a moved session, for people, when the last words on its
        screen say so exactly; "" for anything else."""


@runtime_checkable
class Movable(Protocol):
    """A driver of agents whose sessions can go to another profile."""

    @property
    def sessions_move(self) -> Moving:
        """How they do."""


def moving(driver: object) -> Moving | None:
    """How the sessions of this driver's agents move; None where they cannot."""
    return driver.sessions_move if isinstance(driver, Movable) else None
