"""Logs are stored until they are joined to their spans, and for some time after that."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "logs",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("trace_id", "span_id", "identity")),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("time_ns", "hour", "state")),
        sa.Column("event", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ux_logs_log", "logs", ["trace_id", "span_id", "identity"], unique=True)
    op.create_index("ix_logs_state", "logs", ["state"])
    op.create_index("ix_logs_hour", "logs", ["hour"])
