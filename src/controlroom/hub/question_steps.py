"""One step of a question: decided by ``core.questions``, written down with everything that follows from it.

What has to be typed is stored as a message in the same transaction, under an id that is made of the question
and the step: a crash leaves both or neither, and the courier carries what is stored. What has to be taken
back, and an answer that a waiting command may fetch, stand in the question's own row until that is done.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from controlroom.core import questions as machine
from controlroom.core.question_words import words
from controlroom.core.questions import AnyEvent, Fated, Type, Undo, Withdraw
from controlroom.core.text import clean_line
from controlroom.hub.delivery import as_shown
from controlroom.hub.errors import HubError
from controlroom.hub.messages import Messages, is_own
from controlroom.hub.nodes import Nodes
from controlroom.hub.question_cards import about, answer_words, for_event, shown
from controlroom.hub.store import chat_rows, fleet_rows, message_rows, question_rows, request_rows
from controlroom.hub.store.question_rows import QuestionRow, message_id
from controlroom.hub.store.store import Change
from controlroom.wire.client import SendMessage
from controlroom.wire.model import Message
from controlroom.wire.question import Question

HAND_MS = 10_000  # a command that waits asks again at once; who takes longer has gone
NAMED, WHY = 160, 300  # characters of a question, and of a reason, in a receipt


class Steps:
    """Writes steps down. ``is_waited_for``: whether the asking agent's own command waits for the end."""

    def __init__(
        self, messages: Messages, nodes: Nodes, is_waited_for: Callable[[QuestionRow], bool]
    ) -> None:
        self._messages = messages
        self._nodes = nodes
        self._is_waited_for = is_waited_for

    def take(
        self, change: Change, row: QuestionRow, event: AnyEvent, *, has_receipt: bool = True
    ) -> QuestionRow:
        """Do this to a question. Raises HubError: ``conflict`` with the reason when it cannot be,
        ``not_found`` when its agent cannot be told."""
        outcome = machine.step(row.log, event)
        if outcome.refusal is not None:
            raise HubError("conflict", self._refusal(change, row, outcome.refusal))
        if outcome.log == row.log and not outcome.effects:
            return row
        before, row = row.log, msgspec.structs.replace(row, log=outcome.log)
        for effect in outcome.effects:
            if isinstance(effect, Withdraw):
                row = self._withdraw(change, row, effect, event)
            else:
                row = self._type(change, row, effect)
        if has_receipt and (receipt := receipt_of(before, row, event)) is not None:
            what, by, text = receipt
            request_rows.add_receipt(
                change, by=by, what=what, code="ok", text=text, agent_id=row.agent_id, question_id=row.id
            )
        return self.put(change, row)

    def put(self, change: Change, row: QuestionRow) -> QuestionRow:
        """Store a question and tell clients of it."""
        row = question_rows.put_question(change, row)
        self.tell(change, row)
        return row

    def tell(self, change: Change, row: QuestionRow) -> None:
        """Tell clients how a question is now."""
        change.emit("question.changed", for_event(self.shown(change, row)))

    def shown(self, change: Change, row: QuestionRow) -> Question:
        """The question with what became of its answer."""
        return shown(row, self._answer_of(change, row))

    def _answer_of(self, change: Change, row: QuestionRow) -> Message | None:
        ids = question_rows.messages_of([row])
        found = message_rows.message_row(change.connection, ids[0]) if ids else None
        return None if found is None else as_shown(found.message, self._nodes.get(found.machine_id))

    # ---- effects ---------------------------------------------------------------------------------------

    def _type(self, change: Change, row: QuestionRow, effect: Type) -> QuestionRow:
        if row.card.waiting_id is not None and effect.wording == "answer":
            return row  # its keys were pressed before this step was taken
        if row.card.source == "command" and self._is_waited_for(row):
            return msgspec.structs.replace(row, hand_until_ms=change.now_ms + HAND_MS)
        self.type_now(change, row, effect.number, effect.wording)
        return row

    def type_now(self, change: Change, row: QuestionRow, number: int, wording: machine.Wording) -> None:
        """Store the message of a step, once. Raises HubError ``not_found``: its agent left the fleet."""
        choice, note = answer_words(row.card, row.log)
        has_spoken = wording == "default" and self._has_spoken(change, row)
        text = words(wording, about(row, has_spoken=has_spoken), choice, note)
        by = row.log.steps[number].by
        self._messages.add(change, row.agent_id, SendMessage(id=message_id(row.id, number), text=text), by)

    def _withdraw(self, change: Change, row: QuestionRow, effect: Withdraw, event: AnyEvent) -> QuestionRow:
        if row.hand_until_ms is None:
            return msgspec.structs.replace(row, withdraw=effect.number)
        by = event.by if isinstance(event, Undo) else None  # nobody has it yet: it is back at once
        fated = Fated(at_ms=change.now_ms, number=effect.number, fate="withdrawn", by=by)
        return msgspec.structs.replace(row, hand_until_ms=None, log=machine.step(row.log, fated).log)

    def _has_spoken(self, change: Change, row: QuestionRow) -> bool:
        """Whether somebody wrote in the chat after the question, other than what is made here."""
        offset_ms = self._offset(change, row.agent_id)
        said = chat_rows.said_after(change.connection, row.chat_id, row.card.asked_at_ms - offset_ms)
        arrived = message_rows.arrived(change.connection, row.chat_id, said) if said else {}
        return any(id not in arrived or not is_own(arrived[id].id) for id in said)

    def _offset(self, change: Change, agent_id: str) -> int:
        agent = fleet_rows.agent_row(change.connection, agent_id)
        node = None if agent is None else self._nodes.get(agent.machine_id)
        return 0 if node is None else node.offset_ms

    # ---- refusals --------------------------------------------------------------------------------------

    def _refusal(self, change: Change, row: QuestionRow, text: str) -> str:
        """The machine's words; where they name a winner, with the name of the device."""
        if row.is_open or text != machine.closed_text(row.log):
            return text
        device = request_rows.device_name(change.connection, row.log.steps[-1].by)
        said = " ".join(filter(None, answer_words(row.card, row.log)))
        return machine.closed_text(row.log, device=device, said=clean_line(said, NAMED))


def receipt_of(before: machine.Log, row: QuestionRow, event: AnyEvent) -> tuple[str, str, str] | None:
    """What was done, by whom, in a sentence; None for what needs no receipt."""
    log, card = row.log, row.card
    if len(log.steps) == len(before.steps):
        return None
    last, why = log.steps[-1], clean_line(log.steps[-1].why, WHY)
    named = f"“{clean_line(card.question, NAMED)}”"
    proof = f" Proof: “{clean_line(last.proof, NAMED)}”" if last.proof else ""
    late = " It came late." if last.late else ""
    match event:
        case machine.Answer():
            choice, note = answer_words(card, log)
            said = " – ".join(part for part in (choice, note) if part)
            where = " in the terminal" if event.in_terminal else ""
            return "answer", last.by, f"Answered {named}{where}: {clean_line(said, NAMED)}"
        case machine.Resolve():
            return "resolve", last.by, f"The agent closed its question {named}: {why}{proof}"
        case machine.Supersede():
            return "supersede", last.by, f"A newer question replaced {named}: {why}{proof}"
        case machine.Judge():
            return "check", last.by, f"The checker closed {named}: {why}{proof}"
        case machine.Deadline():
            default = clean_line(card.default.text if card.default else "", NAMED)
            return (
                "default",
                last.by,
                f"Nobody answered {named} in time; its default is used: {default}{late}",
            )
        case machine.Skip():
            return "skip", last.by, f"Skipped {named}: nobody decided, and this is no approval."
        case machine.Dismiss():
            return "dismiss", last.by, f"Dismissed {named}."
        case machine.Expire():
            return "expire", last.by, f"{named} can not be answered any more: {why}"
        case machine.Undo() | machine.Fated():
            return "undo", last.by, f"Took back what was done to {named}."
        case machine.Reopen():
            return "reopen", last.by, f"Reopened {named}: {why}"
