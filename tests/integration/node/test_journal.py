"""The journal of an older program becomes what a fresh one is."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from controlroom.kit.clock import FakeClock
from controlroom.kit.sql import Database
from controlroom.node.journal.journal import SCHEMA


def shape(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        indexes = connection.execute("SELECT tbl_name, name FROM sqlite_master WHERE type = 'index'")
        found: dict[str, list[tuple[object, ...]]] = {
            "indexes": sorted(row for row in indexes if row[0] != "alembic_version")
        }
        for name in names:
            if name != "alembic_version":
                columns = connection.execute(f"PRAGMA table_info({name})")
                found[name] = [tuple(row[1:]) for row in columns]
        return found


async def opened(path: Path) -> None:
    database = Database(path, SCHEMA, clock=FakeClock())
    await database.start()
    await database.aclose()


async def test_migrations_lead_to_the_tables_that_a_fresh_journal_has(tmp_path: Path) -> None:
    fresh, old = tmp_path / "fresh.sqlite", tmp_path / "old.sqlite"
    with contextlib.closing(sqlite3.connect(old)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num VARCHAR NOT NULL)")
        connection.commit()
    await opened(fresh)
    await opened(old)
    assert shape(old) == shape(fresh)
