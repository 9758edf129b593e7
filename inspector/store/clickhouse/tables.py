"""The tables, as ClickHouse is told them: one source for what is created, printed and written.

Rows are replaced by inserting them again under the same sorting key with a larger ``version``, and read with ``FINAL``.
A span's key never changes: its ``slot`` is the minute in which its first record says it began.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from inspector.semconv import REPLAYED_RUN
from inspector.store.values.rows import Row

SCHEMA_VERSION: Final = 17

_NAME: Final = "LowCardinality(String)"
_MAYBE_NAME: Final = "LowCardinality(Nullable(String))"
_RISING: Final = "Int64 CODEC(Delta(8), ZSTD(1))"
_COUNT: Final = "Nullable(Int64)"
_LARGE: Final = "String CODEC(ZSTD(3))"
SPANS: Final = {
    "slot": _RISING,
    "trace_id": "String",
    "span_id": "String",
    "version": _RISING,
    "digest": "UInt64",
    "id": _RISING,
    "seq": _RISING,
    "parent_id": "Nullable(String)",
    "session_id": _MAYBE_NAME,
    **dict.fromkeys(("kind", "name", "status"), _NAME),
    **dict.fromkeys(("hook", "dialect", "service", "agent", "model", "tool", "request_model"), _MAYBE_NAME),
    "start_ns": _RISING,
    "end_ns": "Nullable(Int64) CODEC(Delta(8), ZSTD(1))",
    "duration_ms": "Nullable(Float64)",
    **dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens"), _COUNT),
    "cost_usd": "Nullable(Float64)",
    "folded_into": "Nullable(String)",
    "process": _MAYBE_NAME,
    "exact_times": "Nullable(String)",
    "error_type": _MAYBE_NAME,
    "error_message": "Nullable(String) CODEC(ZSTD(3))",
    "error_traceback": "Nullable(String) CODEC(ZSTD(3))",
    "input_key": _MAYBE_NAME,
    "output_key": _MAYBE_NAME,
    "attributes": _LARGE,
    "events": "Nullable(String) CODEC(ZSTD(3))",
    "links": "Nullable(String) CODEC(ZSTD(3))",
    "identity": "Nullable(String) CODEC(ZSTD(3))",
    "session_inherited": "Nullable(UInt8)",
    "run": _MAYBE_NAME,
    "replay": "Nullable(UInt8)",
    "server": _MAYBE_NAME,
    "text": _LARGE,
    "asks": "Array(LowCardinality(String))",
    "turn": "Nullable(String) CODEC(ZSTD(3))",
    # What the counters of calls had of it before, for when they are not saved after it.
    "counted_as": _NAME,
}
"""The columns of spans: those of `Row`, its key, the words that it is found by, and what is said of a conversation."""
OF_ROW: Final = tuple(name for name in Row._fields if name not in ("trace_id", "shared"))
"""The fields of a row that are columns under their own names."""
_SUMS: Final = (
    *("running", "failed", "lost", "abandoned", "cancelled", "spans", "calls", "errors", "llm_calls", "tool_calls"),
    *("input_tokens", "output_tokens", "cached_tokens", "priced", "unpriced_calls"),
)
SHARE: Final = ("session_id", *_SUMS, "cost_usd")
"""What each session has of a trace."""
_SHARES: Final = f"Array(Tuple(session_id String, {', '.join(f'{name} Int64' for name in _SUMS)}, cost_usd Float64))"
TRACES: Final = {
    "trace_id": "String",
    "version": "Int64",
    "id": "Int64",
    "arrived_ns": "Int64",
    "session_id": _MAYBE_NAME,
    **dict.fromkeys(("name", "kind", "status"), _NAME),
    "service": _MAYBE_NAME,
    "head_agent": _MAYBE_NAME,
    "agent": _MAYBE_NAME,
    "start_ns": _RISING,
    "end_ns": "Nullable(Int64)",
    "duration_ms": "Nullable(Float64)",
    "models": "Array(LowCardinality(String))",
    "seq": "Int64",
    "run_id": "String",
    "run_origin": _NAME,
    "question": "Nullable(String) CODEC(ZSTD(3))",
    "question_ns": "Int64",
    "answer": "Nullable(String) CODEC(ZSTD(3))",
    "answer_ns": "Int64",
    **dict.fromkeys(_SUMS, "Int64"),
    "cost_usd": "Float64",
    "shares": f"{_SHARES} CODEC(ZSTD(1))",
    # Where its spans lie; of a trace from before version 5, anywhere.
    "first_slot": f"Int64 DEFAULT {-(2**63)}",
    "last_slot": f"Int64 DEFAULT {2**63 - 1}",
}
LABELS: Final = {
    "id": "Int64",
    "version": "Int64",
    "removed": "UInt8",
    **dict.fromkeys(("run_id", "trace_id", "span_id", "name"), "String"),
    "score": "Nullable(Float64)",
    "value": "Nullable(String)",
    "note": "Nullable(String)",
    "author": "String",
    "source": _NAME,
    "time_ns": "Int64",
}
MARKS: Final = {
    "home": "String",
    "name": "String",
    "version": "Int64",
    "removed": "UInt8",
    "inode": "UInt64",
    **dict.fromkeys(("offset", "lines", "bad_lines", "spans", "bad_spans"), "Int64"),
}
LEASES: Final = {"name": "String", "number": "Int64", "holder": "String"}
DECIDED: Final = ("id", "seq", "version", "session_inherited", "folded_into", "counted_as")
"""The columns of spans that only the process that writes them knows."""
SENT: Final = {
    **{name: kind.split(" CODEC")[0] for name, kind in SPANS.items() if name not in DECIDED},
    **dict.fromkeys(("question", "answer"), "Nullable(String)"),
}
"""The columns of a span that is sent to the process that writes."""
INBOX: Final = {
    "id": "String",
    "done": "UInt8",
    "body": _LARGE,
    "outcome": "String",
    **{name: f"Array({kind})" for name, kind in SENT.items()},
}
"""Waiting changes, each with the columns of its spans as arrays."""
NOTES: Final = {"name": "String", "version": "Int64", "value": "Int64"}
LOSSES: Final = {
    "process": "String",
    "run": "Nullable(String)",
    "service": "Nullable(String)",
    "reason": _NAME,
    "count": "Int64",
    "since_ns": "Int64",
    "until_ns": "Int64",
    "arrived_ns": "Int64",
}
LOGS: Final = {
    **dict.fromkeys(("trace_id", "span_id", "identity"), "String"),
    "version": "Int64",
    "time_ns": "Int64",
    # When it arrived.
    "hour": "Int64",
    "state": "UInt8",
    "event": _LARGE,
}
HOURS: Final = {"hour": "Int64", "version": "Int64", "removed": "UInt8"}
FIGURES: Final = {
    "by": _NAME,
    "hour": "Int64",
    "known": "UInt8",
    "key": "String",
    "version": "Int64",
    "kept": "Array(LowCardinality(String))",
    **dict.fromkeys(("first_ns", "last_ns", "calls", "errors"), "Int64"),
    **dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens"), "Int128"),
    "priced": "Int64",
    "cost_usd": "Float64",
    "unpriced_calls": "Int64",
    "durations": "Tuple(Array(Int32), Array(Int64))",
}
"""Sums of the calls of an hour, by the values of a column, and of all of them where it is empty."""
_INDEXES: Final = (
    "INDEX by_trace trace_id TYPE bloom_filter(0.001) GRANULARITY 1",
    "INDEX by_span span_id TYPE bloom_filter(0.001) GRANULARITY 1",
    "INDEX by_session session_id TYPE bloom_filter(0.01) GRANULARITY 1",
    "INDEX by_time start_ns TYPE minmax GRANULARITY 1",
    "INDEX by_seq seq TYPE minmax GRANULARITY 1",
    "INDEX by_version version TYPE minmax GRANULARITY 1",
    f"INDEX by_replay position(attributes, '{REPLAYED_RUN}') TYPE minmax GRANULARITY 1",
    "INDEX by_text text TYPE text(tokenizer = 'splitByNonAlpha')",
)
_TRACE_INDEXES: Final = (
    "INDEX by_trace trace_id TYPE bloom_filter(0.0001) GRANULARITY 1",
    "INDEX by_run run_id TYPE bloom_filter(0.001) GRANULARITY 1",
)
COMPRESSED: Final[Mapping[str, str]] = {
    "default_compression_codec": "'ZSTD(1)'",
    "text_index_posting_list_codec": "'bitpacking'",
}
"""How columns and indexes are compressed that say nothing else, except in tables that are read a few rows at a time."""
_REPEATS: Final = "non_replicated_deduplication_window = 100"
_SCATTERED: Final = "index_granularity = 256, min_compress_block_size = 4096"
_REPLICATED_REPEATS: Final = "replicated_deduplication_window = 1000"


@dataclass(frozen=True, slots=True)
class Table:
    """What a table is made of."""

    columns: Mapping[str, str]
    order: str
    version: str = ""
    """What decides which of the rows of a key is kept, and where that is a removal; empty where all are."""
    partition: str = ""
    indexes: tuple[str, ...] = ()
    shard: str = "cityHash64(trace_id)"
    """By what its rows are spread over the shards of a cluster."""
    is_scattered: bool = False
    """Whether the rows of a question lie anywhere: few are then read and unpacked to find one."""


TABLES: Final[Mapping[str, Table]] = {
    "spans": Table(SPANS, "slot, trace_id, span_id", "version", "toDate(slot * 60)", _INDEXES),
    "traces": Table(TRACES, "trace_id", "version", indexes=_TRACE_INDEXES, is_scattered=True),
    "labels": Table(LABELS, "id", "version, removed", shard="id"),
    "marks": Table(MARKS, "home, name", "version, removed", shard="cityHash64(home)"),
    "notes": Table(NOTES, "name", "version", shard="cityHash64(name)"),
    "leases": Table(LEASES, "name", "number", shard="cityHash64(name)"),
    "inbox": Table(INBOX, "id", "done", shard="cityHash64(id)"),
    "hours": Table(HOURS, "hour", "version, removed", shard="hour"),
    "figures": Table(FIGURES, "by, hour, known, key", "version", shard="hour"),
    "logs": Table(LOGS, "trace_id, span_id, identity", "version", is_scattered=True),
    "losses": Table(LOSSES, "until_ns", shard="cityHash64(process)"),
}


def statements(database: str) -> Iterator[str]:
    """Return what creates the database and its tables where they are not there, in order."""
    name = quoted(database)
    yield f"CREATE DATABASE IF NOT EXISTS {name}"
    for table, definition in TABLES.items():
        engine = f"ReplacingMergeTree({definition.version})" if definition.version else "MergeTree"
        yield _created(f"{name}.{table}", definition, engine)
    yield from views(database)
    yield noted(database)


def cluster_statements(database: str, cluster: str) -> Iterator[str]:
    """Return what creates the database on a cluster: replicated tables on each shard, and one over all of them each.

    A trace is on one shard as a whole, with its spans.
    """
    name, on = quoted(database), f"ON CLUSTER {quoted(cluster)}"
    yield f"CREATE DATABASE IF NOT EXISTS {name} {on}"
    for table, definition in TABLES.items():
        kind = "ReplicatedReplacingMergeTree" if definition.version else "ReplicatedMergeTree"
        place = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"
        engine = f"{kind}({', '.join(part for part in (place, definition.version) if part)})"
        yield _created(f"{name}.{table}_local {on}", definition, engine, _REPLICATED_REPEATS)
        spread = f"Distributed({quoted(cluster)}, {name}, {table}_local, {definition.shard})"
        yield f"CREATE TABLE IF NOT EXISTS {name}.{table} {on} AS {name}.{table}_local\nENGINE = {spread}"
    for view in views(database):
        head, _, question = view.partition(" AS ")
        yield f"{head} {on} AS {question}"
    yield noted(database)


def views(database: str, *, replaced: bool = False) -> Iterator[str]:
    """Return what creates the views over the tables."""
    name = quoted(database)
    create = "CREATE OR REPLACE VIEW" if replaced else "CREATE VIEW IF NOT EXISTS"
    yield f"{create} {name}.runs AS {_RUNS.format(traces=f'{name}.traces FINAL')}"
    yield f"{create} {name}.sessions AS {_SESSIONS.format(traces=f'{name}.traces FINAL', among='')}"


def runs_among(ids: str) -> str:
    """Return the runs with some ids, which are bound, as the view has all of them."""
    return f"({_RUNS.format(traces=f'traces FINAL WHERE {traces_among(ids)}')}) AS runs"


def traces_among(ids: str) -> str:
    """Return the condition of the traces of some runs, whose ids are bound."""
    # The index of runs is asked once alone: what it finds in one file, FINAL would look for in all others.
    return f"trace_id IN (SELECT trace_id FROM traces WHERE run_id IN {ids}) AND toString(run_id) IN {ids}"


def sessions_among(ids: str) -> str:
    """Return the sessions with some ids, which are bound, as the view has all of them."""
    its = f"SELECT trace_id FROM traces WHERE hasAny(shares.session_id, {ids})"
    traces = f"(SELECT * FROM traces FINAL WHERE trace_id IN ({its})) AS traces"
    return f"({_SESSIONS.format(traces=traces, among=f'WHERE own IN {ids}')}) AS sessions"


def noted(database: str) -> str:
    """Return what says of which version the tables are, where nothing says so; an earlier one stays."""
    name = quoted(database)
    return (
        f"INSERT INTO {name}.notes (name, version, value) SELECT 'schema', 0, {SCHEMA_VERSION} "
        f"WHERE (SELECT count() FROM {name}.notes WHERE name = 'schema') = 0"
    )


def settings(values: Mapping[str, str]) -> str:
    """Return settings of a table as a statement has them."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def quoted(name: str) -> str:
    """Return a name as a statement has it."""
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"


def _created(name: str, table: Table, engine: str, repeats: str = _REPEATS) -> str:
    lines = ",\n  ".join([*(f"{column} {kind}" for column, kind in table.columns.items()), *table.indexes])
    by = f"\nPARTITION BY {table.partition}" if table.partition else ""
    return (
        f"CREATE TABLE IF NOT EXISTS {name} (\n  {lines}\n)\nENGINE = {engine}{by}\nORDER BY ({table.order})\n"
        f"SETTINGS {repeats}, {_SCATTERED if table.is_scattered else settings(COMPRESSED)}"
    )


_IS_UNCAUGHT: Final = "calls = 0 AND status = 'error'"
"""Whether a trace is of nothing but an exception that ended a program."""
_BY_STATUS: Final = ", ".join(
    f"countIf(status = '{status}' AND NOT ({_IS_UNCAUGHT})) AS {name}"
    for status, name in (
        *(("running", "running_traces"), ("error", "failed_traces"), ("lost", "lost_traces")),
        *(("abandoned", "abandoned_traces"), ("cancelled", "cancelled_traces")),
    )
)
_COUNTED: Final = f"countIf(NOT ({_IS_UNCAUGHT})) AS traces, countIf({_IS_UNCAUGHT}) AS uncaught"
_STATUS: Final = (
    "multiIf(running_traces > 0, 'running', failed_traces + uncaught > 0, 'error', lost_traces > 0, 'lost', "
    "abandoned_traces > 0, 'abandoned', cancelled_traces > 0, 'cancelled', 'ok')"
)
_SUMMED: Final = ("spans", "calls", "errors", "llm_calls", "tool_calls", "priced", "unpriced_calls")
_TOKENS: Final = ("input_tokens", "output_tokens", "cached_tokens")


def _summed(prefix: str = "") -> str:
    sums = [f"sumIf({prefix}{name}, NOT ({_IS_UNCAUGHT})) AS {name}_sum" for name in _SUMMED]
    # Sums of tokens may be more than 64 bits hold.
    sums += [f"toInt64(least(sum(toInt128({prefix}{name})), 9223372036854775807)) AS {name}_sum" for name in _TOKENS]
    return ", ".join([*sums, f"sumKahan({prefix}cost_usd) AS cost_sum"])


_RENAMED: Final = ", ".join([*(f"{name}_sum AS {name}" for name in (*_SUMMED, *_TOKENS)), "cost_sum AS cost_usd"])
_HEAD: Final = (
    "argMin(tuple(trace_id, name, kind, service, ifNull(head_agent, agent), run_origin, session_id), "
    "tuple(kind = 'rpc', start_ns, id)) AS head"
)
_RUNS: Final = (
    "SELECT run_id, first_id AS id, tupleElement(head, 6) AS origin, "
    "multiIf(origin = 'program', ifNull(nullIf(tupleElement(head, 4), ''), tupleElement(head, 2)), "
    "origin = 'session', ifNull(tupleElement(head, 7), ''), tupleElement(head, 2)) AS name, "
    f"{_STATUS} AS status, tupleElement(head, 4) AS service, tupleElement(head, 5) AS agent, "
    "tupleElement(head, 1) AS trace_id, tupleElement(head, 2) AS trace_name, tupleElement(head, 3) AS kind, "
    "asked AS question, answered AS answer, first_ns AS start_ns, last_ns AS end_ns, "
    "if(status = 'running' OR last_ns IS NULL, NULL, (last_ns - first_ns) / 1e6) AS duration_ms, "
    f"traces, failed_traces, open_calls, all_models AS models, last_seq AS seq, {_RENAMED} "
    f"FROM (SELECT run_id, min(id) AS first_id, {_HEAD}, {_BY_STATUS}, {_COUNTED}, "
    "argMinIf(question, tuple(question_ns, id), question IS NOT NULL) AS asked, "
    "argMaxIf(answer, tuple(answer_ns, id), answer IS NOT NULL) AS answered, "
    "min(start_ns) AS first_ns, max(end_ns) AS last_ns, sum(running) AS open_calls, "
    f"arraySort(groupUniqArrayArray(models)) AS all_models, max(seq) AS last_seq, {_summed()} "
    "FROM {traces} GROUP BY run_id)"
)
"""What `RunSums` adds up, in the database: a run is the sum of its traces."""
ACTIVE: Final = "greatest(start_ns, ifNull(end_ns, start_ns))"
"""When a trace was last active."""
# As arrays side by side, of which only those are read that a query needs.
_OF_SHARES: Final = ", ".join(f"shares.{name} AS its_{name}" for name in (*_SUMMED, *_TOKENS, "cost_usd"))
_SESSIONS: Final = (
    "SELECT session_id, toInt64(bitShiftRight(cityHash64(session_id), 1)) AS id, "
    f"{_STATUS} AS status, first_ns AS start_ns, last_ns AS end_ns, latest_ns, traces, failed_traces, "
    f"last_seq AS seq, {_RENAMED} "
    f"FROM (SELECT own AS session_id, {_BY_STATUS}, {_COUNTED}, min(start_ns) AS first_ns, "
    f"max(end_ns) AS last_ns, max({ACTIVE}) AS latest_ns, max(seq) AS last_seq, {_summed('its_')} "
    f"FROM {{traces}} ARRAY JOIN shares.session_id AS own, {_OF_SHARES} {{among}} GROUP BY own)"
)
"""What `SessionSums` adds up: a session is the sum of its parts of traces."""
