"""The number of spans is a counter, so that reading it takes one row instead of one per trace."""

from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Count the stored spans."""
    op.execute("INSERT OR REPLACE INTO counters (name, value) SELECT 'spans', coalesce(sum(spans), 0) FROM traces")
