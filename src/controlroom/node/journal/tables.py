"""Tables of the node's journal. Records that only the node reads are JSON; what is searched is a column."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, LargeBinary, MetaData, String, Table

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", String, nullable=False),
)

agents = Table(
    "agents",
    metadata,
    Column("id", String, primary_key=True),
    Column("kind", String, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
    Column("gone_ms", BigInteger),
    Column("record", LargeBinary, nullable=False),
)

chats = Table(
    "chats",
    metadata,
    Column("id", String, primary_key=True),
    Column("agent_id", String, nullable=False, index=True),
    Column("session_id", String),
    Column("profile", String, nullable=False),
    Column("has_spoken", Boolean, nullable=False),
    Column("created_ms", BigInteger, nullable=False),
)

acts = Table(
    "acts",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("id", String, nullable=False, unique=True),
    Column("kind", String, nullable=False),
    Column("agent_id", String, nullable=False, index=True),
    Column("created_ms", BigInteger, nullable=False),
    Column("ended_ms", BigInteger),
    Column("record", LargeBinary, nullable=False),
)

progress = Table(
    "progress",
    metadata,
    Column("seq", Integer, primary_key=True, autoincrement=True),
    Column("at_ms", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

placed_files = Table(
    "placed_files",
    metadata,
    Column("id", String, primary_key=True),
    Column("placed_ms", BigInteger, nullable=False, index=True),
    Column("record", LargeBinary, nullable=False),
)

Index("acts_open", acts.c.ended_ms, acts.c.number)
