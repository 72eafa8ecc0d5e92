"""Questions that the checker has judged."""

import sqlalchemy as sa
from alembic import op

revision = "h0010"
down_revision = "h0009"


def upgrade() -> None:
    op.create_table(
        "checks",
        sa.Column("question_id", sa.String(), nullable=False),
        sa.Column("position", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("question_id"),
    )
    op.create_index("ix_checks_at_ms", "checks", ["at_ms"])
