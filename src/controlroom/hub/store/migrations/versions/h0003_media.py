"""Files that devices may fetch by a token."""

import sqlalchemy as sa
from alembic import op

revision = "h0003"
down_revision = "h0002"


def upgrade() -> None:
    op.create_table(
        "media",
        sa.Column("token", sa.String(), nullable=False),
        sa.Column("accessed_ms", sa.BigInteger(), nullable=False),
        sa.Column("entry", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("token"),
    )
