"""Operations on agents."""

import sqlalchemy as sa
from alembic import op

revision = "h0012"
down_revision = "h0011"


def upgrade() -> None:
    op.create_table(
        "operations",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("machine_id", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("is_tried", sa.Boolean(), nullable=False),
        sa.Column("is_taken", sa.Boolean(), nullable=False),
        sa.Column("prompt_due", sa.Boolean(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("operations_seq", "operations", ["seq"])
    op.create_index("operations_state", "operations", ["state", "number"])
