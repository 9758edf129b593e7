"""Spans have an identity, which decides whether two of them record one call; decisions about stored spans stay."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column."""
    op.add_column("spans", sa.Column("identity", sa.Text(), nullable=True))
