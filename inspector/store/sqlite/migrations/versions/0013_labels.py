"""Runs and spans can be labelled."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "labels",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("run_id", "trace_id", "span_id", "name")),
        sa.Column("score", sa.Float(), nullable=True),
        *(sa.Column(name, sa.Text(), nullable=True) for name in ("value", "note")),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("author", "source")),
        sa.Column("time_ns", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_labels_run", "labels", ["run_id"], unique=False)
    op.create_index("ix_labels_span", "labels", ["trace_id", "span_id"], unique=False)
    op.create_index("ix_labels_name", "labels", ["name"], unique=False)
