"""What the journal keeps of usage: how far files were read, answers that were counted, and their sums.

Answers are kept by key for ever, because a copy of an old session may turn up at any time; sums make a report
quick. Everything here can be read again from the agents' own files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypeVar

import msgspec
from sqlalchemy import Connection, Row, bindparam, func, insert, select, update

from controlroom.core.tokens import Answer, Bucket, Counted, Sum, Tokens, merge
from controlroom.kit.sql import Database
from controlroom.node.journal.tables import usage_answers, usage_files, usage_kept, usage_sums

T = TypeVar("T")
SumsBy = Literal["day", "model", "profile_id", "session_id"]
AT_ONCE = 500  # keys of one query; SQLite takes 32,766 variables

_COUNTS = ("input", "cache_read", "cache_write", "cache_write_long", "output")


class FileMark(msgspec.Struct, frozen=True, kw_only=True):
    """How far one file was read. ``anchor``: the bytes before ``offset``; ``memory`` is its reader's;
    ``first_size``: how long it was when it was first seen."""

    path: str
    profile_id: str
    session_id: str
    inode: int
    size: int
    mtime_ns: int
    offset: int
    anchor: bytes
    first_size: int
    creator: str = ""
    memory: bytes = b""


class UsageJournal:
    """The node's tables of usage."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def files(self) -> list[FileMark]:
        def job(connection: Connection) -> list[FileMark]:
            return [
                FileMark(
                    path=row.path,
                    profile_id=row.profile_id,
                    session_id=row.session_id,
                    inode=row.inode,
                    size=row.size,
                    mtime_ns=row.mtime_ns,
                    offset=row.position,
                    anchor=row.anchor,
                    first_size=row.first_size,
                    creator=row.creator,
                    memory=row.memory,
                )
                for row in connection.execute(select(usage_files))
            ]

        return await self._db.read(job)

    async def take(self, answers: Sequence[Answer], marks: Sequence[FileMark]) -> None:
        """Count these answers and remember how far the files were read, together."""

        def job(connection: Connection) -> None:
            known = _known(connection, {answer.key for answer in answers})
            changed, sums = merge(known, answers)
            buckets = _buckets(connection, {*sums, *(each.bucket for each in changed.values())})
            _store_answers(connection, known, changed, buckets)
            _add(connection, sums, buckets)
            for mark in marks:
                _put_mark(connection, mark)

        await self._db.write(job)

    async def sums(self, by: SumsBy) -> list[tuple[str, str, Sum]]:
        """All sums by one of their parts, and by model: key, model, sum."""
        columns = [func.sum(usage_sums.c[name]).label(name) for name in (*_COUNTS, "answers")]
        key = usage_sums.c[by].label("of")
        query = select(key, usage_sums.c.model, *columns).group_by(key, usage_sums.c.model)

        def job(connection: Connection) -> list[tuple[str, str, Sum]]:
            return [(row.of, row.model, Sum(_tokens(row), row.answers)) for row in connection.execute(query)]

        return await self._db.read(job)

    async def kept(self, key: str) -> bytes | None:
        """What was kept under this name, None when nothing was."""
        query = select(usage_kept.c.value).where(usage_kept.c.key == key)
        return await self._db.read(lambda connection: connection.execute(query).scalar())

    async def keep(self, key: str, value: bytes) -> None:
        def job(connection: Connection) -> None:
            known = update(usage_kept).where(usage_kept.c.key == key).values(value=value)
            if connection.execute(known).rowcount == 0:
                connection.execute(insert(usage_kept).values(key=key, value=value))

        await self._db.write(job)


def _known(connection: Connection, keys: set[bytes]) -> dict[bytes, Counted]:
    found: dict[bytes, Counted] = {}
    both = usage_answers.join(usage_sums, usage_answers.c.bucket == usage_sums.c.id)
    columns = [usage_answers.c.key, *(usage_answers.c[name] for name in _COUNTS)]
    columns += [usage_sums.c.day, usage_sums.c.model, usage_sums.c.profile_id, usage_sums.c.session_id]
    for some in _pieces(sorted(keys)):
        for row in connection.execute(
            select(*columns).select_from(both).where(usage_answers.c.key.in_(some))
        ):
            found[row.key] = Counted(_bucket(row), _tokens(row))
    return found


def _buckets(connection: Connection, wanted: set[Bucket]) -> dict[Bucket, int]:
    """Their rows, made where there is none."""
    found = _present(connection, wanted)
    nothing = dict.fromkeys((*_COUNTS, "answers"), 0)
    if new := [{**msgspec.structs.asdict(bucket), **nothing} for bucket in wanted - found.keys()]:
        connection.execute(insert(usage_sums), new)
        found = _present(connection, wanted)
    return found


def _present(connection: Connection, wanted: set[Bucket]) -> dict[Bucket, int]:
    found: dict[Bucket, int] = {}
    for some in _pieces(sorted({bucket.session_id for bucket in wanted})):
        columns = [usage_sums.c[name] for name in ("id", "day", "model", "profile_id", "session_id")]
        for row in connection.execute(select(*columns).where(usage_sums.c.session_id.in_(some))):
            found[_bucket(row)] = row.id
    return found


def _store_answers(
    connection: Connection,
    known: dict[bytes, Counted],
    changed: dict[bytes, Counted],
    buckets: dict[Bucket, int],
) -> None:
    new = [
        {"key": key, "bucket": buckets[each.bucket], **msgspec.structs.asdict(each.tokens)}
        for key, each in changed.items()
        if key not in known
    ]
    grown = [
        {"of": key, **msgspec.structs.asdict(each.tokens)} for key, each in changed.items() if key in known
    ]
    if new:
        connection.execute(insert(usage_answers), new)
    if grown:
        statement = update(usage_answers).where(usage_answers.c.key == bindparam("of"))
        connection.execute(statement.values({name: bindparam(name) for name in _COUNTS}), grown)


def _add(connection: Connection, sums: dict[Bucket, Sum], buckets: dict[Bucket, int]) -> None:
    rows = [
        {
            "of": buckets[bucket],
            "more_answers": more.answers,
            **{f"more_{name}": getattr(more.tokens, name) for name in _COUNTS},
        }
        for bucket, more in sums.items()
    ]
    if rows:
        grown = {name: usage_sums.c[name] + bindparam(f"more_{name}") for name in (*_COUNTS, "answers")}
        statement = update(usage_sums).where(usage_sums.c.id == bindparam("of")).values(grown)
        connection.execute(statement, rows)


def _put_mark(connection: Connection, mark: FileMark) -> None:
    values = msgspec.structs.asdict(mark)
    values["position"] = values.pop("offset")
    known = update(usage_files).where(usage_files.c.path == mark.path).values(values)
    if connection.execute(known).rowcount == 0:
        connection.execute(insert(usage_files).values(values))


def _bucket(row: Row[tuple[object, ...]]) -> Bucket:
    return Bucket(row.day, row.model, row.profile_id, row.session_id)


def _tokens(row: Row[tuple[object, ...]]) -> Tokens:
    return Tokens(row.input, row.cache_read, row.cache_write, row.cache_write_long, row.output)


def _pieces(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for at in range(0, len(values), AT_ONCE):
        yield values[at : at + AT_ONCE]
