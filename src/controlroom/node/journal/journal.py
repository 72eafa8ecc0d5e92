"""The journal's calls. Everything written here is on disk before the call returns."""

from __future__ import annotations

import msgspec
from sqlalchemy import Connection, delete, func, insert, select, update

from controlroom.kit.clock import Clock, new_id
from controlroom.kit.schema import Schema
from controlroom.kit.sql import Database
from controlroom.node.journal.records import ActRecord, AgentRecord, PlacedFile
from controlroom.node.journal.tables import acts, agents, chats, meta, metadata, placed_files, progress
from controlroom.wire.node import ActProgress

HEAD = "n0004"
SCHEMA = Schema(metadata, "controlroom.node.journal.migrations", HEAD)

ACTS_KEPT_MS = 7 * 24 * 3600 * 1000
"""Ids of acts are remembered for seven days (api.md)."""


class Chat(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation of an agent. ``session_id`` is None until the agent has one."""

    id: str
    agent_id: str
    session_id: str | None
    profile: str
    has_spoken: bool = False  # its session's file was seen: from then on a missing file is a missing history


class SameIdOtherAct(Exception):
    """An act with this id was taken before and asked for something else."""


class Journal:
    """The node's own database."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._db = database
        self._clock = clock

    async def identity(self) -> tuple[str, str]:
        """(node id, journal id), made at the first start."""

        def job(connection: Connection) -> tuple[str, str]:
            found = {row.key: row.value for row in connection.execute(select(meta))}
            for key, prefix in (("node_id", "mac"), ("journal_id", "jnl")):
                if key not in found:
                    found[key] = new_id(prefix)
                    connection.execute(insert(meta).values(key=key, value=found[key]))
            return found["node_id"], found["journal_id"]

        return await self._db.write(job)

    # ---- agents and chats ------------------------------------------------------------------------------

    async def agents(self) -> list[AgentRecord]:
        """All agents ever known, oldest first."""

        def job(connection: Connection) -> list[AgentRecord]:
            rows = connection.execute(select(agents.c.record).order_by(agents.c.created_ms, agents.c.id))
            return [msgspec.json.decode(row.record, type=AgentRecord) for row in rows]

        return await self._db.read(job)

    async def save_agents(
        self, records: list[AgentRecord], changed_chats: list[Chat], dropped: list[str]
    ) -> None:
        """Store these agents and chats and forget ``dropped`` agents, together."""
        now = self._clock.now_ms()

        def job(connection: Connection) -> None:
            for record in records:
                values = {
                    "kind": record.kind,
                    "created_ms": record.created_ms,
                    "gone_ms": record.gone_ms,
                    "record": msgspec.json.encode(record),
                }
                done = connection.execute(update(agents).where(agents.c.id == record.id).values(values))
                if done.rowcount == 0:
                    connection.execute(insert(agents).values(id=record.id, **values))
            for chat in changed_chats:
                state = {
                    "session_id": chat.session_id,
                    "profile": chat.profile,
                    "has_spoken": chat.has_spoken,
                }
                done = connection.execute(update(chats).where(chats.c.id == chat.id).values(state))
                if done.rowcount == 0:
                    connection.execute(
                        insert(chats).values(id=chat.id, agent_id=chat.agent_id, created_ms=now, **state)
                    )
            if dropped:
                connection.execute(delete(chats).where(chats.c.agent_id.in_(dropped)))
                connection.execute(delete(agents).where(agents.c.id.in_(dropped)))

        await self._db.write(job)

    async def chats(self) -> list[Chat]:
        """All chats, oldest first."""

        def job(connection: Connection) -> list[Chat]:
            rows = connection.execute(select(chats).order_by(chats.c.created_ms, chats.c.id))
            return [
                Chat(
                    id=row.id,
                    agent_id=row.agent_id,
                    session_id=row.session_id,
                    profile=row.profile,
                    has_spoken=row.has_spoken,
                )
                for row in rows
            ]

        return await self._db.read(job)

    # ---- acts ------------------------------------------------------------------------------------------

    async def take(self, record: ActRecord, kind: str, agent_id: str, first: ActProgress | None) -> ActRecord:
        """Store a new act (and its first progress). Returns the record that holds this id: this one, or the
        one of an earlier call. Raises SameIdOtherAct."""

        def job(connection: Connection) -> ActRecord:
            row = connection.execute(select(acts.c.record).where(acts.c.id == record.act.id)).first()
            if row is not None:
                old = msgspec.json.decode(row.record, type=ActRecord)
                if _asks(old) != _asks(record):
                    raise SameIdOtherAct(record.act.id)
                return old
            connection.execute(
                insert(acts).values(
                    id=record.act.id,
                    kind=kind,
                    agent_id=agent_id,
                    created_ms=record.created_ms,
                    ended_ms=None,
                    record=msgspec.json.encode(record),
                )
            )
            if first is not None:
                _append(connection, first)
            return record

        return await self._db.write(job)

    async def save(self, record: ActRecord, news: ActProgress | None = None) -> None:
        """Store the new state of an act and, with it, what the hub should hear of it."""
        now = self._clock.now_ms()

        def job(connection: Connection) -> None:
            connection.execute(
                update(acts)
                .where(acts.c.id == record.act.id)
                .values(record=msgspec.json.encode(record), ended_ms=now if record.is_over else None)
            )
            if news is not None:
                _append(connection, news)

        await self._db.write(job)

    async def forget(self, act_id: str) -> None:
        """A refused act leaves no trace: its id may be tried again (api.md, Ids and errors)."""

        def job(connection: Connection) -> None:
            connection.execute(delete(acts).where(acts.c.id == act_id))

        await self._db.write(job)

    async def find(self, act_id: str) -> ActRecord | None:
        """The act with this id, None when it was never taken (or forgotten after seven days)."""

        def job(connection: Connection) -> ActRecord | None:
            row = connection.execute(select(acts.c.record).where(acts.c.id == act_id)).first()
            return None if row is None else msgspec.json.decode(row.record, type=ActRecord)

        return await self._db.read(job)

    async def open_acts(self) -> list[ActRecord]:
        """Acts that are not over, in the order in which they were taken."""

        def job(connection: Connection) -> list[ActRecord]:
            rows = connection.execute(
                select(acts.c.record).where(acts.c.ended_ms.is_(None)).order_by(acts.c.number)
            )
            return [msgspec.json.decode(row.record, type=ActRecord) for row in rows]

        return await self._db.read(job)

    async def progress_after(self, seq: int, limit: int = 500) -> list[ActProgress]:
        """Progress behind ``seq``, in order; each row carries its own ``seq``."""

        def job(connection: Connection) -> list[ActProgress]:
            rows = connection.execute(
                select(progress.c.seq, progress.c.body)
                .where(progress.c.seq > seq)
                .order_by(progress.c.seq)
                .limit(limit)
            )
            return [
                msgspec.structs.replace(msgspec.json.decode(row.body, type=ActProgress), seq=row.seq)
                for row in rows
            ]

        return await self._db.read(job)

    # ---- files -----------------------------------------------------------------------------------------

    async def add_placed(self, placed: PlacedFile) -> None:
        """Remember where a file was put; placed anew (it was gone) the new place counts."""
        values = {"placed_ms": placed.placed_ms, "record": msgspec.json.encode(placed)}

        def job(connection: Connection) -> None:
            known = connection.execute(
                update(placed_files).where(placed_files.c.id == placed.id).values(values)
            )
            if known.rowcount == 0:
                connection.execute(insert(placed_files).values(id=placed.id, **values))

        await self._db.write(job)

    async def placed_file(self, upload_id: str) -> PlacedFile | None:
        def job(connection: Connection) -> PlacedFile | None:
            query = select(placed_files.c.record).where(placed_files.c.id == upload_id)
            row = connection.execute(query).first()
            return None if row is None else msgspec.json.decode(row.record, type=PlacedFile)

        return await self._db.read(job)

    async def placed_before(self, before_ms: int) -> list[PlacedFile]:
        """Files that were placed before this time, oldest first."""

        def job(connection: Connection) -> list[PlacedFile]:
            query = (
                select(placed_files.c.record)
                .where(placed_files.c.placed_ms < before_ms)
                .order_by(placed_files.c.placed_ms)
            )
            return [msgspec.json.decode(row.record, type=PlacedFile) for row in connection.execute(query)]

        return await self._db.read(job)

    async def forget_placed(self, upload_id: str) -> None:
        await self._db.write(
            lambda connection: connection.execute(delete(placed_files).where(placed_files.c.id == upload_id))
        )

    async def prune(self) -> None:
        """Forget acts that ended more than seven days ago, and their progress."""
        before = self._clock.now_ms() - ACTS_KEPT_MS

        def job(connection: Connection) -> None:
            connection.execute(delete(acts).where(acts.c.ended_ms < before))
            newest = select(func.max(progress.c.seq)).scalar_subquery()
            connection.execute(delete(progress).where(progress.c.at_ms < before, progress.c.seq < newest))

        await self._db.write(job)


def _asks(record: ActRecord) -> bytes:
    """What the act asked for, without what may differ between two tries of the same request."""
    body = msgspec.to_builtins(record.act)
    body.pop("created_at_ms", None)
    return msgspec.json.encode(body, order="deterministic")


def _append(connection: Connection, news: ActProgress) -> None:
    connection.execute(insert(progress).values(at_ms=news.at_ms, body=msgspec.json.encode(news)))
