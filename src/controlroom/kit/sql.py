"""One database with one writer: jobs in, group commits out.

All writes of a database go through one thread. It takes whatever jobs are waiting, runs each in a savepoint
of its own, and commits them together: one fsync for all of them, and a job that fails takes no other with
it. SQLite runs with ``synchronous=FULL`` always: what ``write`` has returned from survives a power cut, and
group commit makes that cheap enough that no weaker kind of write is offered.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import queue
import shutil
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, DBAPIError, OperationalError

from controlroom.kit.clock import Clock
from controlroom.kit.health import HealthBoard
from controlroom.kit.schema import Schema, prepare

T = TypeVar("T")
Job = Callable[[Connection], T]
_Outcome = tuple[Any, BaseException | None]

BATCH = 256  # jobs of one commit: bounds how long the first of them waits
READERS = 2  # threads; a long page of one client must not hold up another's
WAL_INDEX_BYTES = 64 * 1024  # SQLite makes the file beside a WAL at least half as large
BUSY_S = 5.0  # another process (doctor, a backup) holds the file for moments only


class DatabaseTrouble(Exception):
    """The database cannot be used now; nothing of the job was stored. The text is for people."""


class DiskFull(DatabaseTrouble):
    """There is no room left: try again when there is."""


@dataclass(frozen=True)
class _Waiting:
    job: Job[Any]
    future: asyncio.Future[Any]
    then: Callable[[Any], None] | None


class Database:
    """SQLite by path, or any SQLAlchemy URL. ``start`` brings the schema up to date."""

    def __init__(
        self, where: Path | str, schema: Schema, *, clock: Clock, health: HealthBoard | None = None
    ) -> None:
        self._path = where if isinstance(where, Path) else None
        self._url = f"sqlite:///{where}" if isinstance(where, Path) else where
        self._schema = schema
        self._clock = clock
        self._health = health
        self._jobs: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="sql-read")
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop
        self._writer: Engine
        self._reader: Engine

    async def start(self) -> None:
        """Open and migrate. Raises SchemaTooNew, DatabaseTrouble."""
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._open)
        self._thread = threading.Thread(target=self._write_jobs, name="sql-write", daemon=True)
        self._thread.start()

    async def aclose(self) -> None:
        """Finish the waiting jobs, then close. A later ``write`` raises DatabaseTrouble."""
        thread, self._thread = self._thread, None
        if thread is None:
            self._readers.shutdown()
            return
        self._jobs.put(None)
        await asyncio.to_thread(thread.join)
        await asyncio.to_thread(self._readers.shutdown)
        self._reader.dispose()
        self._writer.dispose()

    async def write(self, job: Job[T], then: Callable[[T], None] | None = None) -> T:
        """Run ``job`` in the writer's transaction; returns after the commit.

        ``then`` is called in the event loop with what the job returned, for all jobs in the order of their
        commits and even when the caller was cancelled: views in memory are kept in step there. It must not
        raise.

        What the job raises comes back to the caller, and nothing of the job is stored then. Raises DiskFull
        and DatabaseTrouble. The job must change nothing but the database: it may be run again. A caller that
        is cancelled leaves open whether its job is stored.
        """
        if self._thread is None:
            raise DatabaseTrouble("The database is closed.")
        future: asyncio.Future[T] = self._loop.create_future()
        self._jobs.put(_Waiting(job, future, then))
        return await future

    async def read(self, job: Job[T]) -> T:
        """Run ``job`` on a read-only connection that sees one moment of the database."""
        if self._thread is None:
            raise DatabaseTrouble("The database is closed.")
        return await self._loop.run_in_executor(self._readers, self._read, job)

    # ---- in threads ------------------------------------------------------------------------------------

    def _open(self) -> None:
        try:
            if self._path is not None:
                # SQLite gives its -wal and -shm files the mode of the main file.
                os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600))
            self._writer = _engine(self._url, pool_size=1, read_only=False)
            self._reader = _engine(self._url, pool_size=READERS, read_only=True)
            prepare(self._writer, self._schema, self._path, self._clock)
        except (DBAPIError, sqlite3.Error, OSError) as error:
            raise explain(error, self._path) from error

    def _read(self, job: Job[T]) -> T:
        try:
            with self._reader.begin() as connection:
                return job(connection)
        except DatabaseError as error:
            raise (explain(error, self._path) if _is_trouble(error) else error) from None

    def _write_jobs(self) -> None:
        while (first := self._jobs.get()) is not None:
            batch, last = self._gather(first)
            self._commit(batch)
            if last:
                return

    def _gather(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        """Everything that waits by now, and whether the end was among it."""
        batch = [first]
        with contextlib.suppress(queue.Empty):
            while len(batch) < BATCH:
                more = self._jobs.get_nowait()
                if more is None:
                    return batch, True
                batch.append(more)
        return batch, False

    def _commit(self, batch: list[_Waiting]) -> None:
        outcomes = self._together(batch)
        if len(batch) > 1 and all(isinstance(error, DiskFull) for _, error in outcomes):
            # The one that does not fit ended the transaction of all: what still fits is stored by itself.
            outcomes = [self._together([waiting])[0] for waiting in batch]
        trouble = next((error for _, error in outcomes if isinstance(error, DatabaseTrouble)), None)
        self._loop.call_soon_threadsafe(self._report, batch, outcomes, trouble)

    def _together(self, batch: list[_Waiting]) -> list[_Outcome]:
        """Run these jobs in one transaction: value or error of each."""
        try:
            with self._writer.begin() as connection:
                return [_in_savepoint(connection, waiting.job) for waiting in batch]
        except Exception as error:  # noqa: BLE001 - whatever it was, the callers get it
            return [(None, explain(error, self._path))] * len(batch)

    # ---- back in the loop ------------------------------------------------------------------------------

    def _report(
        self,
        batch: list[_Waiting],
        outcomes: list[_Outcome],
        trouble: DatabaseTrouble | None,
    ) -> None:
        for waiting, (value, error) in zip(batch, outcomes, strict=True):
            if error is None and waiting.then is not None:
                waiting.then(value)
            if waiting.future.done():  # its caller was cancelled
                continue
            if error is None:
                waiting.future.set_result(value)
            else:
                waiting.future.set_exception(error)
        if self._health is None:
            return
        code = f"database:{self._path.stem if self._path else 'server'}"
        if trouble is None:
            self._health.clear(code)
        else:
            self._health.raise_(code, str(trouble), "Make room or repair it; it goes on by itself.")


def _in_savepoint(connection: Connection, job: Job[Any]) -> _Outcome:
    savepoint = connection.begin_nested()
    try:
        value = job(connection)
    except Exception as error:  # noqa: BLE001 - the job's failure belongs to its caller
        try:
            savepoint.rollback()
        except DBAPIError:
            # SQLite may end the whole transaction by itself (full disk, I/O error): then nobody's job
            # is stored, and each caller must hear it.
            raise error from None
        return None, explain(error, None) if _is_trouble(error) else error
    savepoint.commit()
    return value, None


def _is_trouble(error: Exception) -> bool:
    """The file or server failed, not the statement (IntegrityError and the like are the job's own)."""
    return isinstance(error, OperationalError) or type(error) is DatabaseError


def explain(error: Exception, path: Path | None) -> DatabaseTrouble:
    """What a failure of the database means for people."""
    name = str(path) if path else "The database"
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    code = getattr(cause, "sqlite_errorcode", None)
    if code == sqlite3.SQLITE_FULL or getattr(cause, "errno", None) == errno.ENOSPC or _is_full(code, path):
        return DiskFull(f"{name}: no space is left on the disk.")
    if isinstance(cause, PermissionError):
        return DatabaseTrouble(f"{name} cannot be opened: permission denied.")
    if code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return DatabaseTrouble(
            f"{name} is damaged ({str(cause)[:200]}). With the control room stopped, put a copy from "
            "backups/ in its place, or move it away: then a new one is made. Conversations stay in the "
            "agents' own files."
        )
    return DatabaseTrouble(f"{name} cannot be used: {str(cause)[:200]}.")


def _is_full(code: int | None, path: Path | None) -> bool:
    """SQLite calls it an I/O error when its files beside the database find no room."""
    if code is None or path is None or code & 0xFF != sqlite3.SQLITE_IOERR:
        return False
    try:
        return shutil.disk_usage(path.parent).free < WAL_INDEX_BYTES
    except OSError:
        return False


def _engine(url: str, *, pool_size: int, read_only: bool) -> Engine:
    engine = create_engine(url, pool_size=pool_size, max_overflow=0)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_reader if read_only else _set_up_writer)
        event.listen(engine, "begin", _begin if read_only else _begin_immediate)
    return engine


def _set_up_writer(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # we say BEGIN ourselves, see _begin_immediate
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_S * 1000)}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_size_limit = 16777216")


def _set_up_reader(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_S * 1000)}")
    connection.execute("PRAGMA query_only = ON")


def _begin_immediate(connection: Connection) -> None:
    # A transaction that begins by reading and then writes fails at once when another one wrote meanwhile,
    # whatever the busy timeout says.
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")
