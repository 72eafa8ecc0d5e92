"""A kind of agent that lives in memory: no pane, no process, no file. For tests of the node and plug-ins.

It keeps the ``Driver`` Protocol honest: what only works for programs in panes does not work here.
"""

from __future__ import annotations

import asyncio

import msgspec

from controlroom.core.dialogs import dialog_id
from controlroom.core.facts import AgentFacts, Dialog, Fact, Fault, Reply, ScreenReading, TurnState
from controlroom.core.screen import Frame
from controlroom.kit.clock import Clock
from controlroom.node.agents.base import (
    Answered,
    Found,
    Intent,
    IntentLog,
    ItemsPage,
    Outcome,
    Outgoing,
    SendAs,
    Sighting,
)
from controlroom.node.agents.replies import asks_among
from controlroom.wire.model import Item


class FakeAgent(msgspec.Struct, kw_only=True):
    """One agent; tests change its fields and look at what it received."""

    name: str
    incarnation: str
    session_id: str | None
    started_at_ms: int = 0
    ancestors: tuple[str, ...] = ()
    is_running: bool = True
    ends_cleanly: bool = True
    is_working: bool = False
    helpers: int = 0
    dialog: Dialog | None = None
    draft: str = ""
    fault: Fault | None = None
    folder: str = ""
    items: list[Item] = msgspec.field(default_factory=list)
    received: list[str] = msgspec.field(default_factory=list)
    answers: list[tuple[str | None, str | None]] = msgspec.field(default_factory=list)
    is_deaf: bool = False  # takes the text, and no row of it ever appears
    breaks: int = 0  # this many submissions raise
    gate: asyncio.Event | None = None  # a submission waits for it before it looks
    is_asked: bool = False  # a submission has begun


class FakeDriver:
    """Driver of ``FakeAgent``s."""

    kind = "fake"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.agents: list[FakeAgent] = []

    def add(self, name: str, session_id: str | None = None, incarnation: str | None = None) -> FakeAgent:
        """A running, idle agent."""
        agent = FakeAgent(
            name=name,
            incarnation=incarnation or f"fake-{len(self.agents)}",
            session_id=session_id or f"session-{name}",
            started_at_ms=self._clock.now_ms(),
        )
        self.agents.append(agent)
        return agent

    def say(self, agent: FakeAgent, kind: str, text: str) -> Item:
        """Write one row into the agent's conversation."""
        item = msgspec.convert(
            {
                "id": f"{agent.session_id}-{len(agent.items)}",
                "at_ms": self._clock.now_ms(),
                "kind": kind,
                "text": text,
            },
            Item,
        )
        agent.items.append(item)
        return item

    async def find(self) -> Found:
        return Found(tuple(self._sighting(agent) for agent in self.agents if agent.is_running))

    async def facts(self, who: Sighting) -> AgentFacts:
        return self._facts(self._agent(who))

    def glance(self, who: Sighting) -> AgentFacts | None:
        return None

    def asks(self, frame: Frame) -> bool:
        return False

    async def farewell(self, who: Sighting) -> AgentFacts:
        return self._facts(self._agent(who))

    async def items(
        self,
        session_id: str,
        profile: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsPage:
        agent = next((agent for agent in self.agents if agent.session_id == session_id), None)
        if agent is None:
            raise LookupError(session_id)
        if after is not None:
            start = int(after)
            end = min(len(agent.items), start + limit)
        else:
            end = len(agent.items) if before is None else int(before)
            start = max(0, end - limit)
        items = tuple(agent.items[start:end])
        return ItemsPage(
            items=items, before=str(start) if start else None, after=str(end), asks=asks_among(items)
        )

    def harmless(self, text: str, send_as: SendAs) -> str:
        text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n")
        return f" {text}" if send_as == "text" and text[:1] in "/!@#" else text

    async def submit(self, who: Sighting, message: Outgoing, log: IntentLog) -> Outcome:
        agent = self._agent(who)
        text = self.harmless(message.text, message.send_as)
        agent.is_asked = True
        if agent.breaks:
            agent.breaks -= 1
            raise RuntimeError("the fake broke as it was told to")
        if agent.gate is not None:
            await agent.gate.wait()
        if message.intent is None:
            if agent.dialog is not None:
                return Outcome(state="held", code="dialog", text="A dialog is open.")
            if agent.draft and message.on_draft == "wait":
                return Outcome(state="held", code="draft", text="Its composer holds a draft.")
            await log.save(
                Intent(session_id=agent.session_id, position=str(len(agent.items)), text=text, pasted=True)
            )
            agent.received.append(text)
            if not agent.is_deaf:
                self.say(agent, "user", text)
        position = int(message.intent.position) if message.intent else 0
        row = next(
            (item for item in agent.items[position:] if item.kind == "user" and item.text == text), None
        )
        if row is None:
            return Outcome(state="unconfirmed", text="No row of it stands in its file.")
        return Outcome(state="delivered", item_id=row.id, at_ms=row.at_ms)

    async def answer(self, who: Sighting, dialog_id: str, option: str | None, text: str | None) -> Answered:
        agent = self._agent(who)
        if agent.dialog is None or dialog_id != self._dialog_id(agent):
            return Answered(state="changed", text="The prompt changed. Nothing was sent.")
        agent.answers.append((option, text))
        agent.dialog = None
        return Answered(state="delivered")

    async def interrupt(self, who: Sighting) -> Answered:
        agent = self._agent(who)
        if agent.dialog is not None:
            return Answered(state="changed", text="A dialog is open. Nothing was pressed.")
        agent.is_working = False
        return Answered(state="delivered")

    # ---- inside ----------------------------------------------------------------------------------------

    def _agent(self, who: Sighting) -> FakeAgent:
        return next(agent for agent in self.agents if agent.incarnation == who.incarnation)

    def _sighting(self, agent: FakeAgent) -> Sighting:
        return Sighting(
            kind=self.kind,
            incarnation=agent.incarnation,
            session_id=agent.session_id,
            ancestors=agent.ancestors,
            name=agent.name,
            folder=agent.folder,
            started_at_ms=agent.started_at_ms,
        )

    def _dialog_id(self, agent: FakeAgent) -> str:
        assert agent.dialog is not None
        return dialog_id(agent.incarnation, str(len(agent.items)), agent.dialog)

    def _facts(self, agent: FakeAgent) -> AgentFacts:
        last = agent.items[-1] if agent.items else None
        since = last.at_ms if last else agent.started_at_ms
        reply = last if last is not None and last.kind == "assistant" else None
        turn: TurnState = "open" if agent.is_working or agent.dialog else "ended" if agent.items else "none"
        return AgentFacts(
            read_at_ms=self._clock.now_ms(),
            started_at_ms=agent.started_at_ms,
            alive=Fact(agent.is_running, "process", "lives in memory", agent.started_at_ms),
            ended_cleanly=agent.ends_cleanly,
            reported=(
                Fact(
                    "waiting" if agent.dialog else "busy" if agent.is_working or agent.helpers else "idle",
                    "registry",
                    "said so",
                    since,
                ),
            ),
            turn=Fact(turn, "transcript", "last row", since),
            helpers=Fact(agent.helpers, "transcript", "helpers", since),
            reply=Reply(reply.text or "", reply.id, reply.at_ms) if reply else None,
            screen=Fact(
                ScreenReading(look="dialog" if agent.dialog else "ready", dialog=agent.dialog),
                "screen",
                "",
                since,
            ),
            fault=agent.fault,
            position=str(len(agent.items)),
            moved_at_ms=last.at_ms if last else 0,
            mark=str(len(agent.items)) if agent.items else "",
            last_author="assistant" if reply else "user" if last else "",
            last_text=(last.text or "") if last else "",
            last_at_ms=last.at_ms if last else 0,
        )
