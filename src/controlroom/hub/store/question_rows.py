"""Queries about questions for the person: their cards, their logs, and what is still to be done for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update

from controlroom.core.questions import Log
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import agents, facts, grouped_questions, questions
from controlroom.wire.codec import decode, encode
from controlroom.wire.question import Paused, QuestionDefault, QuestionOption, QuestionSource

_PAUSED, _RESUMED = "paused", "resumed_ms"


class Card(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a question asks. It never changes, but for ``more`` of a group and what stands with it.

    ``way_out``: the key that ends a picker's dialog without a decision.
    """

    source: QuestionSource
    question: str
    asked_at_ms: int
    options: tuple[QuestionOption, ...] = ()
    multi: bool = False
    free_text: bool = True
    default: QuestionDefault | None = None
    blocking_why: str | None = None
    context: str | None = None
    doc: str | None = None
    problem: str | None = None
    raw: str | None = None
    item_id: str | None = None
    waiting_id: str | None = None
    way_out: str | None = None
    replaces: str | None = None
    more: int = 0


class QuestionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One question as stored. ``number`` 0: it is new."""

    id: str
    agent_id: str
    chat_id: str
    card: Card
    log: Log
    created_ms: int
    number: int = 0
    withdraw: int | None = None
    hand_until_ms: int | None = None

    @property
    def is_open(self) -> bool:
        return self.log.state == "open"

    @property
    def due_ms(self) -> int | None:
        """When its default is to be used, while that can happen."""
        default = self.card.default
        if default is None or not self.is_open or self.log.blocking or self.log.default_used:
            return None
        return default.due_at_ms


def question_row(connection: Connection, question_id: str) -> QuestionRow | None:
    row = connection.execute(select(questions).where(questions.c.id == question_id)).first()
    return None if row is None else _question(row)


def _question(row: Row[Any]) -> QuestionRow:
    return QuestionRow(
        id=row.id,
        number=row.number,
        agent_id=row.agent_id,
        chat_id=row.chat_id,
        card=decode(row.card, Card),
        log=decode(row.log, Log),
        created_ms=row.created_ms,
        withdraw=row.withdraw,
        hand_until_ms=row.hand_until_ms,
    )


def put_question(change: Change, row: QuestionRow) -> QuestionRow:
    """Store a question as it is now; a new one gets its number."""
    connection, typed = change.connection, row.log.typed
    values: dict[str, object] = {
        "agent_id": row.agent_id,
        "chat_id": row.chat_id,
        "state": row.log.state,
        "source": row.card.source,
        "is_group": row.card.more > 0,
        "due_ms": row.due_ms,
        "is_followed": typed is not None and typed.fate in ("waiting", "unconfirmed"),
        "withdraw": row.withdraw,
        "hand_until_ms": row.hand_until_ms,
        "card": encode(row.card),
        "log": encode(row.log),
    }
    if row.number:
        connection.execute(update(questions).where(questions.c.id == row.id).values(**values))
        return row
    number = (connection.execute(select(func.max(questions.c.number))).scalar() or 0) + 1
    connection.execute(
        insert(questions).values(id=row.id, number=number, created_ms=row.created_ms, **values)
    )
    return msgspec.structs.replace(row, number=number)


# ---- lists -------------------------------------------------------------------------------------------------


def open_questions(connection: Connection, agent_id: str | None = None) -> list[QuestionRow]:
    """Those that wait, in the order of their appearance."""
    query = select(questions).where(questions.c.state == "open")
    if agent_id is not None:
        query = query.where(questions.c.agent_id == agent_id)
    return _all(connection, query.order_by(questions.c.number))


def unsettled_questions(connection: Connection, agent_id: str) -> list[QuestionRow]:
    """Those of an agent that wait, and those whose answer is still on its way."""
    query = select(questions).where(
        questions.c.agent_id == agent_id,
        (questions.c.state == "open") | ((questions.c.state == "answered") & questions.c.is_followed),
    )
    return _all(connection, query.order_by(questions.c.number))


def newest_questions(
    connection: Connection, *, before: int | None, agent_id: str | None, limit: int
) -> list[QuestionRow]:
    """The newest ones below a number, the newest first."""
    query = select(questions)
    if before is not None:
        query = query.where(questions.c.number < before)
    if agent_id is not None:
        query = query.where(questions.c.agent_id == agent_id)
    return _all(connection, query.order_by(questions.c.number.desc()).limit(limit))


def created_since(connection: Connection, agent_id: str, since_ms: int) -> int:
    """How many cards of an agent's texts and commands were made since then; groups do not count."""
    query = select(func.count()).where(
        questions.c.agent_id == agent_id,
        questions.c.created_ms > since_ms,
        questions.c.source.in_(("block", "command")),
        questions.c.is_group.is_(False),
    )
    return connection.execute(query).scalar() or 0


def _all(connection: Connection, query: Select[Any]) -> list[QuestionRow]:
    return [_question(row) for row in connection.execute(query)]


# ---- what is to be done ------------------------------------------------------------------------------------


def next_moment(connection: Connection, *, has_defaults: bool) -> int | None:
    """When there is something to do next. ``has_defaults``: defaults count too."""
    moments = [connection.execute(select(func.min(questions.c.hand_until_ms))).scalar()]
    if has_defaults:
        moments.append(connection.execute(select(func.min(questions.c.due_ms))).scalar())
    return min((moment for moment in moments if moment is not None), default=None)


def due_questions(connection: Connection, now_ms: int) -> list[str]:
    """Ids of those whose default is to be used by now, the earliest first."""
    query = select(questions.c.id).where(questions.c.due_ms <= now_ms)
    return list(connection.execute(query.order_by(questions.c.due_ms, questions.c.number)).scalars())


def open_without_agent(connection: Connection) -> list[str]:
    """Ids of open questions whose agents have left the fleet."""
    listed = select(agents.c.id).where(agents.c.is_listed)
    query = select(questions.c.id).where(questions.c.state == "open", questions.c.agent_id.not_in(listed))
    return list(connection.execute(query).scalars())


def overdue_hands(connection: Connection, now_ms: int) -> list[str]:
    """Ids of those whose answer no waiting command has fetched in time."""
    query = select(questions.c.id).where(questions.c.hand_until_ms <= now_ms)
    return list(connection.execute(query).scalars())


def withdrawals(connection: Connection) -> list[tuple[str, int]]:
    """Messages that are to be taken back: of which question, and their numbers."""
    query = select(questions.c.id, questions.c.withdraw).where(questions.c.withdraw.is_not(None))
    return [(row.id, row.withdraw) for row in connection.execute(query)]


def followed_messages(connection: Connection) -> list[str]:
    """Ids of the messages of which it is not known what becomes of them."""
    query = select(questions.c.id, questions.c.log).where(questions.c.is_followed)
    found = ((row.id, decode(row.log, Log).typed) for row in connection.execute(query))
    return [message_id(id, typed.number) for id, typed in found if typed is not None]


# ---- messages of questions ---------------------------------------------------------------------------------


def message_id(question_id: str, number: int) -> str:
    """The id of the message that a question's step wants: the same whatever crashes."""
    return f"{question_id}:{number}"


def step_of(id: str) -> tuple[str, int] | None:
    """Which step of which question a message belongs to; None for all other messages."""
    question_id, colon, number = id.rpartition(":")
    if not colon or not question_id.startswith("q_") or not number.isdecimal() or len(number) > 6:
        return None
    return question_id, int(number)


# ---- groups ------------------------------------------------------------------------------------------------


def open_group(connection: Connection, agent_id: str) -> QuestionRow | None:
    """The card that stands for what an agent asked too fast."""
    query = select(questions).where(
        questions.c.agent_id == agent_id, questions.c.state == "open", questions.c.is_group
    )
    return next(iter(_all(connection, query.limit(1))), None)


def is_grouped(connection: Connection, question_id: str) -> bool:
    query = select(grouped_questions.c.id).where(grouped_questions.c.id == question_id)
    return connection.execute(query).first() is not None


def add_grouped(change: Change, question_id: str, group_id: str) -> None:
    change.connection.execute(insert(grouped_questions).values(id=question_id, group_id=group_id))


# ---- the pause ---------------------------------------------------------------------------------------------


def pause_of(connection: Connection) -> tuple[Paused | None, int]:
    """Since when the Control Room is paused (None: it is not), and when it went on last (0: never)."""
    query = select(facts.c.name, facts.c.value).where(facts.c.name.in_((_PAUSED, _RESUMED)))
    found = {row.name: row.value for row in connection.execute(query)}
    paused = decode(found[_PAUSED].encode(), Paused) if _PAUSED in found else None
    return paused, int(found.get(_RESUMED, 0))


def put_pause(change: Change, paused: Paused | None) -> None:
    """Pause, or go on from now."""
    _drop(change, _PAUSED)
    if paused is not None:
        change.connection.execute(insert(facts).values(name=_PAUSED, value=encode(paused).decode()))
        return
    _drop(change, _RESUMED)
    change.connection.execute(insert(facts).values(name=_RESUMED, value=str(change.now_ms)))


def _drop(change: Change, name: str) -> None:
    change.connection.execute(delete(facts).where(facts.c.name == name))


def messages_of(rows: Sequence[QuestionRow]) -> list[str]:
    """Ids of the messages by which these questions were answered."""
    return [
        message_id(row.id, row.log.typed.number)
        for row in rows
        if row.log.given is not None and not row.log.given.in_terminal and row.log.typed is not None
    ]
