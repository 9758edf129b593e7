"""Prompts of any shape are kept by their messages, which earlier versions cannot read; what is there stays as it is."""

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Changes nothing: the number keeps earlier versions from rows that they would take for damaged."""
