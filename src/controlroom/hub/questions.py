"""Questions for the person: the cards of the Inbox and everything that is done to them.

What may happen to a question is decided by ``core.questions``; its log is kept by ``question_steps``, one
transaction for each step. Cards come from replies (``question_intake``), from dialogs (``question_pickers``)
and from commands (``question_asking``); people act on them (``question_acts``), time closes them
(``question_deadlines``), and what becomes of the messages that tell the agents is followed by
``question_fates``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from controlroom.core import questions as machine
from controlroom.hub.acts import Acts
from controlroom.hub.delivery import as_shown
from controlroom.hub.errors import HubError, no_question
from controlroom.hub.messages import Messages
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.pause import Pause
from controlroom.hub.question_acts import QuestionActs
from controlroom.hub.question_asking import Asking
from controlroom.hub.question_cards import order, shown
from controlroom.hub.question_deadlines import Deadlines
from controlroom.hub.question_fates import Fates
from controlroom.hub.question_intake import Intake
from controlroom.hub.question_pickers import Pickers
from controlroom.hub.question_steps import Steps
from controlroom.hub.question_waits import Waits
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.store import message_rows, question_rows
from controlroom.hub.store.chat_rows import ChatRow
from controlroom.hub.store.question_rows import QuestionRow
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.supervise import Tasks
from controlroom.wire.model import Item
from controlroom.wire.node import AgentState, ReplyAsks
from controlroom.wire.question import (
    AnswerQuestion,
    AskQuestion,
    CloseQuestion,
    Paused,
    PauseState,
    Question,
    SetPause,
)
from controlroom.wire.question import Questions as QuestionPage

_log = structlog.get_logger("questions")


class Questions:
    """All questions of the fleet. Acts raise HubError: ``not_found``, ``bad_request``, ``not_allowed``, and
    ``conflict`` with the reason, which names who won. A request id is done once."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        nodes: Nodes,
        messages: Messages,
        acts: Acts,
        receipts: ReceiptBook,
        is_read: Callable[[str], bool],
        only_devices_answer: bool = False,
    ) -> None:
        """``is_read``: whether all that an agent's chat says is known here. ``only_devices_answer``: the
        setting ``policy.blocking_answers`` says so."""
        self._store = store
        self._nodes = nodes
        self._tasks = Tasks("questions")
        pressed: set[str] = set()
        self._waits = Waits(clock)
        self._steps = Steps(messages, nodes, self._waits.has_asker)
        self._intake = Intake(self._steps, messages, pressed)
        self._asking = Asking(store, nodes, self._steps)
        self._pickers = Pickers(store, self._steps, acts)
        self._fates = Fates(store, messages, self._steps)
        self._acts = QuestionActs(
            store,
            acts=acts,
            receipts=receipts,
            steps=self._steps,
            fates=self._fates,
            pickers=self._pickers,
            pressed=pressed,
            only_devices_answer=only_devices_answer,
        )
        self._deadlines = Deadlines(store, clock, self._steps, nodes, is_read)
        self._pause = Pause(store)

    async def start(self, health: HealthBoard) -> None:
        await self._pause.start()
        await self._pickers.start()
        self._store.subscribe(self._event)
        self._tasks.supervise("deadlines", self._deadlines.run, health)
        self._tasks.supervise("fates", self._fates.run, health)

    async def aclose(self) -> None:
        await self._tasks.aclose()
        await self._pickers.aclose()
        await self._fates.aclose()

    def _event(self, event: Event) -> None:
        self._fates.event(event)
        self._pause.event(event)
        self._waits.event(event)
        if event.name in ("question.changed", "pause.changed", "agent.gone"):
            self._deadlines.poke()
        elif event.name in ("machine.changed", "chat.items"):
            self._deadlines.poke_waiting()

    # ---- what there is ---------------------------------------------------------------------------------

    async def open(self) -> tuple[Question, ...]:
        """Those that wait: blocking ones, then the soonest default, then the oldest."""
        return (await self.page(is_open=True)).questions

    async def page(
        self, *, is_open: bool, before: str | None = None, agent_id: str | None = None, limit: int = 50
    ) -> QuestionPage:
        """The open ones as they wait, or a page of all, the newest first."""
        if is_open:
            rows = await self._store.read(lambda c: question_rows.open_questions(c, agent_id))
            return QuestionPage(questions=tuple(sorted((shown(row) for row in rows), key=order)))
        if before is not None and not (before.isascii() and before.isdigit() and len(before) < 10):
            raise HubError("bad_request", "before: no cursor of this list.")

        def job(connection: Connection) -> tuple[list[Question], str | None]:
            number = None if before is None else int(before)
            rows = question_rows.newest_questions(
                connection, before=number, agent_id=agent_id, limit=limit + 1
            )
            page = rows[:limit]
            older = str(page[-1].number) if len(rows) > limit else None
            return self._shown_all(connection, page), older

        found, older = await self._store.read(job)
        return QuestionPage(questions=tuple(found), before=older)

    async def get(self, question_id: str, *, wait_s: float = 0.0, by: str = "host") -> Question:
        """One question; with ``wait_s`` as soon as it is not open, or as it is after that time.

        The command of the agent that asked is given the answer so, and asks once more without waiting: that
        shows that it lived to read it, and nothing is typed.
        """
        row = await self._row(question_id)
        is_asker = by == f"agent:{row.agent_id}"
        if wait_s > 0 and row.is_open:
            async with self._waits.wait(question_id, is_asker=is_asker) as changed:
                try:
                    async with asyncio.timeout(wait_s):
                        while (row := await self._row(question_id)).is_open:
                            await changed()
                except TimeoutError:
                    row = await self._row(question_id)
        if is_asker and not wait_s and row.hand_until_ms is not None:
            row = await self._store.change(lambda change: self._hand(change, question_id))
        return (await self._store.read(lambda c: self._shown_all(c, [row])))[0]

    @property
    def paused(self) -> Paused | None:
        """Since when nothing happens by itself; None: it does."""
        return self._pause.paused

    async def _row(self, question_id: str) -> QuestionRow:
        row = await self._store.read(lambda c: question_rows.question_row(c, question_id))
        if row is None:
            raise no_question(question_id)
        return row

    def _shown_all(self, connection: Connection, rows: Sequence[QuestionRow]) -> list[Question]:
        known = message_rows.messages_named(connection, question_rows.messages_of(rows))
        answers = {
            id.rpartition(":")[0]: as_shown(row.message, self._nodes.get(row.machine_id))
            for id, row in known.items()
        }
        return [shown(row, answers.get(row.id)) for row in rows]

    def _hand(self, change: Change, question_id: str) -> QuestionRow:
        """The waiting command has the answer."""
        row = question_rows.question_row(change.connection, question_id)
        if row is None:
            raise no_question(question_id)
        typed = row.log.typed
        if row.hand_until_ms is None or typed is None:
            return row
        row = msgspec.structs.replace(row, hand_until_ms=None)
        fated = machine.Fated(at_ms=change.now_ms, number=typed.number, fate="delivered")
        return self._steps.take(change, row, fated)

    # ---- what people do --------------------------------------------------------------------------------

    async def answer(self, question_id: str, body: AnswerQuestion, by: str) -> Question:
        """Answer it; the agent is told in one message. Of a picker: press its keys, now."""
        return await self._acts.answer(question_id, body, by)

    async def skip(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Nobody decides; the agent is told that this is no approval."""
        return await self._acts.skip(question_id, body, by)

    async def dismiss(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Nothing is typed."""
        return await self._acts.dismiss(question_id, body, by)

    async def undo(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Take back what was done by hand. An answer comes back with its message, before it is typed."""
        return await self._acts.undo(question_id, body, by)

    async def reopen(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Open again what was closed without a person, or whose answer did not surely arrive."""
        return await self._acts.reopen(question_id, body, by)

    async def file(self, body: AskQuestion, by: str) -> Question:
        """A question by command: of the agent whose pane it comes from, or for one that is named."""
        return await self._asking.file(body, by)

    @property
    def steps(self) -> Steps:
        """What writes steps down: for the credit guard, which asks here too."""
        return self._steps

    async def set_paused(self, body: SetPause, by: str) -> PauseState:
        """Pause what happens by itself, or go on."""
        return await self._pause.set(body, by)

    # ---- what happens by itself ------------------------------------------------------------------------

    def took(
        self,
        change: Change,
        chat: ChatRow,
        node: Node,
        items: Sequence[Item],
        asks: Sequence[ReplyAsks],
        is_first: bool,
    ) -> None:
        """What new items of a chat say about questions, in the transaction that keeps them.

        A reply that breaks this costs its questions and not the chat: the items are kept whatever happens.
        """
        told = change.mark()
        try:
            with change.connection.begin_nested():
                self._intake.took(change, chat, node, items, asks, is_first=is_first)
        except SQLAlchemyError:
            raise  # the database is in trouble: all of it is tried again
        except Exception as error:  # noqa: BLE001 - outside text must never stop a conversation
            change.back_to(told)
            _log.error("what a chat asks cannot be read", chat=chat.id, exc_info=error)

    async def judge(self, question_id: str, verdict: machine.Judge) -> Question:
        """The checker's verdict. Raises HubError ``conflict`` when it is closed by now."""

        def job(change: Change) -> Question:
            row = question_rows.question_row(change.connection, question_id)
            if row is None:
                raise no_question(question_id)
            return self._steps.shown(change, self._steps.take(change, row, verdict))

        return await self._store.change(job)

    def snapshot(self, node: Node, states: Sequence[AgentState]) -> None:
        """Pickers come and go with the dialogs of agents."""
        self._pickers.snapshot(node, states)
