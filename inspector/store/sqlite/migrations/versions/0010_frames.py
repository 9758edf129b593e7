"""Prompts of any form are stored by their messages, which earlier versions cannot read; stored rows do not change."""

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Change nothing; the new number keeps earlier versions from reading rows that they would report as damaged."""
