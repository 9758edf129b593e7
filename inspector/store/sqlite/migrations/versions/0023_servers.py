"""Tools of one name are told apart by their servers; spans that are there already name none."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Adds the column of spans, and that of their figures."""
    op.add_column("spans", sa.Column("server", sa.Text(), nullable=True))
    op.add_column("figure_groups", sa.Column("server", sa.Text(), nullable=True))
