"""All spans of a trace have its session, unless they name another; the parts of sessions in one trace are stored."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_COUNTS = (
    *("running", "failed", "lost", "abandoned", "cancelled", "spans", "errors", "llm_calls", "tool_calls"),
    *("input_tokens", "output_tokens", "cached_tokens", "priced"),
)


def upgrade() -> None:
    """Set the session of spans without one to that of their trace; traces of several sessions still count in one."""
    op.add_column("spans", sa.Column("session_inherited", sa.Integer(), nullable=True))
    op.add_column("traces", sa.Column("session_start_ns", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("traces", sa.Column("mixed", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "shares",
        sa.Column("trace_id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in _COUNTS),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False, server_default="0") for name in ("calls", "unpriced_calls")),
        sa.PrimaryKeyConstraint("trace_id", "session_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_shares_session", "shares", ["session_id"], unique=False)
    op.execute(
        "UPDATE traces SET session_start_ns = named.first_ns FROM ("
        "SELECT trace_id, session_id, min(start_ns) AS first_ns FROM spans "
        "WHERE session_id IS NOT NULL GROUP BY trace_id, session_id) AS named "
        "WHERE named.trace_id = traces.id AND named.session_id = traces.session_id"
    )
    op.execute(
        "UPDATE spans SET session_id = traces.session_id, session_inherited = 1 FROM traces "
        "WHERE traces.id = spans.trace_id AND spans.session_id IS NULL AND traces.session_id IS NOT NULL"
    )
