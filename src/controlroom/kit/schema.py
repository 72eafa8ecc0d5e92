"""Bringing a database to the schema that this program needs.

A fresh database is made from the metadata at once; Alembic is imported only when an existing one is behind
(its import costs more than the whole start). An existing database is copied before it is changed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    inspect,
    select,
)

from controlroom.kit.clock import Clock

COPIES_KEPT = 3
BACKUPS = "backups"

# Alembic's own table; read here without importing Alembic.
_version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


@dataclass(frozen=True)
class Schema:
    """What a database must look like: its tables, and the package of migrations that leads to ``head``."""

    metadata: MetaData
    migrations: str  # dotted name of the package with env.py and versions/
    head: str  # the newest revision; a test holds it against the package


class Unreadable(Exception):
    """A file is not a database, or a damaged one; the text says what SQLite says of it."""


class SchemaTooNew(Exception):
    """The database was written by a newer program; the text is one line for people."""


def prepare(engine: Engine, schema: Schema, path: Path | None, clock: Clock) -> None:
    """Make the database fit ``schema``. ``path`` is the SQLite file, None for a server.

    Raises SchemaTooNew, and whatever SQLAlchemy raises when the file is damaged or the disk full.
    """
    with engine.begin() as connection:
        found = _revision(connection)
        if found == schema.head:
            return
        if found is None and not inspect(connection).get_table_names():
            schema.metadata.create_all(connection)
            _version.create(connection)
            connection.execute(_version.insert().values(version_num=schema.head))
            return
    _upgrade(engine, schema, path, found or "base", clock)


def revision_of(path: Path) -> str | None:
    """The schema of a database file, None when it has none yet; only reads. Raises Unreadable."""
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as database:
            named = database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", (_version.name,)
            )
            if named.fetchone() is None:
                return None
            row = database.execute(f"SELECT version_num FROM {_version.name}").fetchone()  # noqa: S608
            return None if row is None else str(row[0])
    except sqlite3.DatabaseError as error:
        raise Unreadable(str(error)) from None


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_version.name):
        return None
    return connection.execute(select(_version.c.version_num)).scalar()


def _upgrade(engine: Engine, schema: Schema, path: Path | None, found: str, clock: Clock) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    module = import_module(schema.migrations)
    config = Config()
    config.set_main_option("script_location", str(Path(next(iter(module.__path__)))).replace("%", "%%"))
    revisions = ScriptDirectory.from_config(config)
    if found not in {"base", *(script.revision for script in revisions.walk_revisions())}:
        raise SchemaTooNew(_too_new(path, found, schema.head))
    if path is not None:
        copy_database(path, found, clock)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        config.attributes["metadata"] = schema.metadata
        command.upgrade(config, "head")


def _too_new(path: Path | None, found: str, head: str) -> str:
    if path is None:
        return f"The database was written by a newer version (schema {found}). Install that version again."
    copies = _copies(path)
    fitting = [copy for copy in copies if f"-{head}-" in copy.name] or copies
    way_back = f", or put the copy {fitting[-1]} in its place" if fitting else ""
    return (
        f"{path} was written by a newer version of Control Room (schema {found}). "
        f"Install that version again{way_back}."
    )


def copy_database(path: Path, revision: str, clock: Clock) -> Path:
    """A whole copy beside the database, under ``backups/``; the three newest are kept."""
    folder = path.parent / BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    copy = folder / f"{path.stem}-{revision}-{clock.now_ms()}{path.suffix}"
    # VACUUM INTO takes an existing file only when it is empty: this way the copy is private from the start.
    os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with contextlib.closing(sqlite3.connect(path)) as source:
        source.execute("VACUUM INTO ?", (str(copy),))
    for old in _copies(path)[:-COPIES_KEPT]:
        old.unlink()
    return copy


def _copies(path: Path) -> list[Path]:
    """Copies of this database, oldest first."""
    found = (path.parent / BACKUPS).glob(f"{path.stem}-*{path.suffix}")
    return sorted(found, key=lambda copy: (copy.stem.rpartition("-")[2].zfill(20), copy.name))


def run_migrations() -> None:
    """The whole of each package's ``env.py``."""
    from alembic import context

    attributes = context.config.attributes
    context.configure(
        connection=attributes["connection"], target_metadata=attributes["metadata"], render_as_batch=True
    )
    with context.begin_transaction():
        context.run_migrations()
