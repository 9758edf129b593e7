"""Bloom filters for attributes without a column; those of stored spans are created in the background."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "attribute_pages",
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("bits", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("page"),
    )
    op.create_index(
        "ix_attribute_pages_changed", "attribute_pages", ["page"], unique=False, sqlite_where=sa.text("bits IS NULL")
    )
