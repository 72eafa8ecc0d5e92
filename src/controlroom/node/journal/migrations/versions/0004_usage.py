"""What agents used, and how far their files were read for it."""

import sqlalchemy as sa
from alembic import op

revision = "n0004"
down_revision = "n0002"

_COUNTS = ("input", "cache_read", "cache_write", "cache_write_long", "output")


def upgrade() -> None:
    op.create_table(
        "usage_files",
        sa.Column("path", sa.String, primary_key=True),
        sa.Column("profile_id", sa.String, nullable=False),
        sa.Column("session_id", sa.String, nullable=False),
        sa.Column("inode", sa.BigInteger, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("mtime_ns", sa.BigInteger, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("anchor", sa.LargeBinary, nullable=False),
        sa.Column("first_size", sa.BigInteger, nullable=False),
        sa.Column("creator", sa.String, nullable=False),
        sa.Column("memory", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "usage_sums",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("day", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("profile_id", sa.String, nullable=False),
        sa.Column("session_id", sa.String, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _COUNTS),
        sa.Column("answers", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_usage_sums_session_id", "usage_sums", ["session_id"], unique=False)
    op.create_table(
        "usage_answers",
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("bucket", sa.Integer, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in _COUNTS),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "usage_kept",
        sa.Column("key", sa.String, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
