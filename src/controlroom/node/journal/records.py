"""What the node remembers of agents and acts."""

from __future__ import annotations

from typing import Literal

import msgspec

from controlroom.core.finished import Stretch
from controlroom.node.agents.base import Intent, OnDraft
from controlroom.node.mux.base import PaneRef
from controlroom.wire.model import Activity, Held, MessageState, Was
from controlroom.wire.node import Act


class AgentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One durable agent. ``sessions``: all it ever had, oldest first; ``incarnation``: its last process;
    ``former``: ids of agents that were made for its processes while they started, and gave way to it."""

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


class PlacedFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file in an agent's inbox. ``id`` is its upload's; ``agent_id`` whom it was placed for first."""

    id: str
    path: str
    bytes: int
    placed_ms: int
    agent_id: str


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

    @property
    def is_over(self) -> bool:
        return self.state not in ("accepted", "sending")
