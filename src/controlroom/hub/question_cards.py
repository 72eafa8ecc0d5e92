"""Cards: made of what agents ask, and as clients see them. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import tzinfo

import msgspec

from controlroom.core.blocking import why_blocking
from controlroom.core.credit import CreditCard
from controlroom.core.due import read_due
from controlroom.core.question_words import About, chosen
from controlroom.core.questions import Log, can_reopen, can_undo
from controlroom.hub.delivery import delivery_of
from controlroom.hub.store.question_rows import Card, QuestionRow, message_id
from controlroom.wire.codec import encode
from controlroom.wire.model import Delivery, Message, MessageState
from controlroom.wire.node import AskedBlock
from controlroom.wire.question import (
    AskQuestion,
    LooksAnswered,
    Question,
    QuestionAnswer,
    QuestionDefault,
    QuestionOption,
    QuestionStep,
)

EVENT_BYTES = 12_000  # of a question in an event; beyond, long texts are cut
TOO_LONG = "It is too long to tell that it is harmless."
SAID_SO = "The agent says that it waits for you."
MONEY = "It may cost money, which only you may allow."
OVER = "Its time was over before the Control Room saw it, so the default is not used by itself."

_FATES: dict[str, MessageState] = {
    "waiting": "accepted",
    "delivered": "delivered",
    "unconfirmed": "unconfirmed",
    "failed": "failed",
    "withdrawn": "failed",
}


class Times(msgspec.Struct, frozen=True, kw_only=True):
    """What the time of a default is read with. ``not_before_ms``: a time that was over by then is not used
    (0: whatever it is)."""

    asked_at_ms: int
    zone: tzinfo
    zone_of: Callable[[str], tzinfo | None]
    not_before_ms: int = 0


def question_id(*parts: str) -> str:
    """The same for the same question, however often it is fetched."""
    digest = hashlib.blake2b("\0".join(parts).encode(errors="replace"), digest_size=12)
    return f"q_{digest.hexdigest()}"


# ---- made --------------------------------------------------------------------------------------------------


def card_of_block(block: AskedBlock, times: Times, item_id: str) -> tuple[Card, bool]:
    """The card of a block, and whether it is blocking."""
    options = tuple(
        QuestionOption(key=one.key, label=one.label, what=one.what or None, recommended=one.recommended)
        for one in block.options
    )
    question = block.question or "It asks something, in a form that is not clear. See the text below."
    why = _why_blocking(block.blocking, question, options, block.context, block.default)
    if why is None and block.is_cut:
        why = TOO_LONG
    card = Card(
        source="block",
        question=question,
        asked_at_ms=times.asked_at_ms,
        options=options,
        default=_default(block.default, block.by, times),
        blocking_why=why,
        context=block.context or None,
        doc=block.doc or None,
        problem=block.problem,
        raw=block.raw if block.problem else None,
        item_id=item_id,
    )
    return card, why is not None


def card_of_command(body: AskQuestion, times: Times) -> tuple[Card, bool]:
    """The card of a question by command, and whether it is blocking."""
    why = _why_blocking(body.blocking, body.question, body.options, body.context or "", body.default)
    card = Card(
        source="command",
        question=body.question.strip(),
        asked_at_ms=times.asked_at_ms,
        options=body.options,
        multi=body.multi,
        default=_default(body.default, body.by or "", times),
        blocking_why=why,
        context=body.context or None,
        doc=body.doc or None,
    )
    return card, why is not None


def card_of_credit(asked: CreditCard, asked_at_ms: int) -> Card:
    """The card of the credit guard. It is blocking."""
    return Card(
        source="policy",
        question=asked.question,
        asked_at_ms=asked_at_ms,
        options=tuple(QuestionOption(key=one.key, label=one.label, what=one.what) for one in asked.choices),
        free_text=False,
        blocking_why=MONEY,
        context=asked.context,
    )


def _why_blocking(
    is_said: bool, question: str, options: Sequence[QuestionOption], context: str, default: str | None
) -> str | None:
    """Why nobody but the person may close it; None when others may."""
    return why_blocking(question, options, context, default) or (SAID_SO if is_said else None)


def _default(text: str | None, by: str, times: Times) -> QuestionDefault | None:
    if not text:
        return None
    due = read_due(by, asked_at_ms=times.asked_at_ms, zone=times.zone, zone_of=times.zone_of)
    due_ms, problem = due.at_ms, due.problem
    if due_ms is not None and due_ms < times.not_before_ms:
        due_ms, problem = None, OVER
    return QuestionDefault(text=text, due_at_ms=due_ms, said=by or None, problem=problem)


# ---- shown -------------------------------------------------------------------------------------------------


def shown(row: QuestionRow, message: Message | None = None) -> Question:
    """A question as clients see it. ``message``: the one that tells the agent the answer, if there is one."""
    card, log = row.card, row.log
    looks = log.looks
    return Question(
        id=row.id,
        agent_id=row.agent_id,
        chat_id=row.chat_id,
        state=log.state,
        source=card.source,
        question=card.question,
        options=card.options,
        multi=card.multi,
        blocking=log.blocking,
        asked_at_ms=card.asked_at_ms,
        history=tuple(
            QuestionStep(
                state=one.state, at_ms=one.at_ms, by=one.by, why=one.why, proof=one.proof, late=one.late
            )
            for one in log.steps
        ),
        free_text=card.free_text,
        default=card.default,
        blocking_why=card.blocking_why,
        context=card.context,
        doc=card.doc,
        problem=card.problem,
        raw=card.raw,
        item_id=card.item_id,
        waiting_id=card.waiting_id,
        answer=_answer(row, message),
        superseded_by=log.superseded_by,
        replaces=card.replaces,
        looks_answered=None
        if looks is None
        else LooksAnswered(at_ms=looks.at_ms, why=looks.why, proof=looks.proof),
        more=card.more,
        undo_until_ms=0 if can_undo(log) else None,
        reopenable=can_reopen(log),
    )


def _answer(row: QuestionRow, message: Message | None) -> QuestionAnswer | None:
    given, typed = row.log.given, row.log.typed
    if given is None:
        return None
    delivery: Delivery | None = None
    if message is not None:
        delivery = delivery_of(message)
    elif typed is not None and not given.in_terminal:
        delivery = Delivery(id=message_id(row.id, typed.number), state=_FATES[typed.fate])
    return QuestionAnswer(
        by=given.by, at_ms=given.at_ms, option=given.option, text=given.text, delivery=delivery
    )


def for_event(question: Question) -> Question:
    """The question as an event tells it: long texts are cut, and it says so."""
    if len(encode(question)) <= EVENT_BYTES:
        return question
    return msgspec.structs.replace(
        question,
        question=question.question[:1000],
        options=tuple(
            msgspec.structs.replace(
                one, label=one.label[:100], what=None if one.what is None else one.what[:60]
            )
            for one in question.options
        ),
        context=_cut(question.context, 500),
        raw=_cut(question.raw, 1000),
        history=question.history[-20:],
        clipped=True,
    )


def _cut(text: str | None, longest: int) -> str | None:
    return None if text is None else text[:longest]


def order(question: Question) -> tuple[bool, bool, int, int]:
    """How open questions wait: blocking ones, then the soonest default, then the oldest."""
    due = question.default.due_at_ms if question.default and not question.blocking else None
    return not question.blocking, due is None, due or 0, question.asked_at_ms


def about(row: QuestionRow, *, has_spoken: bool = False) -> About:
    """What a message to the agent says of a question."""
    default = row.card.default
    return About(
        question=row.card.question,
        default=default.text if default else "",
        said=(default.said or "") if default else "",
        late=row.log.steps[-1].late,
        has_spoken=has_spoken,
        more=row.card.more,
    )


def answer_words(card: Card, log: Log) -> tuple[str, str]:
    """The answer that stands: what was chosen, and the note."""
    given = log.given
    if given is None:
        return "", ""
    keys = given.option.split(", ") if given.option else []
    return chosen(card.options, keys), given.text or ""
