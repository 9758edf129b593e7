"""The full-text index stores no document sizes, which only ranking by relevance would need.

An index that already has documents keeps them, since building it again would take minutes.
"""

from alembic import op
from sqlalchemy import text

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the index again if it is empty (https://sqlite.org/fts5.html#the_columnsize_option)."""
    if op.get_bind().execute(text("SELECT 1 FROM search_docsize LIMIT 1")).first() is None:
        op.execute("DROP TABLE search")
        op.execute("CREATE VIRTUAL TABLE search USING fts5(body, content='', columnsize=0, tokenize='unicode61')")
        op.execute("INSERT INTO search (search, rank) VALUES ('automerge', 8)")
