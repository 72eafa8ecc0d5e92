"""What time does to questions: defaults at their deadlines, answers that nobody fetched, agents that left.

A default is used when it is known that nobody answered: its machine is there, and its chat is read. One that
has to wait for that is late then.

One timer, at the soonest moment of all questions. It is looked at every few seconds besides, because a
machine that sleeps stops the timer and not the clock, and because clocks are set.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
import structlog

from controlroom.core.questions import Deadline, Expire, Fated
from controlroom.hub.errors import HubError
from controlroom.hub.nodes import Nodes
from controlroom.hub.question_steps import Steps
from controlroom.hub.store import fleet_rows, question_rows
from controlroom.hub.store.question_rows import QuestionRow
from controlroom.hub.store.store import Change, Store
from controlroom.kit.clock import Clock, wait_at_most
from controlroom.kit.sql import DatabaseTrouble

_log = structlog.get_logger("questions")

SLICE_S = 5.0  # how late a jump of the clock is noticed
READ_MS = 120_000  # a chat that cannot be read for so long holds up no default of a machine that is there
LATE_MS = 60_000  # a default that is used later than this after its time is late
LEFT = "Its agent has left the fleet."


class Deadlines:
    """Does what is due. ``run`` it for ever; ``poke`` it when a question or the pause changed."""

    def __init__(
        self, store: Store, clock: Clock, steps: Steps, nodes: Nodes, is_read: Callable[[str], bool]
    ) -> None:
        """``is_read``: whether all that an agent's chat says is known."""
        self._nodes = nodes
        self._is_read = is_read
        self._store = store
        self._clock = clock
        self._steps = steps
        self._started_ms = clock.now_ms()
        self._poked = asyncio.Event()
        self._is_waiting = False

    def poke(self) -> None:
        """Look again what comes next."""
        self._poked.set()

    def poke_waiting(self) -> None:
        """The same, when something is due that waits for its machine or its chat."""
        if self._is_waiting:
            self._poked.set()

    async def run(self) -> None:
        while True:
            self._poked.clear()
            try:
                moment = await self._work()
            except DatabaseTrouble as error:  # the database shows it in Health
                _log.warning("cannot do what is due", error=str(error))
                await asyncio.sleep(SLICE_S)
                continue
            self._is_waiting = moment is not None and moment <= self._clock.now_ms()
            if self._is_waiting:
                moment = self._clock.now_ms() + int(SLICE_S * 1000)
            await self._sleep_until(moment)

    async def _sleep_until(self, moment: int | None) -> None:
        """Until that time by the wall clock, or until something changed."""
        while not self._poked.is_set():
            left = SLICE_S if moment is None else (moment - self._clock.now_ms()) / 1000
            if left <= 0:
                return
            await wait_at_most(self._poked, min(left, SLICE_S) if moment is not None else None)

    async def _work(self) -> int | None:
        """Do everything that is due now; returns when the next thing is."""
        now = self._clock.now_ms()
        for id in await self._store.read(question_rows.open_without_agent):
            await self._each(id, self._expire)
        for id in await self._store.read(lambda c: question_rows.overdue_hands(c, now)):
            await self._each(id, self._type)
        paused, _ = await self._store.read(question_rows.pause_of)
        if paused is None:
            for id in await self._store.read(lambda c: question_rows.due_questions(c, now)):
                await self._each(id, self._use_default)
        return await self._store.read(
            lambda c: question_rows.next_moment(c, has_defaults=question_rows.pause_of(c)[0] is None)
        )

    async def _each(self, id: str, job: Callable[[Change, QuestionRow], None]) -> None:
        def whole(change: Change) -> None:
            row = question_rows.question_row(change.connection, id)
            if row is not None:
                job(change, row)

        try:
            await self._store.change(whole)
        except HubError as error:
            _log.warning("not done for a question", question=id, code=error.code, error=error.text)

    def _use_default(self, change: Change, row: QuestionRow) -> None:
        paused, resumed_ms = question_rows.pause_of(change.connection)
        if row.due_ms is None or row.due_ms > change.now_ms or paused is not None:
            return  # somebody was faster
        if not self._may_use(change, row.agent_id, since_ms=max(row.due_ms, resumed_ms, self._started_ms)):
            return
        missed = row.due_ms < max(resumed_ms, self._started_ms)
        is_late = missed or change.now_ms - row.due_ms > LATE_MS
        self._steps.take(change, row, Deadline(at_ms=change.now_ms, late=is_late))

    def _may_use(self, change: Change, agent_id: str, *, since_ms: int) -> bool:
        """Whether it is known what was said in the agent's chat by now: while its machine is away, or right
        after a start or a sleep, the person may have answered in the terminal, unseen."""
        agent = fleet_rows.agent_row(change.connection, agent_id)
        node = None if agent is None else self._nodes.get(agent.machine_id)
        if node is None or not node.is_online:
            return False
        return self._is_read(agent_id) or change.now_ms - since_ms > READ_MS

    def _type(self, change: Change, row: QuestionRow) -> None:
        """The command that waited is gone: the agent is told in its pane after all."""
        typed = row.log.typed
        if row.hand_until_ms is None or row.hand_until_ms > change.now_ms or typed is None:
            return
        row = msgspec.structs.replace(row, hand_until_ms=None)
        try:
            self._steps.type_now(change, row, typed.number, typed.wording)
        except HubError:  # it has left the fleet meanwhile
            self._steps.take(change, row, Fated(at_ms=change.now_ms, number=typed.number, fate="failed"))
            return
        self._steps.put(change, row)

    def _expire(self, change: Change, row: QuestionRow) -> None:
        agent = fleet_rows.agent_row(change.connection, row.agent_id)
        if row.is_open and (agent is None or not agent.is_listed):
            self._steps.take(change, row, Expire(at_ms=change.now_ms, why=LEFT))
