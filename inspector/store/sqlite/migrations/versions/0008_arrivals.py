"""The arrival times of spans and losses are stored, since age counts from arrival."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Create the table; stored spans and losses count as having arrived now."""
    op.create_table(
        "arrivals",
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("trace", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hour"),
    )
    op.add_column("losses", sa.Column("arrived_ns", sa.BigInteger(), nullable=False, server_default="0"))
    op.execute("UPDATE losses SET arrived_ns = CAST(strftime('%s', 'now') AS INTEGER) * 1000000000")
