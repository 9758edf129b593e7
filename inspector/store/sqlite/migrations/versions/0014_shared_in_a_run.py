"""Messages of calls without a session are kept once a run: whoever refers to them is found by that."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Makes the index."""
    wanted = sa.text("shared IS NOT NULL AND run IS NOT NULL")
    op.create_index("ix_spans_sharing", "spans", ["run"], unique=False, sqlite_where=wanted)
