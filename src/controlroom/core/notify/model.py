"""What is decided about, by what rules, and what comes of it.

An *episode* is one thing that may be worth a push: one question, one dialog that stands, one end of a busy
stretch, one trouble. It has a key that is the same in every look and after every restart, so it can be told
from a repetition. Times are milliseconds UTC in one clock, the hub's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from controlroom.core.activity import Activity
from controlroom.core.facts import DialogKind

Kind = Literal["question", "waiting", "finished", "trouble"]
PushKind = Literal["question", "waiting", "finished", "trouble", "group", "digest"]
"""``group``: a burst in one; ``digest``: what came while it was quiet."""

Switch = Literal["off", "on", "always"]
"""``always``: also in quiet hours and while everything is snoozed."""

Previews = Literal["none", "words", "all"]
"""What a locked screen may show. ``none``: only that something waits; ``words``: names and sentences, no
code, no command, no secret; ``all``: whole texts, and the last lines of the screen."""

AgentRule = Literal["all", "blocking", "off"]
Urgency = Literal["low", "normal", "high"]
"""``high`` wakes a phone (a blocking question, somebody waits), ``low`` may wait."""


State = Literal["waiting", "held", "gathered", "pushed", "dropped", "over"]
"""``waiting``: its time has not come; ``held``: quiet hours or a snooze; ``gathered``: for the next push of
a burst; ``pushed``; ``dropped``: it will never be pushed; ``over``: pushed, and nobody is needed any more."""


# ---- facts -------------------------------------------------------------------------------------------------


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    key: str
    label: str
    is_risky: bool = False


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """An open question. ``is_read``: its reply was read on some device; ``by_hand``: a person opened it
    again; ``more``: it stands for so many; ``waiting_id``: the dialog that it is made of; ``is_open``: its
    chat is open on some device now, which may be about to say that it was read."""

    id: str
    agent_id: str
    question: str
    asked_at_ms: int
    is_blocking: bool = False
    choices: tuple[Choice, ...] = ()
    is_multi: bool = False
    default: str = ""
    due_at_ms: int | None = None
    waiting_id: str = ""
    more: int = 0
    is_read: bool = False
    is_open: bool = False
    by_hand: bool = False


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a busy stretch that nobody has read. ``text``: the first lines of the reply."""

    at_ms: int
    busy_ms: int
    text: str


class Stands(msgspec.Struct, frozen=True, kw_only=True):
    """The dialog that a blocked agent shows."""

    id: str
    kind: DialogKind
    text: str
    since_ms: int
    has_risk: bool = False


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """An agent as it is known now. ``is_known``: its machine can be reached; of one that cannot, nothing is
    news and nothing is over."""

    id: str
    name: str
    chat_id: str
    activity: Activity
    since_ms: int
    is_known: bool = True
    is_muted: bool = False
    is_archived: bool = False
    is_faulty: bool = False
    stands: Stands | None = None
    done: Done | None = None


class Silent(msgspec.Struct, frozen=True, kw_only=True):
    """A machine that cannot be reached."""

    machine_id: str
    name: str
    seen_ms: int
    agents: int = 0


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """Trouble of the Control Room itself: a health item. ``machine``: its name, "" for the hub's own."""

    code: str
    title: str
    do: str
    since_ms: int
    machine_id: str = ""
    machine: str = ""


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that may be worth a push, as it is now."""

    questions: tuple[Asked, ...] = ()
    agents: tuple[Seen, ...] = ()
    silent: tuple[Silent, ...] = ()
    troubles: tuple[Trouble, ...] = ()


# ---- rules -------------------------------------------------------------------------------------------------


class Snooze(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing until then. ``what``: an agent's or a question's id; "": everything."""

    what: str
    until_ms: int


class Quiet(msgspec.Struct, frozen=True, kw_only=True):
    """Quiet hours, minutes of the day, each day; they may pass midnight."""

    begin_min: int
    end_min: int


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What the person wants. ``agents``: by id, those that differ."""

    question: Switch = "on"
    waiting: Switch = "on"
    finished: Switch = "on"
    trouble: Switch = "on"
    only_blocking: bool = False
    quiet: Quiet | None = None
    previews: Previews = "words"
    agents: Mapping[str, AgentRule] = {}
    snoozes: tuple[Snooze, ...] = ()
    finished_after_ms: int = 60_000
    waiting_after_ms: int = 120_000
    silent_after_ms: int = 120_000


# ---- what comes of it --------------------------------------------------------------------------------------


class Episode(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that may be worth a push. ``due_ms``: not before; ``tag``: what it replaces on a device;
    ``dialog``: the id of the dialog that it is about; ``stale_ms``: old news when it is first seen later than
    this (None: never, it still waits)."""

    key: str
    kind: Kind
    tag: str
    began_ms: int
    due_ms: int
    name: str
    title: str
    text: str
    place: str
    urgency: Urgency
    ttl_ms: int
    is_blocking: bool = False
    agent_id: str = ""
    chat_id: str = ""
    question_id: str = ""
    dialog: str = ""
    choices: tuple[Choice, ...] = ()
    stale_ms: int | None = None
    is_read: bool = False  # on some device
    refused: str = ""  # why it is never pushed


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided of an episode, kept while it lasts and a while longer. ``until_ms``: of waiting and
    held, when it is looked at again; ``over_ms``: since when it is gone; ``was_held``: by quiet hours or a
    snooze."""

    id: str
    episode: Episode
    state: State
    at_ms: int
    why: str
    until_ms: int | None = None
    over_ms: int | None = None
    was_held: bool = False
    is_kept: bool = False  # over, but what happened still belongs into the digest


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """All that is remembered between two steps, and over restarts.

    ``since_ms``: what ended before did so before notifications were; ``awake_ms``: since when the hub has
    looked without a break; ``shown``: by tag, the entries whose push stands on devices; ``spent``: when
    single pushes went out lately; ``gathering_ms``: since when a burst is gathered.
    """

    since_ms: int
    awake_ms: int
    stepped_ms: int
    entries: dict[str, Entry] = {}
    shown: dict[str, tuple[str, ...]] = {}
    spent: tuple[int, ...] = ()
    spent_blocking: tuple[int, ...] = ()
    gathering_ms: int | None = None


class Push(msgspec.Struct, frozen=True, kw_only=True):
    """One notification, as it was decided, in the words that devices show.

    ``id`` is that of its record; ``members``: the records that it tells of (itself, or those of a group);
    ``choices``: buttons, only where they may be; ``place``: of the app, opened by a tap; ``wants_screen``:
    the last lines of this agent's screen belong to it.
    """

    id: str
    kind: PushKind
    tag: str
    title: str
    text: str
    place: str
    urgency: Urgency
    ttl_ms: int
    badge: int
    at_ms: int
    members: tuple[str, ...]
    choices: tuple[Choice, ...] = ()
    agent_id: str = ""
    chat_id: str = ""
    question_id: str = ""
    wants_screen: str = ""


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What one step came to. ``changed``: entries that are new or decided anew; ``gone``: tags that devices
    may take away; ``next_ms``: when to look again, None: when something happens."""

    desk: Desk
    changed: tuple[Entry, ...] = ()
    pushes: tuple[Push, ...] = ()
    gone: tuple[str, ...] = ()
    badge: int = 0
    next_ms: int | None = None
