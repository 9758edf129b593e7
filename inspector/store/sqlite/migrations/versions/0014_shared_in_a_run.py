"""Messages of calls without a session are stored once per run; the index finds the spans that refer to them."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Create the index."""
    wanted = sa.text("shared IS NOT NULL AND run IS NOT NULL")
    op.create_index("ix_spans_sharing", "spans", ["run"], unique=False, sqlite_where=wanted)
