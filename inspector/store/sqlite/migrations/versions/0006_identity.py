"""Room for what tells whether two spans record one call; rows that are there keep what was decided about them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Adds the column."""
    op.add_column("spans", sa.Column("identity", sa.Text(), nullable=True))
