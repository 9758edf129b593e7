"""Spans refer to their trace by its row id, have fewer indexes, and can be duplicates of another."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_KEPT = (
    *("span_id", "parent_id", "session_id", "kind", "name", "status", "hook", "dialect", "service", "agent", "model"),
    *("tool", "request_model", "start_ns", "end_ns", "duration_ms", "input_tokens", "output_tokens", "cached_tokens"),
    *("cost_usd", "process", "exact_times", "error_type", "error_message", "error_traceback", "input_key"),
    *("output_key", "shared", "attributes", "events", "links"),
)


def upgrade() -> None:
    """Copy the spans into a new table, and replace the counter of span ids by one of trace row ids."""
    _create_table()
    names = ", ".join(_KEPT)
    # The cross join makes SQLite read the spans in the order of their ids, so that the copy only appends.
    op.execute(
        f"INSERT INTO spans_0002 (id, seq, trace_id, {names}) "
        f"SELECT spans.id, spans.seq, traces.id, {', '.join('spans.' + name for name in _KEPT)} "
        "FROM spans CROSS JOIN traces ON traces.trace_id = spans.trace_id ORDER BY spans.id"
    )
    op.drop_table("spans")
    op.rename_table("spans_0002", "spans")
    _create_indexes()
    op.execute("DELETE FROM counters WHERE name = 'id'")
    op.execute("INSERT INTO counters (name, value) SELECT 'trace', coalesce(max(id), 0) FROM traces")


def _create_table() -> None:
    op.create_table(
        "spans_0002",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("trace_id", sa.BigInteger(), nullable=False),
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
        sa.Column("input_tokens", sa.BigInteger(), nullable=True),
        sa.Column("output_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cached_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost_usd", sa.Float(), nullable=True),
        sa.Column("folded_into", sa.Text(), nullable=True),
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


def _create_indexes() -> None:
    op.create_index("ux_spans_span", "spans", ["trace_id", "span_id"], unique=True)
    op.create_index("ux_spans_changed", "spans", ["seq"], unique=True, sqlite_where=sa.text("seq <> id"))
    op.create_index("ix_spans_trace", "spans", ["trace_id", "start_ns"], unique=False)
    listed = (
        *("start_ns", "id", "trace_id", "kind", "status", "name", "service", "agent", "model", "tool", "error_type"),
        *("duration_ms", "input_tokens", "output_tokens", "cached_tokens", "cost_usd", "folded_into"),
    )
    op.create_index("ix_spans_time", "spans", listed, unique=False)
    for name, column in (("session", "session_id"), ("tool", "tool"), ("model", "model"), ("error", "error_type")):
        _create_partial(f"ix_spans_{name}", (column, "start_ns"), f"{column} IS NOT NULL")
    _create_partial("ix_spans_request_model", ("request_model", "start_ns"), "request_model IS NOT NULL")
    _create_partial("ix_spans_not_ok", ("status", "start_ns"), "status <> 'ok'")
    _create_partial("ix_spans_running", ("process",), "status = 'running'")


def _create_partial(name: str, columns: tuple[str, ...], where: str) -> None:
    op.create_index(name, "spans", columns, unique=False, sqlite_where=sa.text(where))
