"""Paired devices, pairing codes, what waits for approval; the hub's own id."""

import sqlalchemy as sa
from alembic import op

revision = "h0002"
down_revision = "h0001"


def upgrade() -> None:
    op.create_table(
        "facts",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "devices",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("key_hash", sa.String(), nullable=True),
        sa.Column("client_id", sa.String(), nullable=False),
        sa.Column("is_named", sa.Boolean(), nullable=False),
        sa.Column("device", sa.LargeBinary(), nullable=False),
        sa.Column("refresh_hash", sa.String(), nullable=True),
        sa.Column("refresh_before", sa.String(), nullable=True),
        sa.Column("refresh_made_ms", sa.BigInteger(), nullable=True),
        sa.Column("refresh_turned_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("token_hash"),
        sa.UniqueConstraint("refresh_hash"),
    )
    op.create_index(op.f("ix_devices_client_id"), "devices", ["client_id"], unique=False)
    op.create_table(
        "pairing_codes",
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("made_ms", sa.BigInteger(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("is_used", sa.Boolean(), nullable=False),
        sa.Column("policy", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("code_hash"),
    )
    op.create_index(op.f("ix_pairing_codes_expires_ms"), "pairing_codes", ["expires_ms"], unique=False)
    op.create_table(
        "pending_pairings",
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("expires_ms", sa.BigInteger(), nullable=False),
        sa.Column("pending", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("code"),
    )
