"""Texts are compressed as zstd, which earlier versions cannot read; what is there already stays as it is."""

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Changes nothing: a text says by its first byte how it is stored."""
