"""What machines tell of usage, and accounts as clients were told them."""

import sqlalchemy as sa
from alembic import op

revision = "h0011"
down_revision = "h0010"


def upgrade() -> None:
    op.create_table(
        "machine_usage",
        sa.Column("machine_id", sa.String(), nullable=False),
        sa.Column("usage", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("machine_id"),
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("shown", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
