"""What operations ask of kinds of agents that can be started: how, and which start-up prompts are known.

A driver that implements ``Launching`` can be started, restarted and ended by operations; others cannot, and
operations on their agents say so.
"""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Callable, Iterable
from typing import Literal, Protocol, runtime_checkable

import msgspec

from controlroom.core.facts import Dialog
from controlroom.node.agents.base import Sighting

Going = Literal["on", "anew"]
"""``on``: with the session it had; ``anew``: with a new one."""


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """How a program is started: its file (or a name to look for in PATH), its words (the first is its own
    name), and variables without secrets. ``session_id``: the session that it will have, where it is known."""

    program: str
    argv: tuple[str, ...]
    environment: dict[str, str] = {}
    session_id: str | None = None
    own_words: tuple[str, ...] = ()  # those that choose no session


class Command(msgspec.Struct, frozen=True):
    """A program and its words, the first of them its own name; none of them chooses a session."""

    program: str
    words: tuple[str, ...]

    def launch(
        self, environment: dict[str, str], session_id: str | None, *last: str, first: tuple[str, ...] = ()
    ) -> Launch:
        """With the words that choose its session: ``first`` right behind its name, ``last`` at the end."""
        return Launch(
            program=self.program,
            argv=(*self.words[:1], *first, *self.words[1:], *last),
            environment=environment,
            session_id=session_id,
            own_words=self.words,
        )


def last_command(last: Launch | None, usual: str) -> Command:
    """Of one that has ended: as it ran last; the program of this name in PATH where that is not known."""
    return Command(usual, (usual,)) if last is None else Command(last.program, last.own_words)


def known_option(
    dialog: Dialog, known: Iterable[tuple[str, str]], plain: Callable[[str], str] = str
) -> str | None:
    """The key of the option that a start-up prompt of this list has once: each names words of the prompt and
    the whole label of the option. ``plain``: what of a label on the screen counts."""
    if dialog.kind != "startup" or dialog.multi:
        return None
    words = "\n".join((dialog.text, *(option.label for option in dialog.options)))
    for mark, label in known:
        found = [option.key for option in dialog.options if plain(option.label) == label]
        if mark in words and len(found) == 1:
            return found[0]
    return None


class CannotLaunch(Exception):
    """It cannot be started so; the text says why, for people."""


@runtime_checkable
class Launching(Protocol):
    """A kind of agent that can be started."""

    def launch(self, who: Sighting, going: Going, last: Launch | None) -> Launch:
        """Start this agent again, with the words it was started with: those of its process while it lives,
        else those of ``last``, else none. Raises CannotLaunch."""

    def launch_new(self, profile: str, model: str, flags: tuple[str, ...] = ()) -> Launch:
        """Start a new agent in a profile ("" = the usual one) with a model ("" = its own choice), and with
        the words of these flags."""

    def safe_option(self, dialog: Dialog, *, is_again: bool) -> str | None:
        """The option of this start-up prompt that may be chosen without a person, by a short list of exact
        prompts and options; None for all others. ``is_again``: the same agent ran in the same folder
        right before, with the same profile or, when it is moved, with another."""


Left = Literal["asked", "busy", "deaf"]
"""``asked``: what ends it was pressed. ``busy``: it does something, or somebody types, that may not be
dropped. ``deaf``: it cannot be asked at its screen now."""


@runtime_checkable
class Leaving(Protocol):
    """A kind of agent that is asked at its screen to end; all others are asked by SIGTERM. Whether it has
    ended is seen by its process alone."""

    async def leave(self, who: Sighting, *, drop: bool) -> Left:
        """Ask this agent to end as a person would; asked again, it goes on from where it stands. ``drop``:
        what runs is ended first, an open dialog is cancelled, and a draft is cleared. Raises PaneGone and
        PaneBusy."""

    def ends_with(self, who: Sighting) -> frozenset[int]:
        """The pids that end with it: a pane whose own process is among them has to be kept to stay."""


def leaving(driver: object) -> Leaving | None:
    """A driver as one whose agents are asked at their screens, None for another."""
    return driver if isinstance(driver, Leaving) else None


def launching(driver: object) -> Launching | None:
    """A driver as one whose agents can be started, None for another."""
    return driver if isinstance(driver, Launching) else None


def new_session_id() -> str:
    """A random UUID: sessions are named so by the agents themselves."""
    return str(uuid.UUID(bytes=secrets.token_bytes(16), version=4))
