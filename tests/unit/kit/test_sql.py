"""The database with one writer."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import Connection, insert, text
from sqlalchemy.exc import IntegrityError

from controlroom.kit.clock import FakeClock
from controlroom.kit.health import HealthBoard
from controlroom.kit.sql import Database, DatabaseTrouble, DiskFull, explain

from .sql_parts import add, notes, schema_in, texts


@pytest.fixture
def board() -> HealthBoard:
    return HealthBoard(FakeClock())


@pytest.fixture
async def database(tmp_path: Path, board: HealthBoard) -> AsyncIterator[Database]:
    database = Database(tmp_path / "d.sqlite", schema_in(tmp_path), clock=FakeClock(), health=board)
    await database.start()
    yield database
    await database.aclose()


async def test_what_write_returned_from_is_read(database: Database) -> None:
    assert await database.write(add("a")) == 1
    assert await database.read(texts) == ["a"]


async def test_the_file_is_private(database: Database, tmp_path: Path) -> None:
    await database.write(add("a"))
    for file in tmp_path.glob("d.sqlite*"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


async def test_a_failing_job_takes_no_other_with_it(database: Database) -> None:
    def bad(connection: Connection) -> None:
        connection.execute(insert(notes).values(id=100, text="half"))
        raise ValueError("no")

    def twice(connection: Connection) -> None:
        connection.execute(insert(notes).values(id=7))
        connection.execute(insert(notes).values(id=7))

    results = await asyncio.gather(
        *(database.write(add(f"n{i}")) for i in range(20)),
        database.write(bad),
        database.write(twice),
        *(database.write(add(f"m{i}")) for i in range(20)),
        return_exceptions=True,
    )
    assert [type(r) for r in results if isinstance(r, Exception)] == [ValueError, IntegrityError]
    assert await database.read(texts) == [f"n{i}" for i in range(20)] + [f"m{i}" for i in range(20)]


async def test_a_job_reads_its_own_writes_and_those_before_it(database: Database) -> None:
    first = database.write(add("a"))

    def second(connection: Connection) -> list[str]:
        connection.execute(insert(notes).values(text="b"))
        return texts(connection)

    assert (await asyncio.gather(first, database.write(second)))[1] == ["a", "b"]


async def test_reading_cannot_write(database: Database) -> None:
    with pytest.raises(DatabaseTrouble):
        await database.read(add("a"))


async def test_a_full_disk_is_named_shown_and_forgotten_when_there_is_room(
    database: Database, board: HealthBoard
) -> None:
    await database.write(lambda c: c.execute(text("PRAGMA max_page_count = 8")).close())
    await database.write(add("kept"))
    with pytest.raises(DiskFull, match="no space is left"):
        await database.write(add("x" * 100_000))
    assert [item.code for item in board.items] == ["database:d"]
    await database.write(lambda c: c.execute(text("PRAGMA max_page_count = 100000")).close())
    await database.write(add("x" * 100_000))
    assert board.items == ()
    assert [t[:4] for t in await database.read(texts)] == ["kept", "xxxx"]


async def test_waiting_jobs_are_stored_before_it_closes(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    database = Database(tmp_path / "d.sqlite", schema, clock=FakeClock())
    await database.start()
    jobs = [asyncio.ensure_future(database.write(add(str(i)))) for i in range(600)]
    await asyncio.sleep(0)
    await database.aclose()
    assert sorted([await job for job in jobs]) == list(range(1, 601))
    with pytest.raises(DatabaseTrouble, match="closed"):
        await database.write(add("late"))
    again = Database(tmp_path / "d.sqlite", schema, clock=FakeClock())
    await again.start()
    assert len(await again.read(texts)) == 600
    await again.aclose()


async def test_a_cancelled_caller_disturbs_nobody(database: Database) -> None:
    job = asyncio.ensure_future(database.write(add("a")))
    await asyncio.sleep(0)
    job.cancel()
    await database.write(add("b"))
    assert "b" in await database.read(texts)


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "d.sqlite").write_bytes(b"rubbish" * 1000)
    database = Database(tmp_path / "d.sqlite", schema_in(tmp_path), clock=FakeClock())
    with pytest.raises(DatabaseTrouble, match=r"d\.sqlite is damaged \(file is not a database\)"):
        await database.start()
    await database.aclose()


async def test_then_is_called_in_the_order_of_commits_even_for_cancelled_callers(database: Database) -> None:
    seen: list[int] = []
    jobs = [asyncio.ensure_future(database.write(add(str(i)), seen.append)) for i in range(30)]
    await asyncio.sleep(0)
    jobs[3].cancel()
    await asyncio.gather(*jobs, return_exceptions=True)
    assert seen == list(range(1, 31))


async def test_what_still_fits_on_a_full_disk_is_stored(database: Database) -> None:
    await database.write(lambda c: c.execute(text("PRAGMA max_page_count = 8")).close())
    results = await asyncio.gather(
        database.write(add("before")),
        database.write(add("x" * 100_000)),
        database.write(add("after")),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [int, DiskFull, int]
    assert await database.read(texts) == ["before", "after"]


@pytest.mark.parametrize(("free", "kind"), [(0, DiskFull), (10**9, DatabaseTrouble)])
def test_an_io_error_without_room_is_a_full_disk(
    free: int, kind: type[DatabaseTrouble], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So SQLite says it when the file beside a write-ahead log finds no room."""
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=free))
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_SHMSIZE
    assert type(explain(error, tmp_path / "d.sqlite")) is kind
