"""Handing text to an agent by typing: the thin shell around ``core.delivery``, shared by drivers of panes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Generic, Protocol, TypeVar

import msgspec

from controlroom.core.delivery import AgentNow, Intent, Trace
from controlroom.core.facts import Composer, ScreenReading
from controlroom.core.screen import Frame
from controlroom.core.submission import (
    ClearLine,
    Done,
    Effect,
    Event,
    Finish,
    Locate,
    Located,
    Look,
    Looked,
    NotDone,
    Paste,
    Save,
    Search,
    Submit,
    Wait,
    start,
    step,
)
from controlroom.core.text import strip_controls
from controlroom.node.agents.base import Answered, IntentLog, Outcome, Outgoing, SendAs, Sighting, World
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef

T = TypeVar("T")


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


class OpenDialog(msgspec.Struct, Generic[T], frozen=True):
    """A dialog as the driver sees it, and its identity (``core.dialogs.dialog_id``)."""

    id: str
    shown: T


class AnsweringAgent(Protocol[T]):
    """What answering a dialog by keys asks of a driver. ``T`` is what its ``next_step`` needs to see."""

    async def open_dialog(self, who: Sighting) -> OpenDialog[T] | None:
        """The dialog on the screen now, freshly read. Its id must not change while it is being answered:
        ticks, the cursor and text typed into it do not count."""

    def next_step(self, shown: T, want: Want, done: int) -> AnswerStep:
        """Pure. What to do next, after ``done`` steps, given the dialog as it stands now."""


# --- messages ----------------------------------------------------------------------------------------


async def submit_by_typing(
    world: World, who: Sighting, message: Outgoing, log: IntentLog, agent: TypedAgent
) -> Outcome:
    """Type a message and submit it, or look again for one whose intent is stored. Never types twice.

    Takes at most about 20 s, most of it only while the agent's file does not show the message. What the
    multiplexer or ``log`` raises in the middle leaves an intent that a later call goes on from.
    """
    if who.pane is None:
        return Outcome(state="held", code="gone", text="No pane shows this agent now.")
    # First the control characters go: one in front of a "/" would hide the command from ``harmless`` and
    # then leave it to be run.
    cleaned, removed = strip_controls(message.text)
    text = agent.harmless(cleaned, message.send_as)
    run, effect = start(
        text,
        command=message.send_as == "command",
        when=message.when,
        on_draft=message.on_draft,
        intent=message.intent,
    )
    hands = _Hands(world, who, who.pane, log, agent)
    while not isinstance(effect, Finish):
        run, effect = step(run, await hands.perform(effect))
    if removed and effect.outcome.state == "delivered":
        return msgspec.structs.replace(effect.outcome, text=f"{removed} control characters were taken out.")
    return effect.outcome


class _Hands:
    """Performs the effects of one run, and re-checks right before each act whose pane it is."""

    def __init__(self, world: World, who: Sighting, pane: PaneRef, log: IntentLog, agent: TypedAgent) -> None:
        self._world = world
        self._who = who
        self._pane = pane
        self._log = log
        self._agent = agent

    async def perform(self, effect: Effect) -> Event:
        match effect:
            case Look():
                return await self._look(effect.expected)
            case Locate():
                return Located(*await self._agent.position(self._who))
            case Save():
                await self._log.save(effect.intent)
            case Wait():
                await self._world.settle(effect.seconds)
            case Search():
                return await self._agent.trace(self._who, effect.intent)
            case Paste():
                return await self._act(partial(self._world.paste, self._pane, effect.text))
            case Submit():
                return await self._press(*self._agent.submit_keys(effect.now))
            case ClearLine():
                return await self._press(*(("End", "C-u") if effect.to_end else ("C-u",)))
            case Finish():
                raise AssertionError("the run is over")
        return Done()

    async def _look(self, expected: str) -> Looked:
        now, screen, alive = await _see(self._world, self._who, self._pane, self._agent)
        composer = None if screen is None else screen.composer
        draft = "" if composer is None else composer.text
        return Looked(
            alive=alive,
            now=now,
            screen=screen,
            holds=composer is not None and self._agent.holds(composer, expected),
            draft_is_command=self._agent.harmless(draft, "text") != self._agent.harmless(draft, "command"),
        )

    async def _press(self, *keys: str) -> Event:
        return await self._act(partial(self._world.keys, self._pane, keys))

    async def _act(self, act: Callable[[], Awaitable[object]]) -> Event:
        """``Done`` also when the multiplexer broke off: the act may have been done."""
        if not await self._world.still(self._who):
            return NotDone()
        with suppress(PaneGone, PaneBusy):
            await act()
        return Done()


async def _see(
    world: World, who: Sighting, pane: PaneRef, agent: TypedAgent
) -> tuple[AgentNow, ScreenReading | None, bool]:
    """What the agent says, what its screen shows (None: cannot be read now), and whether it is there.

    The screen is read last: it is what can change within milliseconds.
    """
    if not await world.still(who):
        return "unknown", None, False
    now = await agent.now(who)
    try:
        return now, agent.read_screen(await world.frame(pane)), True
    except PaneGone:
        return now, None, False
    except PaneBusy:
        return now, None, True


# --- answers -----------------------------------------------------------------------------------------

MAX_STEPS = 64  # a picker with many options, one step for each row
EFFECT_S = 2.0  # a dialog redraws within 0.1 s; a loaded machine may take a second
GONE_S = 4.0  # a program that exits after the answer takes 0.5 s
LOOK_EVERY_S = 0.1


async def answer_by_keys(
    world: World, who: Sighting, agent: AnsweringAgent[T], dialog_id: str, want: Want
) -> Answered:
    """Answer the dialog that has this id: it is read again right before each key.

    A key that changes nothing on the screen is not followed by another one: what is shown might be old.
    """
    if who.pane is None:
        return Answered(state="failed", text="No pane shows this agent now.")
    answer = _Answer(world, who, who.pane, agent, dialog_id, want)
    try:
        return await answer.run()
    except (PaneGone, PaneBusy):
        return Answered(
            state="unconfirmed" if answer.has_begun else "failed", text="The agent's pane cannot be read now."
        )


class _Answer(Generic[T]):
    def __init__(
        self,
        world: World,
        who: Sighting,
        pane: PaneRef,
        agent: AnsweringAgent[T],
        dialog_id: str,
        want: Want,
    ) -> None:
        self._world = world
        self._who = who
        self._pane = pane
        self._agent = agent
        self._id = dialog_id
        self._want = want
        self.has_begun = False

    async def run(self) -> Answered:
        for done in range(MAX_STEPS):
            shown = await self._steady()
            if shown is None or shown.id != self._id:
                return Answered(
                    state="changed",
                    text="The dialog is not the one that was seen."
                    if done == 0
                    else "The dialog changed while it was being answered.",
                )
            move = self._agent.next_step(shown.shown, self._want, done)
            if isinstance(move, CannotAnswer):
                return Answered(state="failed", text=move.text)
            before = (await self._world.frame(self._pane)).revision
            if not await self._world.still(self._who):
                return Answered(state="failed", text="The agent does not run in its pane now.")
            self.has_begun = True
            if isinstance(move, TypeText):
                await self._world.paste(self._pane, strip_controls(move.text)[0])
            else:
                await self._world.keys(self._pane, move.keys)
                if move.answers:
                    return await self._is_gone()
            if not await self._has_effect(before):
                return Answered(state="unconfirmed", text="A key had no effect; nothing more was pressed.")
        return Answered(state="unconfirmed", text="The dialog could not be answered in so many steps.")

    async def _steady(self) -> OpenDialog[T] | None:
        """The dialog once two looks in a row agree: a half-drawn screen is neither new nor gone."""
        last = await self._agent.open_dialog(self._who)
        for _ in range(int(EFFECT_S / LOOK_EVERY_S)):
            await self._world.settle(LOOK_EVERY_S / 2)
            shown = await self._agent.open_dialog(self._who)
            if shown == last:
                break
            last = shown
        return last

    async def _has_effect(self, before: str) -> bool:
        for _ in range(int(EFFECT_S / LOOK_EVERY_S)):
            await self._world.settle(LOOK_EVERY_S)
            if (await self._world.frame(self._pane)).revision != before:
                return True
        return False

    async def _is_gone(self) -> Answered:
        """The answering key was pressed: wait until the dialog is gone (with its program, perhaps)."""
        for _ in range(int(GONE_S / LOOK_EVERY_S)):
            await self._world.settle(LOOK_EVERY_S)
            if not await self._world.still(self._who):
                return Answered(state="delivered", text="The agent ended after the answer.")
            with suppress(PaneGone, PaneBusy):
                shown = await self._agent.open_dialog(self._who)
                if shown is None or shown.id != self._id:
                    return Answered(state="delivered")
        return Answered(state="unconfirmed", text="The dialog still stands; nothing more was pressed.")


# --- interrupts --------------------------------------------------------------------------------------

INTERRUPT_S = 6.0  # an interrupt is drawn at once; the agent's own evidence follows within 2 s


async def interrupt_by_keys(
    world: World,
    who: Sighting,
    agent: TypedAgent,
    keys: tuple[str, ...] = ("Escape",),
    turn: Callable[[Sighting], Awaitable[str]] | None = None,
) -> Answered:
    """End the running turn by one press; nothing is pressed on a dialog or when no turn runs.

    ``turn`` names the turn that runs: another name means that this one ended, although a queued message
    may have begun the next at once.
    """
    if who.pane is None:
        return Answered(state="failed", text="No pane shows this agent now.")
    running = "" if turn is None else await turn(who)
    now, screen, alive = await _see(world, who, who.pane, agent)
    if not alive:
        return Answered(state="failed", text="The agent does not run in its pane now.")
    if now == "idle":
        return Answered(state="delivered", text="No turn ran.")
    if screen is None:
        return Answered(state="failed", text="The agent's screen cannot be read now.")
    if now == "waiting" or screen.look in ("dialog", "startup") or screen.dialog is not None:
        return Answered(state="changed", text="A dialog is open; nothing was pressed.")
    if now != "working":
        return Answered(state="failed", text="Whether a turn runs cannot be told now; nothing was pressed.")
    with suppress(PaneGone, PaneBusy):
        await world.keys(who.pane, keys)
    for _ in range(int(INTERRUPT_S / LOOK_EVERY_S)):
        await world.settle(LOOK_EVERY_S)
        if not await world.still(who):
            return Answered(state="delivered", text="The agent ended.")
        if await agent.now(who) == "idle" or (turn is not None and await turn(who) != running):
            return Answered(state="delivered")
    return Answered(state="unconfirmed", text="The turn still runs; nothing more was pressed.")
