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

# How far the agents' files were read for what was used (node.journal.usage).
usage_files = Table(
    "usage_files",
    metadata,
    Column("path", String, primary_key=True),
    Column("profile_id", String, nullable=False),
    Column("session_id", String, nullable=False),
    Column("inode", BigInteger, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mtime_ns", BigInteger, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("anchor", LargeBinary, nullable=False),
    Column("first_size", BigInteger, nullable=False),
    Column("creator", String, nullable=False),
    Column("memory", LargeBinary, nullable=False),
)

usage_sums = Table(
    "usage_sums",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("day", String, nullable=False),
    Column("model", String, nullable=False),
    Column("profile_id", String, nullable=False),
    Column("session_id", String, nullable=False, index=True),
    Column("input", BigInteger, nullable=False),
    Column("cache_read", BigInteger, nullable=False),
    Column("cache_write", BigInteger, nullable=False),
    Column("cache_write_long", BigInteger, nullable=False),
    Column("output", BigInteger, nullable=False),
    Column("answers", BigInteger, nullable=False),
)

# Answers of APIs that were counted, each once, in the sum of ``bucket``.
usage_answers = Table(
    "usage_answers",
    metadata,
    Column("key", LargeBinary, primary_key=True),
    Column("bucket", Integer, nullable=False),
    Column("input", BigInteger, nullable=False),
    Column("cache_read", BigInteger, nullable=False),
    Column("cache_write", BigInteger, nullable=False),
    Column("cache_write_long", BigInteger, nullable=False),
    Column("output", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

# The last readings, and what else is remembered of accounts, as JSON by name.
usage_kept = Table(
    "usage_kept",
    metadata,
    Column("key", String, primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

Index("acts_open", acts.c.ended_ms, acts.c.number)
