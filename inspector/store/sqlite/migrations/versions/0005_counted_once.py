"""Totals count each call once: errors leave out duplicates, and a model has one name whether it answered or failed."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_LISTED = (
    *("start_ns", "id", "trace_id", "kind", "status", "name", "service", "agent", "model", "request_model", "tool"),
    *("error_type", "duration_ms", "input_tokens", "output_tokens", "cached_tokens", "cost_usd", "folded_into"),
)
_STATUSES = {
    "running": "running",
    "error": "failed",
    "lost": "lost",
    "abandoned": "abandoned",
    "cancelled": "cancelled",
}
_UNPRICED = "kind = 'llm' AND cost_usd IS NULL AND (status = 'ok' OR coalesce(input_tokens, output_tokens) IS NOT NULL)"


def upgrade() -> None:
    """Add the model that spans are counted under, and compute the totals of all traces and sessions again."""
    named = sa.Computed("coalesce(request_model, model)", persisted=False)
    op.add_column("spans", sa.Column("named_model", sa.Text(), named, nullable=True))
    op.drop_index("ix_spans_request_model", "spans")
    op.drop_index("ix_spans_time", "spans")
    op.create_index("ix_spans_time", "spans", _LISTED, unique=False)
    op.create_index(
        "ix_spans_named_model",
        "spans",
        ["named_model", "start_ns"],
        unique=False,
        sqlite_where=sa.text("named_model IS NOT NULL"),
    )
    for table in ("traces", "sessions"):
        for name in ("calls", "unpriced_calls"):
            op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
    _sum_traces()
    _sum_sessions()


def _sum_traces() -> None:
    statuses = ", ".join(f"count(*) FILTER (WHERE status = '{status}') AS {name}" for status, name in _STATUSES.items())
    counted = ", ".join(f"{name} = summed.{name}" for name in (*_STATUSES.values(), "calls", "unpriced_calls"))
    models = "SELECT DISTINCT trace_id, named_model FROM spans WHERE named_model IS NOT NULL AND status <> 'running'"
    op.execute(
        "UPDATE traces SET running = 0, failed = 0, lost = 0, abandoned = 0, cancelled = 0, errors = 0, models = '[]'"
    )
    op.execute(
        f"UPDATE traces SET {counted}, errors = summed.failed FROM (SELECT trace_id, count(*) AS calls, {statuses}, "
        f"count(*) FILTER (WHERE {_UNPRICED}) AS unpriced_calls FROM spans WHERE folded_into IS NULL GROUP BY trace_id"
        ") AS summed WHERE summed.trace_id = traces.id"
    )
    op.execute(
        f"UPDATE traces SET models = named.models FROM (SELECT trace_id, json_group_array(named_model) AS models "
        f"FROM ({models} ORDER BY 1, 2) GROUP BY trace_id) AS named WHERE named.trace_id = traces.id"
    )
    worst = " ".join(f"WHEN {name} > 0 THEN '{status}'" for status, name in _STATUSES.items())
    op.execute(f"UPDATE traces SET status = CASE {worst} ELSE 'ok' END WHERE head_is_root = 0")
    op.execute(
        "UPDATE traces SET duration_ms = (end_ns - start_ns) / 1e6 "
        "WHERE head_is_root = 0 AND status <> 'running' AND end_ns IS NOT NULL"
    )


def _sum_sessions() -> None:
    names = ("errors", "calls", "unpriced_calls")
    sums = ", ".join(f"sum({name}) AS {name}" for name in names)
    statuses = ", ".join(f"count(*) FILTER (WHERE status = '{status}') AS {name}" for status, name in _STATUSES.items())
    counted = ", ".join(f"{name} = summed.{name}" for name in (*names, *_STATUSES.values()))
    op.execute(
        f"UPDATE sessions SET {counted} FROM (SELECT session_id, {sums}, {statuses} FROM traces "
        "WHERE session_id IS NOT NULL GROUP BY session_id) AS summed WHERE summed.session_id = sessions.session_id"
    )
