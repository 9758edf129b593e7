"""Common names and identities take fewer bytes, which earlier versions cannot read; stored rows do not change.

Model calls are looked up by their answers, and only failed ones by their prompts. So the index on answers has all
calls, and the one on prompts only failed ones.
"""

from alembic import op
from sqlalchemy import text

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Create the indexes of model calls again."""
    op.drop_index("ix_turns_asked", "turns")
    op.drop_index("ix_turns_answered", "turns")
    op.create_index("ix_turns_answered", "turns", ["run", "answered"], unique=False)
    op.create_index("ix_turns_asked", "turns", ["run", "asked"], unique=False, sqlite_where=text("failed = 1"))
