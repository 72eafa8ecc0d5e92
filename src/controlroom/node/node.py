"""One machine's node, put together: started in order, closed in reverse."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from controlroom.core.starts import Starts
from controlroom.kit.clock import Clock, new_id
from controlroom.kit.health import HealthBoard
from controlroom.kit.process import Processes
from controlroom.kit.settings import Settings
from controlroom.kit.sql import Database
from controlroom.kit.supervise import Tasks
from controlroom.node.acts.engine import ActEngine
from controlroom.node.acts.hands import Hands
from controlroom.node.agents.base import DriverFactory
from controlroom.node.api import NodeApi
from controlroom.node.inbox import Inbox
from controlroom.node.journal.journal import SCHEMA, Journal
from controlroom.node.journal.usage import UsageJournal
from controlroom.node.mux.base import Multiplexer
from controlroom.node.snapshot import SnapshotBoard
from controlroom.node.tracker import Tracker
from controlroom.node.usage.part import UsagePart
from controlroom.node.vitals import Vitals
from controlroom.node.watch import Mirror
from controlroom.node.world import PaneWorld

LOOK_EVERY_S = 1.0
WAKE_EVERY_S = 0.3  # a multiplexer that tells much is not heard more often
QUIET_S = 600.0  # none may have anything to tell for so long
TIDY_EVERY_S = 3600.0


class UsageWish(NamedTuple):
    """Where usage is looked for. ``spool``: what status lines left; ``home`` None: only in folders that are
    named or that agents live in."""

    settings: Settings
    spool: Path
    home: Path | None
    environ: Mapping[str, str]


class Node:
    """Owns everything of one machine. ``api`` is there after ``start``."""

    api: NodeApi

    def __init__(
        self,
        *,
        database: Path,
        name: str,
        multiplexers: Sequence[Multiplexer],
        drivers: Sequence[DriverFactory],
        processes: Processes,
        clock: Clock,
        health: HealthBoard,
        usage: UsageWish | None = None,
        starts: Starts | None = None,
    ) -> None:
        """``usage`` None: what agents use and have left is not looked at. ``starts`` None: new agents may
        have any model, and no flags."""
        self._name = name
        self._usage_wish = usage
        self._usage: UsagePart | None = None
        self._clock = clock
        self._health = health
        self._database = Database(database, SCHEMA, clock=clock, health=health)
        self._journal = Journal(self._database, clock)
        self._world = PaneWorld(multiplexers, processes, clock)
        self._mirror = Mirror(self._world)
        self._board = SnapshotBoard(new_id("boot"), clock)
        self._tracker = Tracker(
            drivers=[make(self._world) for make in drivers],
            world=self._world,
            journal=self._journal,
            board=self._board,
            health=health,
            clock=clock,
        )
        self._inbox = Inbox(self._journal, clock)
        self._acts = ActEngine(
            journal=self._journal,
            tracker=self._tracker,
            hands=Hands(self._world, self._mirror),
            inbox=self._inbox,
            world=self._world,
            clock=clock,
            moves=database.with_name("moves"),
            worktrees=database.with_name("worktrees"),
            starts=starts or Starts(),
        )
        self._vitals = Vitals(
            folders=(database.parent,),
            agents=lambda: self._board.current.agents,
            clock=clock,
            health=health,
        )
        self._tasks = Tasks("node")

    async def open(self) -> None:
        """Open the journal and find servers. Raises what the database raises."""
        await self._database.start()
        node_id, journal_id = await self._journal.identity()
        await self._tracker.load()
        await self._acts.load(journal_id)
        await self._journal.prune()
        await self._world.start()
        if self._usage_wish is not None:
            self._usage = self._usage_part(node_id, self._usage_wish)
        self.api = NodeApi(
            node_id=node_id,
            name=self._name,
            boot_id=self._board.current.boot_id,
            clock=self._clock,
            board=self._board,
            tracker=self._tracker,
            acts=self._acts,
            mirror=self._mirror,
            world=self._world,
            inbox=self._inbox,
            usage=self._usage,
        )

    def _usage_part(self, node_id: str, wish: UsageWish) -> UsagePart:
        return UsagePart(
            machine_id=node_id,
            settings=wish.settings,
            journal=UsageJournal(self._database),
            spool=wish.spool,
            living=self._tracker.living_profiles,
            sessions=self._tracker.agents_of_sessions,
            changed=self._board.publish_usage,
            home=wish.home,
            environ=wish.environ,
            clock=self._clock,
            health=self._health,
        )

    async def start(self) -> None:
        """Open, and look once a second from now on."""
        await self.open()
        self._tasks.supervise("looks", self._look_for_ever, self._health)
        self._tasks.supervise("wakes", self._wake_for_ever, self._health)
        self._tasks.supervise("inbox", self._tidy_for_ever, self._health)
        self._tasks.supervise("vitals", self._vitals.run, self._health)
        if self._usage is not None:
            self._tasks.supervise("usage", self._usage.run, self._health)

    async def _look_for_ever(self) -> None:
        while True:
            await self._tracker.tick()
            await self._acts.advance()
            await self._tracker.wait_for_poke(LOOK_EVERY_S)

    async def _wake_for_ever(self) -> None:
        """Look at once when a multiplexer tells that something happened."""
        while True:
            await self._world.wait_change(QUIET_S)
            self._tracker.poke()
            await asyncio.sleep(WAKE_EVERY_S)

    async def _tidy_for_ever(self) -> None:
        while True:
            await self._inbox.sweep()
            await asyncio.sleep(TIDY_EVERY_S)

    async def look(self) -> None:
        """One look, and whatever messages may go out with it, to the end. For tests and tools."""
        await self._tracker.tick()
        await self._acts.advance()
        await self._acts.drained()

    async def aclose(self) -> None:
        await self._tasks.aclose()
        await self._acts.aclose()
        await self._mirror.aclose()
        await self._world.aclose()
        self._inbox.close()
        await self._database.aclose()
