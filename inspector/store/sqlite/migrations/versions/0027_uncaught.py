"""Exceptions that ended a program are counted apart from traces; stored ones still count as traces."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Add the columns."""
    for table in ("runs", "sessions"):
        op.add_column(table, sa.Column("uncaught", sa.BigInteger(), nullable=False, server_default="0"))
