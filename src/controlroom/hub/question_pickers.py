"""Dialogs in which agents ask something, as cards: they come and go with what agents wait for.

A dialog that is gone was answered at the pane, or by us. How, the conversation says a moment later
(``question_intake``); what it does not say within that moment nobody knows, and the card has expired.
While an agent cannot be looked at, its cards stay. A card that a person opens again after its dialog has gone
parts with it: from then on it is answered by a message, like all others.

The page that sends the answers of a dialog is no question where it shows just what a person chose on cards:
it is confirmed in their name.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from controlroom.core.blocking import why_blocking
from controlroom.core.pickers import PickerCard, Said, card_of, confirms
from controlroom.core.questions import Expire
from controlroom.hub.acts import Acts
from controlroom.hub.errors import HubError
from controlroom.hub.nodes import Node
from controlroom.hub.question_cards import question_id
from controlroom.hub.question_intake import new_question
from controlroom.hub.question_steps import Steps
from controlroom.hub.store import question_rows
from controlroom.hub.store.question_rows import Card, QuestionRow
from controlroom.hub.store.store import Change, Store
from controlroom.kit.sql import DatabaseTrouble
from controlroom.kit.supervise import Tasks
from controlroom.wire.client import AnswerDialog
from controlroom.wire.model import WaitingFor
from controlroom.wire.node import AgentState
from controlroom.wire.question import QuestionOption

_log = structlog.get_logger("questions")

GRACE_S = 20.0  # the conversation is fetched within seconds of the snapshot
AGAIN_S = 5.0
MOST_SAME = 20  # cards of one dialog that came back again and again
RECENT, WITHIN_MS = 20, 60 * 60_000  # cards that a page of answers may be about
TRIES, TRY_S = 10, 0.3  # the page may be seen before it is written down that a card was answered
GONE = "Its dialog is gone, and the conversation does not say how it was answered."


class Pickers:
    """Keeps cards and dialogs together."""

    def __init__(self, store: Store, steps: Steps, acts: Acts) -> None:
        self._store = store
        self._acts = acts
        self._steps = steps
        self._tasks = Tasks("pickers")
        self._standing: dict[str, str | None] = {}  # by agent: the dialog that stands
        self._gone: dict[str, int] = {}  # by agent: how often its dialog went

    async def start(self) -> None:
        for row in await self._store.read(question_rows.open_questions):
            if row.card.waiting_id is not None:
                self._standing[row.agent_id] = row.card.waiting_id

    async def aclose(self) -> None:
        await self._tasks.aclose()

    def snapshot(self, node: Node, states: Sequence[AgentState]) -> None:
        """The newest states of a machine's agents."""
        for state in states:
            waiting = _picker(state)
            stands = None if waiting is None else waiting.id
            if state.activity == "unknown" or stands == self._standing.get(state.id):
                continue
            self._standing[state.id] = stands
            if waiting is not None:
                self._tasks.start(state.id, self._make(node, state, waiting))
            else:
                self._gone[state.id] = self._gone.get(state.id, 0) + 1
                self._tasks.start(state.id, self._expire(state.id, self._gone[state.id]))

    def parted(self, row: QuestionRow) -> QuestionRow:
        """A closed card without its dialog, if that is gone: nobody can press a key for it any more."""
        card = row.card
        if row.is_open or card.waiting_id is None or self._standing.get(row.agent_id) == card.waiting_id:
            return row
        card = msgspec.structs.replace(card, waiting_id=None, way_out=None, free_text=True)
        return msgspec.structs.replace(row, card=card)

    async def _make(self, node: Node, state: AgentState, waiting: WaitingFor) -> None:
        while self._standing.get(state.id) == waiting.id:
            try:
                if not await self._confirm(node, state, waiting):
                    await self._store.change(lambda change: self._card(change, node, state, waiting))
                return
            except DatabaseTrouble as error:
                _log.warning("cannot keep a dialog's card", agent=state.id, error=str(error))
                await asyncio.sleep(AGAIN_S)

    async def _confirm(self, node: Node, state: AgentState, waiting: WaitingFor) -> bool:
        """Send the answers that were given on cards, when this is the page that shows just these."""
        page = card_of(waiting)
        if page is None or not page.is_review:
            return False
        since_ms = waiting.since_ms + node.offset_ms - WITHIN_MS
        for _ in range(TRIES):
            rows = [row for row in await self._recent(state) if row.card.asked_at_ms >= since_ms]
            by = _who_said(page, rows)
            if by is not None:
                body = AnswerDialog(
                    request_id=f"send_{waiting.id}", waiting_id=waiting.id, option=page.options[0].key
                )
                try:
                    await self._acts.answer(state.id, body, by)
                except HubError as error:
                    _log.warning("cannot send answers", agent=state.id, error=str(error))
                    return False
                return True
            if not any(row.is_open for row in rows) or self._standing.get(state.id) != waiting.id:
                return False
            await asyncio.sleep(TRY_S)
        return False

    async def _recent(self, state: AgentState) -> list[QuestionRow]:
        rows = await self._store.read(
            lambda c: question_rows.newest_questions(c, before=None, agent_id=state.id, limit=RECENT)
        )
        return [row for row in rows if row.card.source == "picker" and row.chat_id == state.chat_id]

    async def _expire(self, agent_id: str, time: int) -> None:
        """Give the conversation a moment to say how it was answered; what it does not say has expired."""
        await asyncio.sleep(GRACE_S)

        def job(change: Change) -> None:
            for row in question_rows.open_questions(change.connection, agent_id):
                if row.card.waiting_id is not None:
                    self._steps.take(change, row, Expire(at_ms=change.now_ms, why=GONE))

        while self._standing.get(agent_id) is None and self._gone.get(agent_id) == time:
            try:
                await self._store.change(job)
                return
            except DatabaseTrouble as error:
                _log.warning("cannot close a dialog's card", agent=agent_id, error=str(error))
                await asyncio.sleep(AGAIN_S)

    def _card(self, change: Change, node: Node, state: AgentState, waiting: WaitingFor) -> None:
        """The card of a dialog that stands. One that was closed stays closed, unless it had expired."""
        shown = card_of(waiting)
        if shown is None:
            return
        id = ""
        for number in range(MOST_SAME):
            id = question_id(state.chat_id, "picker", waiting.id, str(number))
            known = question_rows.question_row(change.connection, id)
            if known is None:
                break
            if known.log.state != "expired":
                return
        options = tuple(
            QuestionOption(key=one.key, label=one.label, what=one.what or None, recommended=one.recommended)
            for one in shown.options
        )
        why = why_blocking(shown.question, options, shown.context)
        card = Card(
            source="picker",
            question=shown.question,
            asked_at_ms=waiting.since_ms + node.offset_ms,
            options=options,
            multi=shown.multi,
            free_text=shown.free_text,
            blocking_why=why,
            context=shown.context or None,
            problem=shown.problem,
            waiting_id=waiting.id,
            way_out=shown.way_out,
        )
        row = new_question(change, id, state.id, state.chat_id, card, is_blocking=why is not None)
        self._steps.put(change, row)


def _who_said(page: PickerCard, rows: Sequence[QuestionRow]) -> str | None:
    """Who chose on cards just what the page shows; None when it shows anything else. ``rows``: the newest
    first."""
    said: dict[str, Said] = {}
    by = None
    for row in rows:
        given = row.log.given
        if row.log.state != "answered" or given is None or given.in_terminal or row.card.question in said:
            continue
        keys = given.option.split(", ") if given.option else []
        labels = tuple(one.label for one in row.card.options if one.key in keys)
        said[row.card.question] = Said(question=row.card.question, labels=labels, text=given.text or "")
        by = by or given.by
    return by if confirms(page, tuple(said.values())) else None


def _picker(state: AgentState) -> WaitingFor | None:
    """The dialog in which an agent asks something now."""
    waiting = state.waiting_for
    return waiting if waiting is not None and waiting.kind == "picker" else None
