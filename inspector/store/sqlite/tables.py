"""The schema, once: what the migrations must produce and what every query is written against.

Identifiers are text, times are nanoseconds held in 64 signed bits (`exact_times` keeps what does not fit), and the
large columns come last so that lists of summaries never touch them.
"""

from sqlalchemy import BigInteger, Column, Computed, Float, Index, Integer, LargeBinary, MetaData, Table, Text, text

SCHEMA_VERSION = "0023"
"""The newest migration."""

APPLICATION_ID = 0x4D434149
"""``MCAI`` in the file header: tells our databases from others (https://sqlite.org/fileformat.html)."""

metadata = MetaData()

counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Numbers that only grow, so that no id and no ``seq`` is ever used twice, even after deletes; and what retention notes
(`inspector.store.sqlite.notes`)."""

spans = Table(
    "spans",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("trace_id", BigInteger, nullable=False),
    Column("span_id", Text, nullable=False),
    Column("parent_id", Text),
    Column("session_id", Text),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("hook", Text),
    Column("dialect", Text),
    Column("service", Text),
    Column("agent", Text),
    Column("model", Text),
    Column("tool", Text),
    Column("request_model", Text),
    Column("start_ns", BigInteger, nullable=False),
    Column("end_ns", BigInteger),
    Column("duration_ms", Float),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("cached_tokens", BigInteger),
    Column("cost_usd", Float),
    Column("folded_into", Text),
    Column("process", Text),
    Column("exact_times", Text),
    Column("error_type", Text),
    Column("error_message", Text),
    Column("error_traceback", Text),
    Column("input_key", Text),
    Column("output_key", Text),
    Column("shared", Text),
    Column("attributes", LargeBinary, nullable=False),
    Column("events", LargeBinary),
    Column("links", LargeBinary),
    Column("named_model", Text, Computed("coalesce(request_model, model)", persisted=False)),
    Column("identity", Text),
    Column("session_inherited", Integer),
    Column("run", Text),
    Column("replay", Integer),
    Column("server", Text),
)
"""One row a span: a start record inserts it, an end record replaces it under the same ``id`` with a new ``seq``.

``trace_id`` is the id of the row in ``traces``: new rows so lie together at the end of its indexes, where hexadecimal
ids would touch a random page each. ``id`` is the ``seq`` that the span first had, so only rows that changed since need
an index over ``seq``. ``model`` is the one that answered, ``request_model`` the one that was asked for, and
``named_model`` the one that it is shown and counted under: the one asked for where it is known, which a call that
failed has too. A span that is ``folded_into`` another one is a duplicate (`counting`), as decided by the
``identity`` of both (`inspector.store.values.identity`; null in rows of earlier versions, whose decision stays).
``session_inherited`` is 1 where the session is that of the trace, and not named by the span itself. ``run`` is what its
recorder names, null where that is its ``process``. ``replay`` is 1 where it is of a replay, else null. No index has the
span id alone; full text knows it.
"""

_c = spans.c
Index("ux_spans_span", _c.trace_id, _c.span_id, unique=True)
Index("ux_spans_changed", _c.seq, unique=True, sqlite_where=text("seq <> id"))
Index("ix_spans_trace", _c.trace_id, _c.start_ns)
Index(
    "ix_spans_time",
    *(_c.start_ns, _c.id, _c.trace_id, _c.kind, _c.status, _c.name, _c.service, _c.agent, _c.model, _c.request_model),
    _c.tool,
    *(_c.error_type, _c.duration_ms, _c.input_tokens, _c.output_tokens, _c.cached_tokens, _c.cost_usd, _c.folded_into),
)
"""All that lists are filtered and sorted by and figures are made of: a filter without an index of its own reads along
this narrow copy. It grows at its end, where an index a filter touches a page for each name or duration of a batch."""
Index("ix_spans_session", _c.session_id, _c.start_ns, sqlite_where=_c.session_id.is_not(None))
Index("ix_spans_not_ok", _c.status, _c.start_ns, sqlite_where=text("status <> 'ok'"))
Index("ix_spans_tool", _c.tool, _c.start_ns, sqlite_where=_c.tool.is_not(None))
Index("ix_spans_model", _c.model, _c.start_ns, sqlite_where=_c.model.is_not(None))
Index("ix_spans_named_model", _c.named_model, _c.start_ns, sqlite_where=_c.named_model.is_not(None))
Index("ix_spans_duration", _c.duration_ms, sqlite_where=_c.duration_ms.is_not(None))
Index("ix_spans_cost", _c.cost_usd, sqlite_where=_c.cost_usd.is_not(None))
Index("ix_spans_error", _c.error_type, _c.start_ns, sqlite_where=_c.error_type.is_not(None))
Index("ix_spans_running", _c.process, sqlite_where=text("status = 'running'"))
Index("ix_spans_replay", _c.trace_id, sqlite_where=_c.replay.is_not(None))
Index("ix_spans_sharing", _c.run, sqlite_where=text("shared IS NOT NULL AND run IS NOT NULL"))


def _statuses() -> tuple[Column[int], ...]:
    return tuple(
        Column(name, BigInteger, nullable=False) for name in ("running", "failed", "lost", "abandoned", "cancelled")
    )


def _sums() -> tuple[Column[int] | Column[float], ...]:
    counts = ("spans", "errors", "llm_calls", "tool_calls", "input_tokens", "output_tokens", "cached_tokens", "priced")
    return (*(Column(name, BigInteger, nullable=False) for name in counts), Column("cost_usd", Float, nullable=False))


def _later_sums() -> tuple[Column[int], ...]:
    return tuple(Column(name, BigInteger, nullable=False, server_default="0") for name in ("calls", "unpriced_calls"))


traces = Table(
    "traces",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("trace_id", Text, nullable=False),
    Column("session_id", Text),
    Column("head_id", BigInteger, nullable=False),
    Column("head_is_root", Integer, nullable=False),
    Column("head_start_ns", BigInteger, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("service", Text),
    Column("head_agent", Text),
    Column("any_agent", Text),
    Column("any_agent_start_ns", BigInteger, nullable=False),
    Column("start_ns", BigInteger, nullable=False),
    Column("end_ns", BigInteger),
    Column("duration_ms", Float),
    *_statuses(),
    *_sums(),
    Column("models", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    *_later_sums(),
    Column("session_start_ns", BigInteger, nullable=False, server_default="0"),
    Column("mixed", Integer, nullable=False, server_default="0"),
    Column("run_id", Text, nullable=False, server_default=""),
    Column("run_origin", Text, nullable=False, server_default="trace"),
    Column("named_run", Text),
    Column("run_noun", Text),
    Column("run_is_of_root", Integer, nullable=False, server_default="0"),
    Column("run_start_ns", BigInteger, nullable=False, server_default="0"),
    Column("question", Text),
    Column("question_ns", BigInteger, nullable=False, server_default="0"),
    Column("answer", Text),
    Column("answer_ns", BigInteger, nullable=False, server_default="0"),
)
"""One row a trace, kept in the same transaction as its spans, so that lists never scan spans.

The head is the span that names the trace: its root, or the earliest span while there is none. ``spans`` counts all of
them, everything else only calls (`counting`): ``running`` to ``cancelled`` those of a status, ``priced`` those whose
cost is known. ``session_id`` is the session that its earliest span with one names, the one that began at
``session_start_ns``; a trace is ``mixed`` where its spans belong to several, and then has a row for each in ``shares``.

``run_id`` is the run that it belongs to, as `inspector.store.values.sums.TraceSums` settles it by the run that its root
or its earliest span names: ``named_run`` to ``run_start_ns``. The question began and the answer ended at the times
beside them.
"""

_t = traces.c
Index("ux_traces_trace", _t.trace_id, unique=True)
Index("ix_traces_time", _t.start_ns)
Index("ix_traces_session", _t.session_id, _t.start_ns, sqlite_where=_t.session_id.is_not(None))
Index("ix_traces_run", _t.run_id, _t.start_ns)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("session_id", Text, nullable=False),
    Column("start_ns", BigInteger, nullable=False),
    Column("end_ns", BigInteger),
    Column("latest_ns", BigInteger, nullable=False),
    Column("traces", BigInteger, nullable=False),
    *_statuses(),
    *_sums(),
    Column("seq", BigInteger, nullable=False),
    *_later_sums(),
)
"""One row a session, summed from its traces; ``running`` to ``cancelled`` count traces."""

shares = Table(
    "shares",
    metadata,
    Column("trace_id", BigInteger, primary_key=True, autoincrement=False),
    Column("session_id", Text, primary_key=True),
    *_statuses(),
    *_sums(),
    *_later_sums(),
    sqlite_with_rowid=False,
)
"""What each session has of a trace with spans of several: sums as in ``traces``."""

Index("ix_shares_session", shares.c.session_id)

Index("ux_sessions_session", sessions.c.session_id, unique=True)
Index("ix_sessions_latest", sessions.c.latest_ns)

runs = Table(
    "runs",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("service", Text),
    Column("agent", Text),
    Column("trace_id", Text, nullable=False),
    Column("head", BigInteger, nullable=False),
    Column("start_ns", BigInteger, nullable=False),
    Column("end_ns", BigInteger),
    Column("duration_ms", Float),
    Column("traces", BigInteger, nullable=False),
    *_statuses(),
    Column("open_calls", BigInteger, nullable=False),
    *_sums(),
    *_later_sums(),
    Column("models", Text, nullable=False),
    Column("seq", BigInteger, nullable=False),
    *(
        Column(f"{name}{part}", kind, nullable=not is_needed)
        for name in ("question", "answer")
        for part, kind, is_needed in (("", Text, False), ("_ns", BigInteger, True), ("_from", BigInteger, True))
    ),
)
"""One row a run, summed from its traces; ``running`` to ``cancelled`` count traces.

``head`` is the trace that names it, by its row; a question or answer is from the trace in the column beside it.
"""

Index("ux_runs_run", runs.c.run_id, unique=True)
Index("ix_runs_time", runs.c.start_ns)

turns = Table(
    "turns",
    metadata,
    Column("span", Integer, primary_key=True, autoincrement=False),
    Column("run", Text, nullable=False),
    Column("lane", Text),
    Column("start_ns", BigInteger, nullable=False),
    Column("end_ns", BigInteger),
    Column("failed", Integer, nullable=False),
    Column("asked", LargeBinary, nullable=False),
    Column("answered", LargeBinary),
    Column("response", Text),
    Column("link", Text, nullable=False),
    Column("previous", BigInteger),
    Column("conversation", BigInteger, nullable=False),
    *(Column(name, Integer, nullable=False) for name in ("continued", "candidates", "messages", "new_from")),
    *(Column(name, Text, nullable=False) for name in ("sizes", "tools", "results")),
)
"""One row a model call whose messages are recorded: what it continues (`inspector.store.sqlite.turns`)."""

_n = turns.c
Index("ix_turns_asked", _n.run, _n.asked, sqlite_where=text("failed = 1"))
Index("ix_turns_previous", _n.previous, sqlite_where=_n.previous.is_not(None))
Index("ix_turns_answered", _n.run, _n.answered)
Index("ix_turns_response", _n.run, _n.response, sqlite_where=_n.response.is_not(None))

contents = Table(
    "contents",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("hash", LargeBinary, nullable=False),
    Column("span", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
)
"""Each message of a prompt, whatever its shape, once a session: ``hash`` is what it is known by again
(`inspector.store.values.addresses`; in rows of schema 0019 and before it covers the session too), ``span`` is the row
that brought it, or the first of those that still refer to it."""

Index("ix_contents_span", contents.c.span)

labels = Table(
    "labels",
    metadata,
    Column("id", Integer, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("run_id", "trace_id", "span_id", "name")),
    Column("score", Float),
    *(Column(name, Text) for name in ("value", "note")),
    *(Column(name, Text, nullable=False) for name in ("author", "source")),
    Column("time_ns", BigInteger, nullable=False),
    sqlite_autoincrement=True,
)
"""One row a label, on a run or on a span, whose ids it has as texts since it may come before them: empty for what does
not apply, as is the author that is not known. No id is used twice, so that a stale page removes no other."""

Index("ix_labels_run", labels.c.run_id)
Index("ix_labels_span", labels.c.trace_id, labels.c.span_id)
Index("ix_labels_name", labels.c.name)

figure_groups = Table(
    "figure_groups",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("view", Integer, nullable=False),
    Column("written", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    *(Column(name, Text) for name in ("service", "agent", "model", "tool", "error_type", "name", "server")),
)
"""The groups of calls in ``figures``; ``written`` is all of a group's fields as JSON, for lookups."""

Index("ux_figure_groups_written", figure_groups.c.written, figure_groups.c.view, unique=True)

figures = Table(
    "figures",
    metadata,
    *(
        Column(name, BigInteger, primary_key=True, autoincrement=False)
        for name in ("view", "seconds", "start_s", "group_id")
    ),
    *(Column(name, BigInteger, nullable=False) for name in ("count", "errors")),
    *(Column(name, BigInteger, nullable=False) for name in ("input_tokens", "output_tokens", "cached_tokens")),
    *(Column(name, BigInteger, nullable=False) for name in ("priced", "unpriced_calls")),
    Column("cost_usd", Float, nullable=False),
    Column("durations", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)
"""Rollups: statistics of the calls of a group by minute, hour and day (`inspector.store.sqlite.stat_rollups`)."""

attribute_pages = Table(
    "attribute_pages",
    metadata,
    Column("page", Integer, primary_key=True),
    Column("bits", LargeBinary),
)
"""For each 256 ids of ``spans`` a filter of the attributes that their rows may have; null where one of them changed
since (`inspector.store.sqlite.attribute_pages`)."""

Index("ix_attribute_pages_changed", attribute_pages.c.page, sqlite_where=attribute_pages.c.bits.is_(None))

spools = Table(
    "spools",
    metadata,
    Column("name", Text, primary_key=True),
    Column("inode", Text, nullable=False),
    *(Column(name, BigInteger, nullable=False) for name in ("offset", "lines", "bad_lines", "spans", "bad_spans")),
)
"""How far each spool file was taken in, written in the same transaction as its rows."""

arrivals = Table(
    "arrivals",
    metadata,
    Column("hour", Integer, primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in ("seq", "trace")),
)
"""The last ``seq`` and the last row of ``traces`` that were given out by the end of an hour, counted since 1970."""

losses = Table(
    "losses",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("process", Text, nullable=False),
    Column("run", Text),
    Column("service", Text),
    Column("reason", Text, nullable=False),
    *(Column(name, BigInteger, nullable=False) for name in ("count", "since_ns", "until_ns")),
    Column("arrived_ns", BigInteger, nullable=False, server_default="0"),
)
"""What processes could not record: a row for each reason and stretch of time of a process."""

Index("ix_losses_process", losses.c.process, losses.c.reason, losses.c.until_ns)
Index("ix_losses_time", losses.c.until_ns)
