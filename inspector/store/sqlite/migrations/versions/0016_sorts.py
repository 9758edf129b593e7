"""Lists of spans sorted by duration or cost use an index."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Create the indexes."""
    for name, column in (("ix_spans_duration", "duration_ms"), ("ix_spans_cost", "cost_usd")):
        op.create_index(name, "spans", [column], unique=False, sqlite_where=sa.text(f"{column} IS NOT NULL"))
