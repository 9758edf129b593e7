"""Texts are compressed with tables of what is frequent, which earlier versions cannot read; what is there stays."""

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Changes nothing: a text says by its first byte how it is stored."""
