"""What people do to questions: each act once for its request id, one step in one transaction.

Of two that come at once the store decides: the second is refused and told who won. Only where something
outside happens first (a dialog's keys, a message that is taken back) they wait for each other here.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from sqlalchemy import Connection

from controlroom.core import questions as machine
from controlroom.core.pickers import way_out_note
from controlroom.core.question_answers import Unknown, keys_of
from controlroom.hub.acts import Acts
from controlroom.hub.errors import HubError, no_question
from controlroom.hub.question_fates import Fates
from controlroom.hub.question_pickers import Pickers
from controlroom.hub.question_steps import Steps
from controlroom.hub.receipts import ReceiptBook
from controlroom.hub.requests import ID
from controlroom.hub.store import question_rows, request_rows
from controlroom.hub.store.question_rows import QuestionRow
from controlroom.hub.store.store import Change, Store
from controlroom.wire.client import AnswerDialog
from controlroom.wire.codec import encode
from controlroom.wire.question import AnswerQuestion, CloseQuestion, Question

LONGEST_NOTE, LONGEST_WHY = 10_000, 500
NO_WAY_OUT = "This dialog cannot be left without a choice: answer it, or dismiss its card."

Make = Callable[[int], machine.AnyEvent]
"""The event of an act, at a time."""


class QuestionActs:
    """Acts raise HubError: ``not_found``, ``bad_request``, ``not_allowed``, ``conflict``, and what the
    machine of a dialog's agent refuses."""

    def __init__(
        self,
        store: Store,
        *,
        acts: Acts,
        receipts: ReceiptBook,
        steps: Steps,
        fates: Fates,
        pickers: Pickers,
        pressed: set[str],
        only_devices_answer: bool,
    ) -> None:
        """``pressed``: ids of the pickers that are being answered just now, for others to see.
        ``only_devices_answer``: the setting ``policy.blocking_answers`` says so."""
        self._store = store
        self._acts = acts
        self._receipts = receipts
        self._steps = steps
        self._fates = fates
        self._pickers = pickers
        self._pressed = pressed
        self.only_devices_answer = only_devices_answer
        self._turns: dict[str, tuple[asyncio.Lock, int]] = {}  # by question, with how many want it

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

        if row.log.own and not keys:
            raise HubError("bad_request", "option: choose one of them; a text alone decides nothing here.")
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
        async with self._turn(question_id):
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
        async with self._turn(row.id):
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
        if not (self.only_devices_answer and row.log.blocking) or by.startswith("device:"):
            return
        text = "Only paired devices may answer questions that wait for you (policy.blocking_answers)."
        await self._receipts.refused(by, "answer", row.agent_id, text)
        raise HubError("not_allowed", text)

    async def _row(self, question_id: str) -> QuestionRow:
        row = await self._store.read(lambda c: question_rows.question_row(c, question_id))
        if row is None:
            raise no_question(question_id)
        return row

    @asynccontextmanager
    async def _turn(self, question_id: str) -> AsyncIterator[None]:
        """One at a time for each question."""
        lock, wanted = self._turns.get(question_id, (asyncio.Lock(), 0))
        self._turns[question_id] = (lock, wanted + 1)
        try:
            async with lock:
                yield
        finally:
            lock, wanted = self._turns.pop(question_id)
            if wanted > 1:
                self._turns[question_id] = (lock, wanted - 1)


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
