"""Notifications: what was decided, and notices on their way."""

import sqlalchemy as sa
from alembic import op

revision = "h0014"
down_revision = "h0015"


def upgrade() -> None:
    op.create_table(
        "notifications",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=True),
        sa.Column("question_id", sa.String(), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
        sa.UniqueConstraint("id"),
    )
    op.create_index("ix_notifications_at_ms", "notifications", ["at_ms"])
    op.create_index("ix_notifications_agent_id", "notifications", ["agent_id"])
    op.create_index("ix_notifications_question_id", "notifications", ["question_id"])
    op.create_table(
        "notices",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("target_id", sa.String(), nullable=False),
        sa.Column("due_ms", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("notice", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", "target_id"),
    )
