"""Files that were put into agents' inboxes."""

import sqlalchemy as sa
from alembic import op

revision = "n0002"
down_revision = "n0001"


def upgrade() -> None:
    op.create_table(
        "placed_files",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("placed_ms", sa.BigInteger, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
    )
    op.create_index("ix_placed_files_placed_ms", "placed_files", ["placed_ms"], unique=False)
