"""A node without a machine: tests say what its agents do, and see what the hub asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import msgspec

from controlroom.hub.ports import NodeAway, NodeRefused
from controlroom.kit.clock import Clock
from controlroom.node.agents.replies import asks_among
from controlroom.wire.model import Activity, Evidence, Health, Held, Item, MessageState
from controlroom.wire.node import (
    Act,
    ActProgress,
    ActResult,
    ActsAnswer,
    AgentState,
    FileOffer,
    FilePlaced,
    FrameAnswer,
    Hello,
    HistoryAnswer,
    Hit,
    HitsAnswer,
    ItemsAnswer,
    Refusal,
    SendAct,
    Snapshot,
)
from controlroom.wire.operation import OperationError, OperationStep
from controlroom.wire.usage import UsageAnswer, UsageBy, UsageState


def agent_state(
    id: str = "agt_1",
    *,
    chat_id: str = "",
    name: str = "shop",
    activity: Activity = "idle",
    since_ms: int = 1000,
    mark: str = "",
    **more: object,
) -> AgentState:
    """An agent as a node tells it, with the fields that a test does not care about filled in."""
    state = AgentState(
        id=id,
        chat_id=chat_id or id.replace("agt", "cht"),
        name=name,
        kind="claude",
        activity=activity,
        since_ms=since_ms,
        evidence=Evidence(rule="prompt", source="screen", detail="❯", at_ms=since_ms),
        helpers=0,
        rule="new",
        mark=mark,
    )
    return msgspec.structs.replace(state, **more)


class FakeNode:
    """``hub.ports.NodeLink``. ``refuse`` may answer an act; ``clock_offset_ms`` sets its clock wrong."""

    def __init__(self, clock: Clock, node_id: str = "mac_1", name: str = "desk") -> None:
        self._clock = clock
        self.node_id = node_id
        self.name = name
        self.version = "1"
        self.boot_id = "boot_1"
        self.journal_id = "jrn_1"
        self.zone = "UTC"
        self.clock_offset_ms = 0
        self.is_away = False
        self.agents: dict[str, AgentState] = {}
        self.health: tuple[Health, ...] = ()
        self.chats: dict[str, list[Item]] = {}  # everything ever told, in order
        self.taken: dict[str, Act] = {}
        self.asked: list[Act] = []
        self.refuse: Callable[[Act], ActResult | None] = lambda act: None
        self.histories: dict[str, tuple[str, ...]] = {}  # rows above the screens
        self.files: dict[str, bytes] = {}  # placed, by the upload's id
        self.refuse_file: Callable[[FileOffer], Refusal | None] = lambda offer: None
        self.usage_state: UsageState | None = UsageState()
        self.used: dict[UsageBy, UsageAnswer] = {}  # what it answers to each question about usage
        self.usage_reads = 0  # how often it was asked to read again
        self.watchers = 0
        self.captures = 0  # how many watches were begun
        self.item_calls = 0
        self._rev = 1
        self._progress: list[ActProgress] = []
        self._frames: dict[str, FrameAnswer] = {}
        self._changed = asyncio.Condition()

    # ---- what tests do ---------------------------------------------------------------------------------

    async def put(self, *states: AgentState) -> None:
        """Show these agents as they are now."""
        for state in states:
            self.agents[state.id] = state
            self.chats.setdefault(state.chat_id, [])
        await self.touch()

    async def drop(self, agent_id: str) -> None:
        del self.agents[agent_id]
        await self.touch()

    async def say(self, agent_id: str, *items: Item) -> None:
        """Add items to the agent's chat (one with a known id replaces it) and move its mark."""
        state = self.agents[agent_id]
        told = self.chats[state.chat_id]
        told += items
        await self.put(msgspec.structs.replace(state, mark=str(len(told))))

    async def touch(self) -> None:
        self._rev += 1
        async with self._changed:
            self._changed.notify_all()

    async def go_away(self) -> None:
        self.is_away = True
        await self.touch()

    async def come_back(self) -> None:
        self.is_away = False
        await self.touch()

    async def restart(self) -> None:
        """A new boot: revisions begin anew."""
        self.boot_id += "+"
        self._rev = 0
        await self.touch()

    async def lose_journal(self) -> None:
        self.journal_id += "+"
        self.taken.clear()
        self._progress.clear()
        await self.touch()

    async def progress(
        self,
        message_id: str,
        state: MessageState,
        *,
        held: Held | None = None,
        item_id: str | None = None,
        detail: str | None = None,
        agent_id: str = "",
    ) -> None:
        """Something became of a message (of this agent, "" = of the one that it was sent to)."""
        act = self.taken[message_id]
        assert isinstance(act, SendAct)
        self._progress.append(
            ActProgress(
                seq=len(self._progress) + 1,
                id=message_id,
                kind="send",
                agent_id=agent_id or act.agent_id,
                state=state,
                at_ms=self._now_ms(),
                held=held,
                item_id=item_id,
                detail=detail,
            )
        )
        await self.touch()

    async def tell_operation(
        self,
        operation_id: str,
        agent_id: str,
        state: MessageState,
        *,
        steps: tuple[OperationStep, ...] = (),
        error: OperationError | None = None,
    ) -> None:
        """Write down what became of an operation."""
        self._progress.append(
            ActProgress(
                seq=len(self._progress) + 1,
                id=operation_id,
                kind="operate",
                agent_id=agent_id,
                state=state,
                at_ms=self._now_ms(),
                steps=steps,
                error=error,
            )
        )
        await self.touch()

    async def draw(self, agent_id: str, *rows: str) -> None:
        """Show this screen."""
        self._frames[agent_id] = FrameAnswer(
            agent_id=agent_id,
            revision="|".join(rows),
            width=80,
            height=len(rows),
            row=0,
            column=0,
            cursor_visible=True,
            rows=rows,
            ansi=rows,
            at_ms=self._now_ms(),
        )
        await self.touch()

    async def echo(self, agent_id: str, echo: bool | None) -> None:
        """The screen stays, but its program begins or ends to read without showing."""
        self._frames[agent_id] = msgspec.structs.replace(self._frames[agent_id], echo=echo)
        await self.touch()

    # ---- NodeLink --------------------------------------------------------------------------------------

    async def hello(self) -> Hello:
        self._check()
        return Hello(
            node_id=self.node_id,
            name=self.name,
            version=self.version,
            boot_id=self.boot_id,
            now_ms=self._now_ms(),
            capabilities=("items", "send"),
            zone=self.zone,
        )

    async def snapshot(self, after: int, wait_s: float) -> Snapshot | None:
        if not await self._wait(lambda: self._rev != after, wait_s):
            return None
        return Snapshot(
            boot_id=self.boot_id,
            rev=self._rev,
            now_ms=self._now_ms(),
            agents=tuple(self.agents.values()),
            health=self.health,
            usage=self.usage_state,
        )

    async def usage(self, by: UsageBy) -> UsageAnswer:
        self._check()
        return self.used.get(by, UsageAnswer())

    async def read_usage(self) -> None:
        self._check()
        self.usage_reads += 1

    async def items(
        self,
        agent_id: str,
        chat_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsAnswer:
        """``after`` counts what was ever told, changes too; ``before`` counts items."""
        self._check()
        self.item_calls += 1
        told = self.chats.get(chat_id)
        if told is None:
            raise NodeRefused(Refusal(code="not_found", text="The history is missing."))
        if after is not None:
            end = min(int(after) + limit, len(told))
            items = tuple(told[int(after) : end])
            return ItemsAnswer(items=items, before=None, after=str(end), asks=asks_among(items))
        chat = list({item.id: item for item in told}.values())
        last = len(chat) if before is None else int(before)
        begin = max(0, last - limit)
        older = str(begin) if begin else None
        items = tuple(chat[begin:last])
        return ItemsAnswer(items=items, before=older, after=str(len(told)), asks=asks_among(items))

    async def search(
        self, agent_id: str, chat_id: str, text: str, *, before: str | None = None, limit: int = 50
    ) -> HitsAnswer:
        """One page at a time, so that a caller has to search on."""
        page = await self.items(agent_id, chat_id, before=before, limit=200)
        hits = [item for item in reversed(page.items) if text.casefold() in (item.text or "").casefold()]
        return HitsAnswer(hits=tuple(Hit(item=item, page=before) for item in hits), before=page.before)

    async def around(self, agent_id: str, chat_id: str, item_id: str) -> ItemsAnswer:
        before: str | None = None
        while True:
            page = await self.items(agent_id, chat_id, before=before, limit=200)
            if any(item.id == item_id for item in page.items):
                return page
            if page.before is None:
                raise NodeRefused(Refusal(code="not_found", text="This message is not in the chat any more."))
            before = page.before

    async def act(self, act: Act) -> ActResult:
        self._check()
        self.asked.append(act)
        if (refusal := self.refuse(act)) is not None:
            return refusal
        self.taken.setdefault(act.id, act)
        return ActResult(code="ok")

    async def put_file(self, offer: FileOffer, pieces: AsyncIterator[bytes]) -> FilePlaced:
        self._check()
        if (refusal := self.refuse_file(offer)) is not None:
            raise NodeRefused(refusal)
        if offer.id not in self.files:
            self.files[offer.id] = b"".join([piece async for piece in pieces])
        return FilePlaced(path=f"/home/kim/orchard/.controlroom/inbox/{offer.id}-{offer.name}")

    async def acts(self, after: int, wait_s: float) -> ActsAnswer:
        await self._wait(lambda: len(self._progress) > after, wait_s)
        rows = tuple(row for row in self._progress if row.seq > after)
        return ActsAnswer(journal_id=self.journal_id, now_ms=self._now_ms(), acts=rows)

    async def screen(self, agent_id: str) -> FrameAnswer:
        self._check()
        if agent_id not in self._frames:
            raise NodeRefused(Refusal(code="not_found", text="It has no pane."))
        return self._frames[agent_id]

    async def scrollback(self, agent_id: str, lines: int) -> HistoryAnswer:
        self._check()
        if agent_id not in self._frames:
            raise NodeRefused(Refusal(code="not_found", text="It has no pane."))
        frame = self._frames[agent_id]
        rows = (*self.histories.get(agent_id, ()), *frame.rows)[-lines:]
        return HistoryAnswer(
            agent_id=agent_id,
            width=frame.width,
            height=frame.height,
            kept=len(self.histories.get(agent_id, ())),
            alternate=False,
            rows=rows,
            ansi=rows,
            at_ms=self._now_ms(),
        )

    async def watch(self, agent_id: str) -> AsyncIterator[FrameAnswer]:
        self.watchers += 1
        self.captures += 1
        try:
            shown: tuple[str, bool | None] | None = None
            while True:
                self._check()
                frame = self._frames.get(agent_id)
                if frame is not None and (frame.revision, frame.echo) != shown:
                    shown = (frame.revision, frame.echo)
                    yield frame
                    continue
                async with self._changed:
                    await self._changed.wait()
        finally:
            self.watchers -= 1

    def _now_ms(self) -> int:
        return self._clock.now_ms() + self.clock_offset_ms

    def _check(self) -> None:
        if self.is_away:
            raise NodeAway("away")

    async def _wait(self, is_there: Callable[[], bool], wait_s: float) -> bool:
        self._check()
        boot_id, journal_id = self.boot_id, self.journal_id

        def is_over() -> bool:
            is_new = (self.boot_id, self.journal_id) != (boot_id, journal_id)
            return self.is_away or is_new or is_there()

        try:
            async with asyncio.timeout(wait_s), self._changed:
                await self._changed.wait_for(is_over)
        except TimeoutError:
            return False
        self._check()
        return True
