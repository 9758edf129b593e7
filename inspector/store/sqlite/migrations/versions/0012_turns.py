"""New model calls are linked to the calls that they continue; stored ones are not."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "turns",
        sa.Column("span", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("run", sa.Text(), nullable=False),
        sa.Column("lane", sa.Text(), nullable=True),
        sa.Column("start_ns", sa.BigInteger(), nullable=False),
        sa.Column("end_ns", sa.BigInteger(), nullable=True),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("asked", sa.LargeBinary(), nullable=False),
        sa.Column("answered", sa.LargeBinary(), nullable=True),
        sa.Column("response", sa.Text(), nullable=True),
        sa.Column("link", sa.Text(), nullable=False),
        sa.Column("previous", sa.BigInteger(), nullable=True),
        sa.Column("conversation", sa.BigInteger(), nullable=False),
        *(
            sa.Column(name, sa.Integer(), nullable=False)
            for name in ("continued", "candidates", "messages", "new_from")
        ),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("sizes", "tools", "results")),
        sa.PrimaryKeyConstraint("span"),
    )
    op.create_index("ix_turns_asked", "turns", ["run", "asked"], unique=False)
    op.create_index(
        "ix_turns_previous", "turns", ["previous"], unique=False, sqlite_where=sa.text("previous IS NOT NULL")
    )
    for name in ("answered", "response"):
        op.create_index(
            f"ix_turns_{name}", "turns", ["run", name], unique=False, sqlite_where=sa.text(f"{name} IS NOT NULL")
        )
