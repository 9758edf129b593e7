"""The compression dictionary has entropy tables, which earlier versions cannot read; stored texts do not change."""

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Change nothing; the first byte of a text shows how it is compressed."""
