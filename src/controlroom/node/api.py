"""What a hub can ask of this node (house.md section 4), as calls; a transport only carries them."""

from __future__ import annotations

from collections.abc import AsyncIterator

from controlroom import __version__
from controlroom.kit.clock import Clock
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.zone import zone_here
from controlroom.node.acts.engine import ActEngine
from controlroom.node.agents.base import ItemsPage
from controlroom.node.chat_search import PAGE, ReadPage, Replaced, around, search
from controlroom.node.inbox import CannotPlace, Inbox
from controlroom.node.journal.journal import Chat
from controlroom.node.mux.base import PaneBusy, PaneGone, PaneRef
from controlroom.node.snapshot import SnapshotBoard
from controlroom.node.tracker import Tracker
from controlroom.node.usage.part import UsagePart
from controlroom.node.watch import Mirror, Sight
from controlroom.node.world import PaneWorld
from controlroom.wire.node import (
    Act,
    ActCode,
    ActResult,
    ActsAnswer,
    FileOffer,
    FilePlaced,
    FrameAnswer,
    Hello,
    HistoryAnswer,
    HitsAnswer,
    ItemsAnswer,
    Refusal,
    Snapshot,
)
from controlroom.wire.usage import UsageAnswer, UsageBy

CAPABILITIES = (
    "items",
    "send",
    "answer",
    "interrupt",
    "keys",
    "screen",
    "watch",
    "scrollback",
    "search",
    "operate",
    "usage",
)
PAGE_LIMIT = 200
HISTORY_MISSING = "The history of this chat is missing; nothing was started in its place."


class Refused(Exception):
    """The node's answer is no; the refusal says why."""

    def __init__(self, code: ActCode, text: str) -> None:
        super().__init__(text)
        self.refusal = Refusal(code=code, text=text)


class NodeApi:
    """All calls of one node."""

    def __init__(
        self,
        *,
        node_id: str,
        name: str,
        boot_id: str,
        clock: Clock,
        board: SnapshotBoard,
        tracker: Tracker,
        acts: ActEngine,
        mirror: Mirror,
        world: PaneWorld,
        inbox: Inbox,
        usage: UsagePart | None = None,
    ) -> None:
        self._node_id = node_id
        self._name = name
        self._boot_id = boot_id
        self._clock = clock
        self._board = board
        self._tracker = tracker
        self._acts = acts
        self._mirror = mirror
        self._world = world
        self._inbox = inbox
        self._usage = usage

    async def hello(self) -> Hello:
        return Hello(
            node_id=self._node_id,
            name=self._name,
            version=__version__,
            boot_id=self._boot_id,
            now_ms=self._clock.now_ms(),
            capabilities=CAPABILITIES,
            zone=zone_here(),
        )

    async def snapshot(self, after: int, wait_s: float) -> Snapshot | None:
        return await self._board.wait(after, wait_s)

    async def items(
        self,
        agent_id: str,
        chat_id: str,
        *,
        before: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> ItemsAnswer:
        """A page of a chat. A chat that has no session yet is empty. Raises Refused."""
        chat = self._chat(agent_id, chat_id)
        if chat.session_id is None:
            return ItemsAnswer(items=(), before=None, after="")
        driver = self._tracker.driver_of(agent_id)
        try:
            page = await driver.items(
                chat.session_id,
                chat.profile,
                before=before or None,
                after=after or None,
                limit=max(1, min(limit, PAGE_LIMIT)),
            )
        except LookupError:
            if not self._tracker.has_spoken(chat_id):
                return ItemsAnswer(items=(), before=None, after="")
            raise Refused("not_found", HISTORY_MISSING) from None
        return ItemsAnswer(
            items=page.items,
            before=page.before,
            after=page.after,
            skipped=page.skipped,
            reset=page.reset,
            asks=page.asks,
        )

    async def search(
        self, agent_id: str, chat_id: str, text: str, *, before: str | None = None, limit: int = 50
    ) -> HitsAnswer:
        """Items of a chat that say this, newest first, as far as time allows. Raises Refused."""
        chat = self._chat(agent_id, chat_id)
        if chat.session_id is None:
            return HitsAnswer(hits=(), before=None)
        read = self._reader(chat, chat.session_id)
        try:
            return await search(read, text, before or None, max(1, min(limit, PAGE_LIMIT)), self._clock)
        except Replaced:
            raise Refused("changed", "The conversation's file was replaced: search anew.") from None
        except LookupError:
            if not self._tracker.has_spoken(chat_id):
                return HitsAnswer(hits=(), before=None)
            raise Refused("not_found", HISTORY_MISSING) from None

    async def around(self, agent_id: str, chat_id: str, item_id: str) -> ItemsAnswer:
        """The page of a chat that holds this item. Raises Refused (``not_found``)."""
        chat = self._chat(agent_id, chat_id)
        found = None
        if chat.session_id is not None:
            try:
                found = await around(self._reader(chat, chat.session_id), item_id, self._clock)
            except LookupError:
                raise Refused("not_found", HISTORY_MISSING) from None
        if found is None:
            raise Refused("not_found", "This message is not in the chat any more, or too far back.")
        return found

    def _chat(self, agent_id: str, chat_id: str) -> Chat:
        chat = self._tracker.chat(chat_id)
        if chat is None or chat.agent_id != agent_id:
            raise Refused("not_found", "This machine knows no such chat.")
        return chat

    def _reader(self, chat: Chat, session_id: str) -> ReadPage:
        driver = self._tracker.driver_of(chat.agent_id)

        async def read(before: str | None) -> ItemsPage:
            return await driver.items(session_id, chat.profile, before=before, limit=PAGE)

        return read

    async def act(self, act: Act) -> ActResult:
        return await self._acts.take(act)

    async def put_file(self, offer: FileOffer, pieces: AsyncIterator[bytes]) -> FilePlaced:
        """Put a file into the agent's inbox, once for its id. Raises Refused."""
        folder = self._tracker.folder(offer.agent_id)
        if not folder:
            raise Refused("not_found", "This agent has no project folder in which files could be put.")
        try:
            return FilePlaced(path=await self._inbox.place(folder, offer, pieces))
        except CannotPlace as error:
            raise Refused("failed", str(error)) from None

    async def usage(self, by: UsageBy) -> UsageAnswer:
        """What the agents of this machine used. Raises Refused."""
        if self._usage is None:
            return UsageAnswer()
        try:
            return await self._usage.report(by)
        except DatabaseTrouble as error:
            raise Refused("failed", str(error)) from None

    async def read_usage(self) -> None:
        """Read soon what accounts have left; what is new comes with the snapshot."""
        if self._usage is not None:
            self._usage.read_again()

    async def acts(self, after: int, wait_s: float) -> ActsAnswer:
        return await self._acts.progress(after, wait_s)

    async def screen(self, agent_id: str) -> FrameAnswer:
        pane = self._pane(agent_id)
        try:
            frame = await self._world.frame(pane)
        except PaneGone:
            raise Refused("not_found", "The pane is gone.") from None
        except PaneBusy:
            raise Refused("failed", "The multiplexer did not answer in time. Try again.") from None
        return self._answer(agent_id, Sight(frame, self._world.echo(pane)))

    async def scrollback(self, agent_id: str, lines: int) -> HistoryAnswer:
        """The last rows of the pane's history and screen. Raises Refused."""
        pane = self._pane(agent_id)
        try:
            history = await self._world.scrollback(pane, lines)
        except PaneGone:
            raise Refused("not_found", "The pane is gone.") from None
        except PaneBusy:
            raise Refused("failed", "The multiplexer did not answer in time. Try again.") from None
        return HistoryAnswer(
            agent_id=agent_id,
            width=history.width,
            height=history.height,
            kept=history.kept,
            alternate=history.alternate,
            rows=history.rows,
            ansi=history.ansi,
            at_ms=self._clock.now_ms(),
        )

    async def watch(self, agent_id: str) -> AsyncIterator[FrameAnswer]:
        async for sight in self._mirror.watch(self._pane(agent_id)):
            yield self._answer(agent_id, sight)

    async def agent_of(self, pid: int) -> str | None:
        """The agent in whose pane a local process runs (house.md section 3), None = the person."""
        pane = self._world.agent_pane_of(pid)
        return None if pane is None else self._tracker.agent_in(pane)

    def _pane(self, agent_id: str) -> PaneRef:
        who = self._tracker.sighting(agent_id)
        if who is None:
            raise Refused("not_found", "No such agent runs on this machine now.")
        if who.pane is None:
            raise Refused("not_found", "This agent has no pane that could be shown.")
        return who.pane

    def _answer(self, agent_id: str, sight: Sight) -> FrameAnswer:
        frame = sight.frame
        return FrameAnswer(
            agent_id=agent_id,
            revision=frame.revision,
            width=frame.width,
            height=frame.height,
            row=frame.cursor.row,
            column=frame.cursor.column,
            cursor_visible=frame.cursor.visible,
            rows=frame.rows,
            ansi=frame.ansi,
            at_ms=self._clock.now_ms(),
            echo=sight.echo,
        )
