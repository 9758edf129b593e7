"""The current schema, which the migrations must produce and all queries use.

Ids are text, and times are nanoseconds in 64 signed bits (``exact_times`` has those that do not fit). Large columns
come last, so that lists of summaries do not read them.
"""

from sqlalchemy import BigInteger, Column, Computed, Float, Index, Integer, LargeBinary, MetaData, Table, Text, text

SCHEMA_VERSION = "0027"
"""The newest migration."""

APPLICATION_ID = 0x4D434149
"""``MCAI`` in the file header, which marks our databases (https://sqlite.org/fileformat.html)."""

metadata = MetaData()

counters = Table(
    "counters",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Numbers that only grow, so that no id or ``seq`` is used twice, even after deletes; and the state of retention."""

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
"""One row per span: a start record inserts it, and an end record replaces it, with the same ``id`` and a new ``seq``.

- ``id`` is the first ``seq`` of the span, so only rows that have changed since need an index on ``seq``.
- ``trace_id`` is the row id in ``traces``. Row ids grow, so new rows are at the end of its indexes; each hexadecimal id
  would be on a random page.
- ``model`` is the model that answered, and ``request_model`` the requested one. ``named_model`` is the one that the
  span is shown and counted under: the requested one if known, since failed calls have it too.
- ``folded_into`` is the span that counts, if this is a duplicate (`inspector.store.values.counting`); empty: no call.
- ``identity`` decides which spans are duplicates (`inspector.store.values.identity`); null in rows of earlier versions,
  whose decision stays.
- ``session_inherited`` is 1 if the span names no session and has that of its trace.
- ``run`` is the run that the recorder names; null if that is the ``process``.
- ``replay`` is 1 in spans of replays, otherwise null.

There is no index on span ids alone; the full-text index finds them.
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
"""A covering index: filters without their own index, and statistics, scan this narrow copy instead of the table. A
batch appends to it; with an index per filter, a batch would write one page for each different name or duration."""
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


def _later_sums(*more: str) -> tuple[Column[int], ...]:
    names = ("calls", "unpriced_calls", *more)
    return tuple(Column(name, BigInteger, nullable=False, server_default="0") for name in names)


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
"""One row per trace, updated in the same transaction as its spans, so that lists need not scan spans.

- ``head_…`` describe the span that names the trace: its root, or until that arrives its earliest span.
- ``spans`` counts all spans; all other counts are of calls (`inspector.store.values.counting`): ``running`` to
  ``cancelled`` by status, ``priced`` those with a known cost.
- ``session_id`` is the session named by the earliest span that names one, which began at ``session_start_ns``.
  ``mixed`` is 1 if the spans belong to several sessions; then ``shares`` has a row for each.
- ``run_id`` is its run. `inspector.store.values.sums.TraceSums` determines it from the run that its root or its
  earliest span names, described by ``named_run`` to ``run_start_ns``.
- ``question_ns`` is when the span of the question began, ``answer_ns`` when that of the answer ended.
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
    *_later_sums("uncaught"),
)
"""One row per session, summed from its traces; ``running`` to ``cancelled`` count traces."""

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
"""For traces with spans of several sessions, the part of each session; sums as in ``traces``."""

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
    Column("uncaught", BigInteger, nullable=False, server_default="0"),
)
"""One row per run, summed from its traces; ``running`` to ``cancelled`` count traces.

``head`` is the row id of the trace that names the run; ``question_from`` and ``answer_from`` are those of the traces
with its question and answer. ``uncaught`` counts exceptions that ended a program; no other column counts their traces.
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
"""One row per model call with recorded messages, and what it continues (`inspector.store.sqlite.writing.turns`)."""

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
"""The messages of prompts, each stored once per session. ``hash`` finds a repeated one
(`inspector.store.values.text_hashes`; in rows of schema 0019 and before, it includes the session). ``span`` is the row
of the span that first had the message, or of the first that still refers to it."""

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
"""One row per label of a run or a span. It has their ids as text, since a label may arrive first; the ids that do not
apply and an unknown author are empty. No row id is used twice, so an outdated page cannot remove another label."""

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
"""Rollups: statistics of a group's calls by minute, hour and day (`inspector.store.sqlite.statistics.rollups`)."""

attribute_pages = Table(
    "attribute_pages",
    metadata,
    Column("page", Integer, primary_key=True),
    Column("bits", LargeBinary),
)
"""A Bloom filter of attributes for each 256 row ids of ``spans``; null if one of these rows has changed since
(`inspector.store.sqlite.lists.attribute_pages`)."""

Index("ix_attribute_pages_changed", attribute_pages.c.page, sqlite_where=attribute_pages.c.bits.is_(None))

spools = Table(
    "spools",
    metadata,
    Column("name", Text, primary_key=True),
    Column("inode", Text, nullable=False),
    *(Column(name, BigInteger, nullable=False) for name in ("offset", "lines", "bad_lines", "spans", "bad_spans")),
)
"""How far each spool file was read, written in the same transaction as its spans."""

arrivals = Table(
    "arrivals",
    metadata,
    Column("hour", Integer, primary_key=True),
    *(Column(name, BigInteger, nullable=False) for name in ("seq", "trace")),
)
"""The last ``seq`` and the last row id of ``traces`` that were assigned by the end of each hour (hours since 1970)."""

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
"""Calls that processes could not record: a row per process, reason and time range."""

Index("ix_losses_process", losses.c.process, losses.c.reason, losses.c.until_ns)
Index("ix_losses_time", losses.c.until_ns)

logs = Table(
    "logs",
    metadata,
    Column("id", Integer, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("trace_id", "span_id", "identity")),
    *(Column(name, BigInteger, nullable=False) for name in ("time_ns", "hour", "state")),
    Column("event", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)
"""One row per log, which may precede its span (`inspector.store.sqlite.writing.logs`); ``hour`` is when it arrived."""

Index("ux_logs_log", logs.c.trace_id, logs.c.span_id, logs.c.identity, unique=True)
Index("ix_logs_state", logs.c.state)
Index("ix_logs_hour", logs.c.hour)
