"""Questions for the person."""

import sqlalchemy as sa
from alembic import op

revision = "h0009"
down_revision = "h0006"


def upgrade() -> None:
    op.create_table(
        "questions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("chat_id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("is_group", sa.Boolean(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("due_ms", sa.BigInteger(), nullable=True),
        sa.Column("is_followed", sa.Boolean(), nullable=False),
        sa.Column("withdraw", sa.Integer(), nullable=True),
        sa.Column("hand_until_ms", sa.BigInteger(), nullable=True),
        sa.Column("card", sa.LargeBinary(), nullable=False),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("number"),
    )
    op.create_index("ix_questions_due_ms", "questions", ["due_ms"], unique=False)
    op.create_index("questions_state", "questions", ["state", "number"], unique=False)
    op.create_index("questions_agent", "questions", ["agent_id", "number"], unique=False)
    op.create_table(
        "grouped_questions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("group_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
