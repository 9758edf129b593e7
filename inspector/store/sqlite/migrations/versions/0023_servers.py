"""Tools with the same name are distinguished by their servers; stored spans have none."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add the column to spans and to their rollups."""
    op.add_column("spans", sa.Column("server", sa.Text(), nullable=True))
    op.add_column("figure_groups", sa.Column("server", sa.Text(), nullable=True))
