"""Losses are stored by process, run, reason and time, instead of as totals per spool file."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the table, and add the totals so far to a counter, since their processes are unknown."""
    op.create_table(
        "losses",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("process", sa.Text(), nullable=False),
        sa.Column("run", sa.Text(), nullable=True),
        sa.Column("service", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("since_ns", sa.BigInteger(), nullable=False),
        sa.Column("until_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_losses_process", "losses", ["process", "reason", "until_ns"], unique=False)
    op.create_index("ix_losses_time", "losses", ["until_ns"], unique=False)
    op.execute("UPDATE counters SET name = 'lost_dropped' WHERE name = 'dropped'")
    op.execute(
        "INSERT INTO counters (name, value) "
        "SELECT 'lost_dropped', sum(dropped) FROM spools WHERE dropped > 0 GROUP BY 1 "
        "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value"
    )
    for name in ("dropped", "dropped_segments"):
        op.drop_column("spools", name)
