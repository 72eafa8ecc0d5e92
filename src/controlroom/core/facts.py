"""What a driver knows about one agent: facts with their source and age, never a verdict.

``core.activity`` turns them into an activity (spec section 4). A fact's ``at_ms`` is when it last
*changed*; ``read_at_ms`` of the whole set is when the driver last managed to look.
"""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

import msgspec

T = TypeVar("T")

DialogKind = Literal["permission", "picker", "plan", "startup", "limit", "other"]

Reported = Literal["idle", "busy", "shell", "waiting"]
"""What the agent says of itself. ``busy``: a turn runs or helpers run; ``shell``: at its prompt while a
background shell command runs; ``waiting``: it needs a person."""

TurnState = Literal["none", "open", "ended", "interrupted", "failed"]
"""The last turn in the agent's own file. ``none``: no turn yet; ``ended``: with a reply;
``interrupted``: by a person; ``failed``: by an API error or a usage limit."""

ScreenLook = Literal["working", "ready", "dialog", "startup", "limit_wait", "other"]
"""``ready``: input would reach the composer, says nothing of idle; ``startup``: a prompt before the agent is
up (its dialog is given); ``limit_wait``: waits by itself for a usage limit and asks nothing; ``other``: not
recognised."""


class Fact(msgspec.Struct, Generic[T], frozen=True):
    """One thing that was read: its value, where from, the words that showed it, and since when."""

    value: T
    source: str  # "registry", "transcript", "screen", "title", "process", "socket", "hook"
    detail: str  # for people: the line, field or row that says so (one line, at most 200 characters)
    at_ms: int  # when this value began


class Option(msgspec.Struct, frozen=True):
    """One choice of a dialog, in the dialog's own order. ``key`` is what the driver's ``answer`` takes."""

    key: str
    label: str  # the whole label, never shortened
    risky: bool = False  # lasting or dangerous consequences: "always", "don't ask again", unknown
    selected: bool = False  # the cursor stands on it


class Dialog(msgspec.Struct, frozen=True, kw_only=True):
    """A dialog that waits for a person, as it stands on the screen."""

    kind: DialogKind
    text: str  # the whole text, lines joined as on the screen, without the options and the frame
    options: tuple[Option, ...] = ()
    multi: bool = False
    free_text: bool = False


class Composer(msgspec.Struct, frozen=True):
    """The agent's input line. ``text`` is the draft in it ("" when empty or only a placeholder)."""

    text: str
    collapsed: bool = False  # a paste is shown as a short mark such as "[Pasted text #1 +59 lines]"


class ScreenReading(msgspec.Struct, frozen=True, kw_only=True):
    """What a driver's matcher makes of one frame."""

    look: ScreenLook
    dialog: Dialog | None = None
    composer: Composer | None = None  # None: no composer can be seen
    detail: str = ""  # the row that decided


class Reply(msgspec.Struct, frozen=True):
    """The last reply of the last turn that has one: whole text, its row's id, its time."""

    text: str
    item_id: str
    at_ms: int


class Fault(msgspec.Struct, frozen=True):
    """Something is broken; ``text`` says what to do, in one line.

    Codes: ``signed_out``, ``crashed``, ``history_missing``, ``startup_prompt``, ``session_open_twice``,
    ``other_account``,
    ``usage_limit``, ``api_error``, ``unreadable``, ``suspended``.
    """

    code: str
    text: str
    since_ms: int


class AgentFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All facts about one living (or just ended) agent. None = this driver has no such fact now."""

    read_at_ms: int  # when the driver last managed to look at everything it names here
    started_at_ms: int  # when the process (or session) began
    alive: Fact[bool]
    ended_cleanly: bool = False  # only with alive = False: it quit by itself, no crash
    reported: tuple[Fact[Reported], ...] = ()  # best source first
    witness: Fact[Reported] | None = None  # what the multiplexer says of it: only "busy" or "waiting"
    turn: Fact[TurnState] | None = None
    helpers: Fact[int] | None = None  # helpers (subagents) that still run
    reply: Reply | None = None
    screen: Fact[ScreenReading] | None = None
    fault: Fault | None = None
    position: str = ""  # session position, part of a dialog's identity: the pending tool call or last row
    moved_at_ms: int = 0  # when the transcript last moved (row time, never file time)
    mark: str = ""  # changes whenever chat items changed: the cursor behind the last row
    busy_since_ms: int | None = None  # start of the turn that runs, or of the last that ran
    last_author: str = ""  # "user" | "assistant": author of the last words
    last_text: str = ""  # at most 300 characters
    last_at_ms: int = 0
    model: str | None = None
    context_used_pct: float | None = None
    skipped: int = 0  # damaged or unknown rows that were passed over in this session
