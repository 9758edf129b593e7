"""Texts are compressed with zstd, which earlier versions cannot read; stored texts do not change."""

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Change nothing; the first byte of a text shows how it is compressed."""
