"""Spans of replays are marked, so that figures leave them out; those that are there already stay counted."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Adds the mark, and the index that finds the marked."""
    op.add_column("spans", sa.Column("replay", sa.Integer(), nullable=True))
    op.create_index("ix_spans_replay", "spans", ["trace_id"], unique=False, sqlite_where=sa.text("replay IS NOT NULL"))
