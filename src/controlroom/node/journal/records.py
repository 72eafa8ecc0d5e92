"""What the node remembers of agents and acts."""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.core.finished import Stretch
from controlroom.core.operations import Copied, Saga
from controlroom.node.agents.base import Intent, OnDraft
from controlroom.node.agents.launching import Launch
from controlroom.node.mux.base import PaneRef
from controlroom.wire.model import Activity, Held, MessageState, Was
from controlroom.wire.node import Act


class AgentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One durable agent. ``sessions``: all it ever had, oldest first; ``incarnation``: its last process;
    ``former``: ids of agents that were made for its processes while they started, and gave way to it;
    ``named``: the name that the person gave it here, which no other name replaces; ``is_closed``: it has left
    the list."""

    id: str
    kind: str
    name: str
    chat_id: str
    created_ms: int
    rule: str
    incarnation: str
    is_alive: bool
    sessions: tuple[str, ...] = ()
    former: tuple[str, ...] = ()
    profile: str = ""
    folder: str = ""
    pane: PaneRef | None = None
    gone_ms: int | None = None
    activity: Activity = "starting"
    since_ms: int = 0
    was: Was | None = None  # while unknown: the last known activity
    header: str | None = None
    stretch: Stretch = Stretch()
    named: str = ""
    is_closed: bool = False
    launch: Launch | None = None  # how it ran when an operation ended it
    pane_incarnation: str = ""
    strayed_from: str = ""  # the profile that it should run in (core.strays)


class PlacedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file in an agent's inbox. ``id`` is its upload's; ``agent_id`` whom it was placed for first."""

    id: str
    path: str
    bytes: int
    placed_ms: int
    agent_id: str


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """An operation that was taken: how far it is, and what it is about. The old process and its pane are
    those from when its turn came; ``place`` is the pane of the new window, once it is known."""

    saga: Saga
    agent_id: str = ""
    is_ready: bool = False  # what follows is filled in
    old_process: str = ""  # pid and start time; "" = none ran
    old_pane: PaneRef | None = None
    old_server: str = ""  # its incarnation
    near: PaneRef | None = None  # the new window opens behind it
    launch: Launch | None = None
    folder: str = ""
    name: str = ""  # of the window
    note: str = ""  # for people, about the new window
    is_again: bool = False  # the agent ran in this folder right before
    place: PaneRef | None = None
    place_server: str = ""
    # of a move: config folders, and what is copied from one to the other
    source: str = ""
    target: str = ""
    session_id: str = ""
    copied: Copied = "no"
    copy_words: str = ""


ActState = MessageState | Literal["cancelled"]


class ActRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One act that was taken. ``act`` stays as it was asked; ``text`` to ``on_draft`` are what a later
    amendment of a message made of it (``on_draft`` None: as it was asked). ``intent`` is stored before the
    first key is pressed."""

    act: Act
    created_ms: int
    text: str = ""
    when: Literal["idle", "now"] = "idle"
    on_draft: OnDraft | None = None
    state: ActState = "accepted"
    held: Held | None = None
    detail: str | None = None
    item_id: str | None = None
    intent: Intent | None = None
    errand: Errand | None = None  # of an operation

    @property
    def is_over(self) -> bool:
        return self.state not in ("accepted", "sending")
