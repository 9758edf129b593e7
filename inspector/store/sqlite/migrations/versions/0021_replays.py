"""Spans of replays are marked, so that statistics leave them out; stored ones still count."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add the column and its index."""
    op.add_column("spans", sa.Column("replay", sa.Integer(), nullable=True))
    op.create_index("ix_spans_replay", "spans", ["trace_id"], unique=False, sqlite_where=sa.text("replay IS NOT NULL"))
