"""What the checker remembers: which state of a conversation it has judged, and today's calls."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from controlroom.core.daily import Spent
from controlroom.hub.store.store import Change
from controlroom.hub.store.tables import checks, facts
from controlroom.wire.codec import decode, encode

KEPT_MS = 30 * 24 * 3600 * 1000
SPENT = "checker_spent"  # a fact


class Check(msgspec.Struct, frozen=True):
    """``by`` judged the question in this state of its conversation: a model's name, or ``rules``."""

    position: str
    by: str


def all_checks(connection: Connection) -> dict[str, Check]:
    """By question id."""
    return {row.question_id: Check(row.position, row.by) for row in connection.execute(select(checks))}


def put_check(change: Change, question_id: str, check: Check) -> None:
    values = {"position": check.position, "by": check.by, "at_ms": change.now_ms}
    known = update(checks).where(checks.c.question_id == question_id).values(**values)
    if change.connection.execute(known).rowcount == 0:
        change.connection.execute(insert(checks).values(question_id=question_id, **values))


def forget_old(change: Change) -> None:
    change.connection.execute(delete(checks).where(checks.c.at_ms < change.now_ms - KEPT_MS))


def spent(connection: Connection) -> Spent:
    found = connection.execute(select(facts.c.value).where(facts.c.name == SPENT)).scalar()
    if found is None:
        return Spent()
    try:
        return decode(found.encode(), Spent)
    except msgspec.MsgspecError:  # another version's
        return Spent()


def put_spent(change: Change, value: Spent) -> None:
    text = encode(value).decode()
    known = update(facts).where(facts.c.name == SPENT).values(value=text)
    if change.connection.execute(known).rowcount == 0:
        change.connection.execute(insert(facts).values(name=SPENT, value=text))
