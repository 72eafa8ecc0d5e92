"""Bringing a database to the schema of this program."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from controlroom.kit.clock import FakeClock
from controlroom.kit.schema import COPIES_KEPT, SchemaTooNew, copy_database
from controlroom.kit.sql import Database

from .sql_parts import add, schema_in, texts


def old_database(path: Path, revision: str = "0001") -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE notes (id INTEGER NOT NULL PRIMARY KEY, text VARCHAR);"
            "INSERT INTO notes (text) VALUES ('old');"
            "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);"
            f"INSERT INTO alembic_version VALUES ('{revision}');"
        )


async def test_an_old_database_is_copied_and_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite"
    old_database(path)
    database = Database(path, schema_in(tmp_path), clock=FakeClock(at_ms=5))
    await database.start()
    await database.write(add("new"))
    assert await database.read(texts) == ["old", "new"]
    await database.aclose()
    copy = tmp_path / "backups" / "d-0001-5.sqlite"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    with contextlib.closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT text FROM notes").fetchall() == [("old",)]


async def test_a_newer_database_stops_the_start_and_names_the_copy(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite"
    old_database(path, "0009")
    (tmp_path / "backups").mkdir()
    for name in ("d-0002-7.sqlite", "d-0003-8.sqlite"):
        (tmp_path / "backups" / name).touch()
    database = Database(path, schema_in(tmp_path), clock=FakeClock())
    with pytest.raises(SchemaTooNew) as caught:
        await database.start()
    await database.aclose()
    assert "d-0002-7.sqlite" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_three_copies_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "d.sqlite"
    old_database(path)
    clock = FakeClock(at_ms=8)
    copies = []
    for _ in range(COPIES_KEPT + 2):
        copies.append(copy_database(path, "0001", clock))
        clock.advance(0.001)
    assert sorted((tmp_path / "backups").iterdir()) == sorted(copies[-COPIES_KEPT:])


def test_a_fresh_database_equals_a_migrated_one_and_needs_no_alembic(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    old_database(tmp_path / "old.sqlite")

    def shape(path: Path) -> list[tuple[str, str, int]]:
        with contextlib.closing(sqlite3.connect(path)) as connection:
            rows = connection.execute(
                'SELECT name, type, "notnull" FROM pragma_table_info("notes")'
            ).fetchall()
            return [tuple(row) for row in rows]

    async def open_both() -> None:
        for name in ("fresh.sqlite", "old.sqlite"):
            database = Database(tmp_path / name, schema, clock=FakeClock())
            await database.start()
            await database.aclose()

    asyncio.run(open_both())
    assert shape(tmp_path / "fresh.sqlite") == shape(tmp_path / "old.sqlite")

    script = (
        "import asyncio, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]);"
        "from controlroom.kit.sql import Database; from controlroom.kit.schema import Schema;"
        "from controlroom.kit.clock import SystemClock;"
        "from sqlalchemy import MetaData, Table, Column, Integer;"
        "m = MetaData(); Table('t', m, Column('id', Integer));\n"
        "async def main():\n"
        "    d = Database(Path(sys.argv[1]) / 'n.sqlite', Schema(m, 'none', '1'), clock=SystemClock())\n"
        "    await d.start(); await d.aclose()\n"
        "asyncio.run(main()); asyncio.run(main()); assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True)
