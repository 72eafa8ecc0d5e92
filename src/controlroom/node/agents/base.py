"""The Protocol of agent kinds ("drivers"). Its contract suite is ``tests/contract/test_driver.py``.

A driver knows one kind of agent: it finds those that live now, reports facts about them (never a verdict,
see ``core.facts``), reads their conversation and hands them text. The Protocol knows no pane, no process
and no file: those are helpers (``World``) that a driver may use. All outside text is data.
"""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from controlroom.core.delivery import Intent as Intent
from controlroom.core.delivery import OnDraft as OnDraft
from controlroom.core.delivery import Outcome as Outcome
from controlroom.core.delivery import OutcomeState as OutcomeState
from controlroom.core.delivery import SendAs as SendAs
from controlroom.core.delivery import SendWhen as SendWhen
from controlroom.core.facts import AgentFacts
from controlroom.core.screen import Frame
from controlroom.kit.process import Processes
from controlroom.node.mux.base import Listing, Pane, PaneRef
from controlroom.wire.model import Item
from controlroom.wire.node import ReplyAsks


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """One agent that lives now."""

    kind: str
    incarnation: str  # same string = same process: pid and start time, or the driver's like
    session_id: str | None  # None: not known yet (start-up, or nothing said so far)
    ancestors: tuple[str, ...] = ()  # sessions that this one continues or was forked from, nearest first
    name: str = ""  # the agent's or person's name for it; "" = none
    folder: str = ""
    profile: str = ""  # the config folder's path
    pane: PaneRef | None = None
    started_at_ms: int = 0
    uncertain: str = ""  # why the mapping is not certain, for people; "" = certain
    is_harmless: bool = False  # to go on with ``session_id`` loses nothing, although it is not certain
    headless: bool = False  # a living process that no pane shows (daemon thread, other terminal)


class Found(msgspec.Struct, frozen=True):
    """What one look found, and problems that last (an unreadable config folder), for Health."""

    sightings: tuple[Sighting, ...]
    problems: tuple[tuple[str, str], ...] = ()  # (code, sentence that says what to do)


class ItemsPage(msgspec.Struct, frozen=True, kw_only=True):
    """Chat items, oldest first. Cursors are opaque, stable for the same rows wherever the file lies.

    ``before``: cursor for the page of older items, None at the start of the conversation. ``after``: cursor
    behind the last row read; asking with it later gives new items *and* items of earlier pages whose state
    changed (same id: replace). ``reset``: the cursor given does not fit the file any more (replaced or
    cut); this page is the newest one, read again. ``asks``: of those replies among ``items`` that ask the
    person something.
    """

    items: tuple[Item, ...]
    before: str | None
    after: str
    skipped: int = 0
    reset: bool = False
    asks: tuple[ReplyAsks, ...] = ()


class Outgoing(msgspec.Struct, frozen=True, kw_only=True):
    """One message on its way. ``intent`` is set when an earlier try had begun (after a kill)."""

    id: str
    text: str
    when: SendWhen = "idle"
    send_as: SendAs = "text"
    on_draft: OnDraft = "wait"
    intent: Intent | None = None


class IntentLog(Protocol):
    """Where ``submit`` stores its intents. Returns only after the intent is on disk."""

    async def save(self, intent: Intent) -> None: ...


AnswerState = Literal["delivered", "changed", "failed", "unconfirmed"]


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer ended. ``delivered``: the dialog that was answered is gone."""

    state: AnswerState
    text: str = ""


class World(Protocol):
    """What drivers of programs in panes may use. The node implements it over all multiplexers."""

    @property
    def listing(self) -> Listing:
        """The newest listing of all panes (all multiplexers together)."""

    @property
    def processes(self) -> Processes: ...

    def now_ms(self) -> int: ...

    def pane(self, ref: PaneRef) -> Pane | None: ...

    async def still(self, who: Sighting) -> bool:
        """Right now, freshly read: does that pane still hold that agent's process?"""

    async def frame(self, ref: PaneRef, *, max_age_s: float = 0.0) -> Frame:
        """The screen, from the cache when it is younger than ``max_age_s``. Raises PaneGone, PaneBusy."""

    def known_frame(self, ref: PaneRef, *, max_age_s: float) -> Frame | None:
        """What ``frame`` would give from the cache; None when it would have to read."""

    async def paste(self, ref: PaneRef, text: str) -> int:
        """One bracketed paste; returns how many control characters were removed."""

    async def keys(self, ref: PaneRef, keys: tuple[str, ...]) -> None: ...

    async def settle(self, seconds: float) -> None:
        """Let the program react; returns early where the multiplexer can tell."""


class Driver(Protocol):
    """One kind of agent on one machine."""

    kind: str

    async def find(self) -> Found:
        """All agents of this kind that live now. Cheap when nothing changed (called every second)."""

    async def facts(self, who: Sighting) -> AgentFacts:
        """Facts about one sighting, each with its source and age. Never raises for a missing or damaged
        file: the fact is then missing or ``fault`` says it."""

    def glance(self, who: Sighting) -> AgentFacts | None:
        """The facts of the last look again, read anew at a few system calls, when nothing they come from has
        changed and time decides nothing in them; None: ask ``facts``. Never waits, never raises."""

    def asks(self, frame: Frame) -> bool:
        """Whether this screen asks the person something: a dialog, or a prompt before the agent is up. Reads
        nothing else. A kind without panes says False."""

    async def farewell(self, who: Sighting) -> AgentFacts:
        """Facts about an agent that ``find`` named before and names no more: clean end or crash?"""

    async def items(
        self,
        session_id: str,
        profile: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsPage:
        """A page of the conversation: the newest without a cursor. Raises LookupError when the session has
        no file in any known place."""

    def harmless(self, text: str, send_as: SendAs) -> str:
        """The text as it must be typed: line ends as LF, no trailing newline, and for ``text`` a leading
        ``/``, ``!``, ``@`` or ``#`` made harmless."""

    async def submit(self, who: Sighting, message: Outgoing, log: IntentLog) -> Outcome:
        """Hand the agent a message, or look again for one whose intent is stored. Never types twice."""

    async def answer(self, who: Sighting, dialog_id: str, option: str | None, text: str | None) -> Answered:
        """Answer the dialog that has this id (``core.dialogs.dialog_id``), read again right before acting."""

    async def interrupt(self, who: Sighting) -> Answered:
        """End the running turn. ``delivered`` = the agent's own evidence shows it ended (or none ran);
        ``changed`` = a dialog is open, so nothing was pressed."""


class DriverFactory(Protocol):
    """What the entry point ``controlroom.agents`` names."""

    def __call__(self, world: World, /) -> Driver: ...
