"""Uploads, and what is hidden of chats."""

import sqlalchemy as sa
from alembic import op

revision = "h0006"
down_revision = "h0005"


def upgrade() -> None:
    op.create_table(
        "uploads",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("by", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("created_ms", sa.BigInteger(), nullable=False),
        sa.Column("used_ms", sa.BigInteger(), nullable=True),
        sa.Column("is_kept", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("uploads_kept", "uploads", ["is_kept", "created_ms"], unique=False)
    op.create_table(
        "hidden_items",
        sa.Column("chat_id", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "item_id"),
    )
    op.create_table(
        "hidden_chats",
        sa.Column("chat_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("before_ms", sa.BigInteger(), nullable=False),
        sa.Column("at_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("chat_id", "number"),
    )
