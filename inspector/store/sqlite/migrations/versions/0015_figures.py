"""Rollups of calls by minute, hour and day; stored calls are added in the background."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_COUNTS = ("count", "errors", "input_tokens", "output_tokens", "cached_tokens", "priced", "unpriced_calls")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "figure_groups",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("view", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("written", "kind", "status")),
        *(sa.Column(name, sa.Text()) for name in ("service", "agent", "model", "tool", "error_type", "name")),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ux_figure_groups_written", "figure_groups", ["written", "view"], unique=True)
    op.create_table(
        "figures",
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("view", "seconds", "start_s", "group_id")),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _COUNTS),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.Column("durations", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("view", "seconds", "start_s", "group_id"),
        sqlite_with_rowid=False,
    )
