"""A small schema with two revisions, written into a package that a test can import."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Column, Connection, Integer, MetaData, String, Table, insert, select

from controlroom.kit.schema import Schema

metadata = MetaData()
notes = Table(
    "notes", metadata, Column("id", Integer, primary_key=True), Column("text", String), Column("tag", String)
)

_names = itertools.count()

FIRST = """
from alembic import op
import sqlalchemy as sa
revision, down_revision = "0001", None
def upgrade():
    op.create_table("notes", sa.Column("id", sa.Integer, primary_key=True), sa.Column("text", sa.String))
"""
SECOND = """
from alembic import op
import sqlalchemy as sa
revision, down_revision = "0002", "0001"
def upgrade():
    with op.batch_alter_table("notes") as table:
        table.add_column(sa.Column("tag", sa.String))
"""


def schema_in(folder: Path) -> Schema:
    """The schema, with its migrations as a fresh package under ``folder``."""
    name = f"acr_test_migrations_{next(_names)}"
    package = folder / name
    (package / "versions").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "env.py").write_text("from controlroom.kit.schema import run_migrations\nrun_migrations()\n")
    (package / "versions" / "0001_first.py").write_text(FIRST)
    (package / "versions" / "0002_second.py").write_text(SECOND)
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return Schema(metadata, name, "0002")


def add(text: str) -> Callable[[Connection], int]:
    def job(connection: Connection) -> int:
        return int(connection.execute(insert(notes).values(text=text)).inserted_primary_key[0])

    return job


def texts(connection: Connection) -> list[str]:
    return list(connection.execute(select(notes.c.text).order_by(notes.c.id)).scalars())
