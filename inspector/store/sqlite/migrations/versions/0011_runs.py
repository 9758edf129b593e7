"""Traces belong to runs, which have their own table.

Stored traces are assigned to runs by the processes that recorded them. They get no questions and answers, since finding
these would mean reading all spans.
"""

import re
from hashlib import blake2b

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_STATUSES = ("running", "failed", "lost", "abandoned", "cancelled")
_COUNTS = (
    *("spans", "errors", "llm_calls", "tool_calls", "input_tokens", "output_tokens", "cached_tokens", "priced"),
    *("calls", "unpriced_calls"),
)
_RUN_ID = re.compile(r"[0-9A-Za-z_-]{1,64}", re.ASCII)
_WORST = "CASE WHEN sum(status = 'running') THEN 'running' " + " ".join(
    f"WHEN sum(status = '{status}') THEN '{status}'" for status in ("error", "lost", "abandoned", "cancelled")
)


def upgrade() -> None:
    """Create the table, and one run for each process, for each session, and for each other trace."""
    _add_columns()
    _make_table()
    _name_runs()
    op.create_index("ix_traces_run", "traces", ["run_id", "start_ns"], unique=False)
    _sum_runs()


def _add_columns() -> None:
    op.add_column("spans", sa.Column("run", sa.Text(), nullable=True))
    for name in ("run_id", "run_origin"):
        default = "trace" if name == "run_origin" else ""
        op.add_column("traces", sa.Column(name, sa.Text(), nullable=False, server_default=default))
    for name in ("named_run", "run_noun", "question", "answer"):
        op.add_column("traces", sa.Column(name, sa.Text(), nullable=True))
    for name in ("run_is_of_root", "run_start_ns", "question_ns", "answer_ns"):
        kind = sa.Integer() if name == "run_is_of_root" else sa.BigInteger()
        op.add_column("traces", sa.Column(name, kind, nullable=False, server_default="0"))


def _make_table() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("run_id", "origin", "name", "status")),
        *(sa.Column(name, sa.Text(), nullable=True) for name in ("service", "agent")),
        sa.Column("trace_id", sa.Text(), nullable=False),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("head", "start_ns")),
        sa.Column("end_ns", sa.BigInteger(), nullable=True),
        sa.Column("duration_ms", sa.Float(), nullable=True),
        *(sa.Column(name, sa.BigInteger(), nullable=False) for name in ("traces", *_STATUSES, "open_calls", *_COUNTS)),
        sa.Column("cost_usd", sa.Float(), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        *(
            sa.Column(f"{name}{part}", sa.Text() if not part else sa.BigInteger(), nullable=not part)
            for name in ("question", "answer")
            for part in ("", "_ns", "_from")
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ux_runs_run", "runs", ["run_id"], unique=True)
    op.create_index("ix_runs_time", "runs", ["start_ns"], unique=False)


def _name_runs() -> None:
    connection = op.get_bind()
    # The process of the root, or else of the earliest span with one.
    op.execute(
        "UPDATE traces SET named_run = first.process, run_is_of_root = first.is_root, run_start_ns = first.start_ns "
        "FROM (SELECT trace_id, process, parent_id IS NULL AS is_root, start_ns, row_number() OVER "
        "(PARTITION BY trace_id ORDER BY parent_id IS NOT NULL, start_ns, process) AS place "
        "FROM spans WHERE process IS NOT NULL) AS first WHERE first.place = 1 AND first.trace_id = traces.id"
    )
    processes = connection.exec_driver_sql("SELECT DISTINCT named_run FROM traces WHERE named_run IS NOT NULL")
    for (process,) in processes.all():
        if not _RUN_ID.fullmatch(process):
            sql = "UPDATE traces SET named_run = NULL, run_is_of_root = 0, run_start_ns = 0 WHERE named_run = ?"
            connection.exec_driver_sql(sql, (process,))
    op.execute(
        "UPDATE traces SET run_id = coalesce(named_run, trace_id), "
        "run_origin = CASE WHEN named_run IS NULL THEN 'trace' ELSE 'program' END"
    )
    sessions = "SELECT DISTINCT session_id FROM traces WHERE named_run IS NULL AND session_id IS NOT NULL"
    for (session_id,) in connection.exec_driver_sql(sessions).all():
        digest = blake2b(session_id.encode("utf-8", "replace"), digest_size=8).hexdigest()
        sql = "UPDATE traces SET run_id = ?, run_origin = 'session' WHERE named_run IS NULL AND session_id = ?"
        connection.exec_driver_sql(sql, (digest, session_id))


def _sum_runs() -> None:
    tokens = {name: f"cast(min(total({name}), 9e18) AS INTEGER)" for name in _COUNTS if name.endswith("_tokens")}
    sums = {
        "status": f"{_WORST} ELSE 'ok' END",
        "start_ns": "min(start_ns)",
        "end_ns": "max(end_ns)",
        "traces": "count(*)",
        **{name: f"sum(status = '{'error' if name == 'failed' else name}')" for name in _STATUSES},
        "open_calls": "sum(running)",
        **{name: tokens.get(name, f"sum({name})") for name in _COUNTS},
        "cost_usd": "total(cost_usd)",
        "models": "'[]'",
        "seq": "max(seq)",
        **{f"{name}{part}": "0" for name in ("question", "answer") for part in ("_ns", "_from")},
    }
    first = {
        "origin": "run_origin",
        "service": "service",
        "agent": "coalesce(head_agent, any_agent)",
        "trace_id": "trace_id",
        "head": "id",
        "name": "CASE run_origin WHEN 'program' THEN coalesce(service, name) "
        "WHEN 'session' THEN session_id ELSE name END",
    }
    op.execute(
        f"INSERT INTO runs (run_id, {', '.join((*sums, *first))}) "
        f"SELECT run_id, {', '.join(f'summed.{name}' for name in sums)}, {', '.join(f'head.{name}' for name in first)} "
        f"FROM (SELECT run_id, {', '.join(f'{sql} AS {name}' for name, sql in sums.items())} FROM traces GROUP BY 1) "
        f"AS summed JOIN (SELECT run_id, {', '.join(f'{sql} AS {name}' for name, sql in first.items())}, row_number() "
        "OVER (PARTITION BY run_id ORDER BY start_ns, id) AS place FROM traces) AS head USING (run_id) "
        "WHERE head.place = 1 ORDER BY summed.start_ns"
    )
    op.execute(
        "UPDATE runs SET duration_ms = (end_ns - start_ns) / 1e6 WHERE status <> 'running' AND end_ns IS NOT NULL"
    )
    op.execute(
        "UPDATE runs SET models = named.models FROM (SELECT run_id, json_group_array(model) AS models FROM "
        "(SELECT DISTINCT traces.run_id, each.value AS model FROM traces, json_each(traces.models) AS each "
        "ORDER BY 1, 2) GROUP BY 1) AS named WHERE named.run_id = runs.run_id"
    )
