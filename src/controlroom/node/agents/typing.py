"""Handing text to an agent by typing: the thin shell around ``core.delivery``, shared by drivers of panes."""

from __future__ import annotations

from typing import Protocol

import msgspec

from controlroom.core.delivery import AgentNow, Intent, Trace
from controlroom.core.facts import Composer, Dialog, ScreenReading
from controlroom.core.screen import Frame
from controlroom.node.agents.base import Answered, IntentLog, Outcome, Outgoing, SendAs, Sighting, World


class TypedAgent(Protocol):
    """What typing asks of a driver. Everything is read freshly at each call: no caches of seconds."""

    def read_screen(self, frame: Frame) -> ScreenReading:
        """Pure. The composer is given only when it is positively seen; its text has no border, no prompt
        mark, no placeholder; rows that belong to it are joined with newlines."""

    async def now(self, who: Sighting) -> AgentNow:
        """Idle, working, waiting … by the agent's own evidence (registry, socket, transcript)."""

    async def position(self, who: Sighting) -> tuple[str | None, str]:
        """(session id, opaque position): a message typed from now on can only stand behind it. Works
        for an agent without any file yet."""

    async def trace(self, who: Sighting, intent: Intent) -> Trace:
        """Look for the intent's message behind its position, also in a session that followed (``/clear``).
        ``core.delivery.same_message`` compares a row's text. Must read on from the position, never the
        whole file: it is asked several times a second."""

    def harmless(self, text: str, send_as: SendAs) -> str:
        """See ``Driver.harmless``."""

    def holds(self, composer: Composer, text: str) -> bool:
        """Is this whole text, and nothing else, what stands in the composer? ``core.delivery.shows_whole``
        compares what can be read; a collapsed mark must at least be one of this agent's paste marks."""

    def submit_keys(self, now: AgentNow) -> tuple[str, ...]:
        """The key that submits: Enter, or another one while it works (queue instead of interrupt)."""


class Want(msgspec.Struct, frozen=True):
    """How a person wants a dialog answered: an option's key, free text, or both."""

    option: str | None = None
    text: str | None = None


class Press(msgspec.Struct, frozen=True):
    """Keys to press now. ``answers``: after them the dialog must be gone; else it is read again and the next
    step is asked for."""

    keys: tuple[str, ...]
    answers: bool = False


class TypeText(msgspec.Struct, frozen=True):
    """A text to paste into the dialog's input."""

    text: str


class CannotAnswer(msgspec.Struct, frozen=True):
    """This dialog cannot be answered that way; ``text`` says why, for people."""

    text: str


AnswerStep = Press | TypeText | CannotAnswer


class OpenDialog(msgspec.Struct, frozen=True):
    """A dialog and its identity (``core.dialogs.dialog_id``)."""

    id: str
    dialog: Dialog


class AnsweringAgent(Protocol):
    """What answering a dialog by keys asks of a driver."""

    async def open_dialog(self, who: Sighting) -> OpenDialog | None:
        """The dialog on the screen now, freshly read. Its id must not change while it is being answered:
        ticks, the cursor and text typed into it do not count."""

    def next_step(self, dialog: Dialog, want: Want, done: int) -> AnswerStep:
        """Pure. What to do next, after ``done`` steps, given the dialog as it stands now."""


async def submit_by_typing(
    world: World, who: Sighting, message: Outgoing, log: IntentLog, agent: TypedAgent
) -> Outcome:
    """Type a message and submit it, or look again for one whose intent is stored. Never types twice."""
    raise NotImplementedError


async def answer_by_keys(
    world: World, who: Sighting, agent: AnsweringAgent, dialog_id: str, want: Want
) -> Answered:
    """Answer the dialog that has this id: it is read again right before each key."""
    raise NotImplementedError


async def interrupt_by_keys(
    world: World, who: Sighting, agent: TypedAgent, keys: tuple[str, ...] = ("Escape",)
) -> Answered:
    """End the running turn by one press; nothing is pressed on a dialog or when no turn runs."""
    raise NotImplementedError
