"""Creates spans, their totals, shared contents, read positions of spools, and full text."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    _create_contents_and_counters()
    _create_sessions()
    _create_spans()
    _create_indexes_of_spans()
    _create_spools()
    _create_traces()
    op.execute("CREATE VIRTUAL TABLE search USING fts5(body, content='', tokenize='unicode61')")


def _create_contents_and_counters() -> None:
    op.create_table(
        "contents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("span", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_contents_span", "contents", ["span"], unique=False)
    op.create_table(
        "counters",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sqlite_with_rowid=False,
    )


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("start_ns", sa.BigInteger(), nullable=False),
        sa.Column("end_ns", sa.BigInteger(), nullable=True),
        sa.Column("latest_ns", sa.BigInteger(), nullable=False),
        sa.Column("traces", sa.BigInteger(), nullable=False),
        sa.Column("running", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("lost", sa.BigInteger(), nullable=False),
        sa.Column("abandoned", sa.BigInteger(), nullable=False),
        sa.Column("cancelled", sa.BigInteger(), nullable=False),
        sa.Column("spans", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.Column("llm_calls", sa.BigInteger(), nullable=False),
        sa.Column("tool_calls", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=False),
        sa.Column("priced", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_sessions_latest", "sessions", ["latest_ns"], unique=False)
    op.create_index("ux_sessions_session", "sessions", ["session_id"], unique=True)


def _create_spans() -> None:
    op.create_table(
        "spans",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("span_id", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("hook", sa.Text(), nullable=True),
        sa.Column("dialect", sa.Text(), nullable=True),
        sa.Column("service", sa.Text(), nullable=True),
        sa.Column("agent", sa.Text(), nullable=True),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("tool", sa.Text(), nullable=True),
        sa.Column("request_model", sa.Text(), nullable=True),
        sa.Column("start_ns", sa.BigInteger(), nullable=False),
        sa.Column("end_ns", sa.BigInteger(), nullable=True),
        sa.Column("duration_ms", sa.Float(), nullable=True),
        sa.Column("duration_rank", sa.Integer(), nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("cost_rank", sa.Integer(), nullable=True),
        sa.Column("process", sa.Text(), nullable=True),
        sa.Column("exact_times", sa.Text(), nullable=True),
        sa.Column("error_type", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("error_traceback", sa.Text(), nullable=True),
        sa.Column("input_key", sa.Text(), nullable=True),
        sa.Column("output_key", sa.Text(), nullable=True),
        sa.Column("shared", sa.Text(), nullable=True),
        sa.Column("attributes", sa.LargeBinary(), nullable=False),
        sa.Column("events", sa.LargeBinary(), nullable=True),
        sa.Column("links", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )


def _create_indexes_of_spans() -> None:
    op.create_index(
        "ix_spans_cost", "spans", ["cost_rank"], unique=False, sqlite_where=sa.text("cost_rank IS NOT NULL")
    )
    op.create_index("ix_spans_duration", "spans", ["duration_rank"], unique=False)
    op.create_index(
        "ix_spans_error",
        "spans",
        ["error_type", "start_ns"],
        unique=False,
        sqlite_where=sa.text("error_type IS NOT NULL"),
    )
    op.create_index("ix_spans_kind", "spans", ["kind", "status", "start_ns"], unique=False)
    op.create_index(
        "ix_spans_model", "spans", ["model", "start_ns"], unique=False, sqlite_where=sa.text("model IS NOT NULL")
    )
    op.create_index("ix_spans_name", "spans", ["name", "start_ns"], unique=False)
    op.create_index(
        "ix_spans_not_ok", "spans", ["status", "start_ns"], unique=False, sqlite_where=sa.text("status <> 'ok'")
    )
    op.create_index(
        "ix_spans_request_model",
        "spans",
        ["request_model", "start_ns"],
        unique=False,
        sqlite_where=sa.text("request_model IS NOT NULL"),
    )
    op.create_index("ix_spans_running", "spans", ["process"], unique=False, sqlite_where=sa.text("status = 'running'"))
    op.create_index(
        "ix_spans_session",
        "spans",
        ["session_id", "start_ns"],
        unique=False,
        sqlite_where=sa.text("session_id IS NOT NULL"),
    )
    op.create_index("ix_spans_time", "spans", ["start_ns"], unique=False)
    op.create_index(
        "ix_spans_tool", "spans", ["tool", "start_ns"], unique=False, sqlite_where=sa.text("tool IS NOT NULL")
    )
    op.create_index("ix_spans_trace", "spans", ["trace_id", "start_ns"], unique=False)
    op.create_index("ux_spans_seq", "spans", ["seq"], unique=True)
    op.create_index("ux_spans_span", "spans", ["trace_id", "span_id"], unique=True)


def _create_spools() -> None:
    op.create_table(
        "spools",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("inode", sa.Text(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.BigInteger(), nullable=False),
        sa.Column("bad_lines", sa.BigInteger(), nullable=False),
        sa.Column("spans", sa.BigInteger(), nullable=False),
        sa.Column("bad_spans", sa.BigInteger(), nullable=False),
        sa.Column("dropped", sa.BigInteger(), nullable=False),
        sa.Column("dropped_segments", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )


def _create_traces() -> None:
    op.create_table(
        "traces",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("trace_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("head_id", sa.BigInteger(), nullable=False),
        sa.Column("head_is_root", sa.Integer(), nullable=False),
        sa.Column("head_start_ns", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("service", sa.Text(), nullable=True),
        sa.Column("head_agent", sa.Text(), nullable=True),
        sa.Column("any_agent", sa.Text(), nullable=True),
        sa.Column("any_agent_start_ns", sa.BigInteger(), nullable=False),
        sa.Column("start_ns", sa.BigInteger(), nullable=False),
        sa.Column("end_ns", sa.BigInteger(), nullable=True),
        sa.Column("duration_ms", sa.Float(), nullable=True),
        sa.Column("running", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("lost", sa.BigInteger(), nullable=False),
        sa.Column("abandoned", sa.BigInteger(), nullable=False),
        sa.Column("cancelled", sa.BigInteger(), nullable=False),
        sa.Column("spans", sa.BigInteger(), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=False),
        sa.Column("llm_calls", sa.BigInteger(), nullable=False),
        sa.Column("tool_calls", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=False),
        sa.Column("priced", sa.BigInteger(), nullable=False),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "ix_traces_session",
        "traces",
        ["session_id", "start_ns"],
        unique=False,
        sqlite_where=sa.text("session_id IS NOT NULL"),
    )
    op.create_index("ix_traces_time", "traces", ["start_ns"], unique=False)
    op.create_index("ux_traces_trace", "traces", ["trace_id"], unique=True)
