"""Questions for the person: the cards of the Inbox and everything that is done to them.

What may happen to a question is decided by ``core.questions``; its log is kept by ``question_steps``, one
transaction for each step. Cards come from replies (``question_intake``), from dialogs (``question_pickers``)
and from commands (here); time closes them (``question_deadlines``), and what becomes of the messages that
tell the agents is followed by ``question_fates``.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import msgspec
import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from controlroom.core import questions as machine
from controlroom.core.pickers import way_out_note
from controlroom.core.question_answers import Unknown, keys_of
from controlroom.hub.acts import Acts
from controlroom.hub.delivery import as_shown
from controlroom.hub.errors import HubError
from controlroom.hub.messages import Messages
from controlroom.hub.nodes import Node, Nodes
from controlroom.hub.pause import Pause
from controlroom.hub.question_asking import Asking
from controlroom.hub.question_cards import order, shown
from controlroom.hub.question_deadlines import Deadlines
from controlroom.hub.question_fates import Fates
from controlroom.hub.question_intake import Intake
from controlroom.hub.question_pickers import Pickers
from controlroom.hub.question_steps import Steps
from controlroom.hub.question_waits import Waits
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.requests import ID
from controlroom.hub.store import message_rows, question_rows, request_rows
from controlroom.hub.store.chat_rows import ChatRow
from controlroom.hub.store.question_rows import QuestionRow
from controlroom.hub.store.store import Change, Event, Store
from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import AnswerDialog
from controlroom.wire.codec import encode
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

LONGEST_NOTE, LONGEST_WHY = 10_000, 500
NO_WAY_OUT = "This dialog cannot be left without a choice: answer it, or dismiss its card."

Make = Callable[[int], machine.AnyEvent]
"""The event of an act, at a time."""


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
        self._acts = acts
        self._receipts = receipts
        self._only_devices_answer = only_devices_answer
        self._nodes = nodes
        self._tasks = Tasks("questions")
        self._locks: dict[str, asyncio.Lock] = {}
        self._pressed: set[str] = set()  # pickers that are being answered just now
        self._waits = Waits(clock)
        self._steps = Steps(messages, nodes, self._waits.has_asker)
        self._intake = Intake(self._steps, messages, self._pressed)
        self._asking = Asking(store, nodes, self._steps)
        self._pickers = Pickers(store, self._steps)
        self._fates = Fates(store, messages, self._steps)
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

        The command of the agent that asked is given the answer so: then nothing is typed.
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
        if is_asker and row.hand_until_ms is not None:
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
        row = await self._row(question_id)
        text = (body.text or "").strip() or None
        try:
            keys = keys_of(row.card.options, body.option, multi=row.card.multi)
        except Unknown as error:
            raise HubError("bad_request", str(error)) from None
        if not keys and text is None:
            raise HubError("bad_request", "option or text: say what the answer is.")
        if text is not None and len(text) > LONGEST_NOTE:
            raise HubError("too_large", f"text: at most {LONGEST_NOTE} characters.")
        await self._check_answerer(row, by)

        def make(at_ms: int) -> machine.AnyEvent:
            return machine.Answer(at_ms=at_ms, by=by, option=", ".join(keys) or None, text=text)

        if row.card.waiting_id is None:
            return await self._act(question_id, "answer", body, by, make)
        if text is not None and not row.card.free_text:
            raise HubError("bad_request", "text: this dialog takes none; choose one of its options.")
        option = keys if row.card.multi else keys[0] if keys else None
        return await self._press(row, "answer", body, by, make, option or None, text)

    async def skip(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Nobody decides; the agent is told that this is no approval."""
        row = await self._row(question_id)

        def make(at_ms: int) -> machine.AnyEvent:
            return (
                machine.Skip(at_ms=at_ms, by=by) if why is None else machine.Skip(at_ms=at_ms, by=by, why=why)
            )

        why = _why(body)
        if row.card.waiting_id is None:
            return await self._act(question_id, "skip", body, by, make)
        if row.card.way_out is None:
            raise HubError("bad_request", NO_WAY_OUT)
        note = way_out_note(row.card.options, row.card.way_out, free_text=row.card.free_text)
        return await self._press(row, "skip", body, by, make, row.card.way_out, note)

    async def dismiss(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Nothing is typed."""
        why = _why(body) or "Dismissed."
        return await self._act(
            question_id, "dismiss", body, by, lambda at_ms: machine.Dismiss(at_ms=at_ms, by=by, why=why)
        )

    async def undo(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Take back what was done by hand. An answer comes back with its message, before it is typed."""
        async with self._lock(question_id):
            row, number = await self._row(question_id), None
            is_waiting = row.log.state == "answered" and machine.can_undo(row.log)
            if is_waiting and row.hand_until_ms is None and row.log.typed is not None:
                number = row.log.typed.number
            is_known = await self._store.read(
                lambda c: request_rows.request_row(c, by, body.request_id) is not None
            )
            if number is None or is_known:
                return await self._act(
                    question_id, "undo", body, by, lambda at_ms: machine.Undo(at_ms=at_ms, by=by)
                )
            try:
                await self._fates.take_back(question_id, number, by)
            except HubError as error:
                if error.code == "conflict":
                    raise HubError("conflict", "The answer is typed already.") from None
                raise
            fate = machine.Fated(at_ms=0, number=number, fate="withdrawn", by=by)
            return await self._act(question_id, "undo", body, by, lambda _at_ms: fate)

    async def reopen(self, question_id: str, body: CloseQuestion, by: str) -> Question:
        """Open again what was closed without a person, or whose answer did not surely arrive."""
        why = _why(body) or "Reopened."
        return await self._act(
            question_id, "reopen", body, by, lambda at_ms: machine.Reopen(at_ms=at_ms, by=by, why=why)
        )

    async def file(self, body: AskQuestion, by: str) -> Question:
        """A question by command: of the agent whose pane it comes from, or for one that is named."""
        return await self._asking.file(body, by)

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

    # ---- how acts are done -----------------------------------------------------------------------------

    async def _act(
        self,
        question_id: str,
        what: str,
        body: AnswerQuestion | CloseQuestion,
        by: str,
        make: Make,
        *,
        is_pressed: bool = False,
    ) -> Question:
        """One step by hand, and its request id, in one transaction."""
        digest = _digest(what, question_id, body)

        def job(change: Change) -> Question:
            row = question_rows.question_row(change.connection, question_id)
            if row is None:
                raise no_question(question_id)
            if _is_repeated(change.connection, by, body.request_id, digest):
                return self._steps.shown(change, row)
            row = self._steps.take(
                change, self._pickers.parted(row), make(change.now_ms), has_receipt=not is_pressed
            )
            if is_pressed and row.log.typed is not None and row.log.typed.wording == "answer":
                number = row.log.typed.number
                done = machine.Fated(at_ms=change.now_ms, number=number, fate="delivered")
                row = self._steps.take(change, row, done)
            request_rows.add_request(change, by, body.request_id, digest, b"{}")
            return self._steps.shown(change, row)

        return await self._store.change(job)

    async def _press(
        self,
        row: QuestionRow,
        what: str,
        body: AnswerQuestion | CloseQuestion,
        by: str,
        make: Make,
        option: str | tuple[str, ...] | None,
        text: str | None,
    ) -> Question:
        """Press a dialog's keys, then close its card. Who comes second presses nothing; what the agent's
        machine refuses leaves the card as it is, and says why."""
        async with self._lock(row.id):
            digest = _digest(what, row.id, body)

            def check(connection: Connection) -> bool:
                return _is_repeated(connection, by, body.request_id, digest)

            now = await self._row(row.id)
            is_refused = machine.step(now.log, make(0)).refusal is not None
            if row.card.waiting_id is None or is_refused or await self._store.read(check):
                return await self._act(row.id, what, body, by, make)
            # An id of its own: the card's act is remembered by the caller's, and a repeat presses nothing.
            dialog = AnswerDialog(
                request_id=digest[:40], waiting_id=row.card.waiting_id, option=option, text=text
            )
            self._pressed.add(row.id)
            try:
                await self._acts.answer(row.agent_id, dialog, by)
                return await self._act(row.id, what, body, by, make, is_pressed=True)
            finally:
                self._pressed.discard(row.id)

    async def _check_answerer(self, row: QuestionRow, by: str) -> None:
        if not (self._only_devices_answer and row.log.blocking) or by.startswith("device:"):
            return
        text = "Only paired devices may answer questions that wait for you (policy.blocking_answers)."
        await self._receipts.refused(by, "answer", row.agent_id, text)
        raise HubError("not_allowed", text)

    @asynccontextmanager
    async def _lock(self, question_id: str) -> AsyncIterator[None]:
        """One at a time for each question, where the store alone cannot order what is done."""
        lock = self._locks.setdefault(question_id, asyncio.Lock())
        try:
            async with lock:
                yield
        finally:
            if not lock.locked():
                self._locks.pop(question_id, None)


def _why(body: CloseQuestion) -> str | None:
    return (body.why or "").strip()[:LONGEST_WHY] or None


def _digest(what: str, question_id: str, body: AnswerQuestion | CloseQuestion) -> str:
    return hashlib.sha256(encode([what, question_id, body])).hexdigest()


def _is_repeated(connection: Connection, by: str, request_id: str, digest: str) -> bool:
    """Whether this request was done already. Raises HubError when its id was used for something else."""
    if not ID.fullmatch(request_id):
        raise HubError("bad_request", "request_id: up to 100 letters, digits and _ . : - are allowed.")
    known = request_rows.request_row(connection, by, request_id)
    if known is not None and known.digest != digest:
        raise HubError("conflict", "This request_id was used for something else.")
    return known is not None


def no_question(question_id: str) -> HubError:
    return HubError("not_found", f"There is no question {question_id[:80]}.")
