"""What the policy remembers, and what the credit guard asked."""

import sqlalchemy as sa
from alembic import op

revision = "h0013"
down_revision = "h0012"


def upgrade() -> None:
    op.create_table(
        "policy_agents",
        sa.Column("agent_id", sa.String(), nullable=False),
        sa.Column("memory", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("agent_id"),
    )
    op.create_table(
        "credit_questions",
        sa.Column("account_id", sa.String(), nullable=False),
        sa.Column("question_id", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("until_ms", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id"),
    )
