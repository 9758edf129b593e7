"""The full-text index does not know where in a text a word is: phrases are verified in the texts themselves.

An index that already has documents keeps its positions, since building it again would take minutes.
"""

from alembic import op
from sqlalchemy import text

revision = "0026"
down_revision = "0025"


def upgrade() -> None:
    """Create the index again if nothing is stored (https://sqlite.org/fts5.html#the_detail_option)."""
    if op.get_bind().execute(text("SELECT 1 FROM spans LIMIT 1")).first() is None:
        op.execute("DROP TABLE search")
        op.execute(
            "CREATE VIRTUAL TABLE search USING fts5(body, content='', columnsize=0, detail=none, tokenize='unicode61')"
        )
        op.execute("INSERT INTO search (search, rank) VALUES ('automerge', 8)")
