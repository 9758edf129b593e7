"""Spans have known names and their identity in fewer bytes, which earlier versions cannot read; what is there stays.

Model calls are found by the index over their answers, which has all of them; that over their prompts has those alone
that failed, the only ones that are looked for by it.
"""

from alembic import op
from sqlalchemy import text

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Makes the indexes of model calls anew."""
    op.drop_index("ix_turns_asked", "turns")
    op.drop_index("ix_turns_answered", "turns")
    op.create_index("ix_turns_answered", "turns", ["run", "answered"], unique=False)
    op.create_index("ix_turns_asked", "turns", ["run", "asked"], unique=False, sqlite_where=text("failed = 1"))
