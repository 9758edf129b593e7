"""What the first calls of runs say that they were given back from (`inspector.store.values.replays`)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from inspector import semconv
from inspector.model import Run
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import REPLAYED
from inspector.store.clickhouse.slots import begun_since, reached
from inspector.store.clickhouse.tables import traces_among
from inspector.store.values import replays
from inspector.store.values.replays import ANSWERED, FIRST_CALLS, FIRST_SPANS, FIRST_TRACES
from inspector.store.values.rows import clamp

_KEY: Final = "slot, trace_id, span_id"
_NAMES: Final = f"position(attributes, '{semconv.REPLAYED_RUN}') > 0"


def with_replays(database: Database, items: Sequence[Run]) -> tuple[Run, ...]:
    """Return runs, the replays among them with the run that each one replays."""
    # An index of spans tells where no replay is, so that nearly all pages end here.
    began = begun_since(min(int(run.start_time_unix_nano) for run in items))
    if database.row(f"SELECT 1 FROM spans WHERE {began} AND {_NAMES} LIMIT 1") is None:
        return tuple(items)
    values = Values()
    its = (
        "SELECT run_id, trace_id, first_slot, last_slot FROM traces FINAL "
        f"WHERE {traces_among(values.texts([run.run_id for run in items]))} "
        f"ORDER BY start_ns LIMIT {FIRST_TRACES} BY run_id"
    )
    run_of = {row[1]: row for row in database.rows(its, values)}
    values = Values()
    lying = f"trace_id IN {values.texts(list(run_of))} AND {reached(row[2:] for row in run_of.values())}"
    naming = database.rows(f"SELECT DISTINCT trace_id FROM spans WHERE {lying} AND {_NAMES}", values)
    if not naming:
        return tuple(items)
    values = Values()
    found = [run_of[row[0]] for row in naming]
    named = _named(database, values, [row[1] for row in found], reached(row[2:] for row in found))
    return replays.with_replays(
        items, [(run_of[trace_id][0], name) for trace_id, name in named], partial(_run_of, database)
    )


def _named(database: Database, values: Values, trace_ids: Sequence[str], lying: str) -> Sequence[Any]:
    spans = (
        f"SELECT {_KEY}, kind, hook, start_ns FROM spans FINAL WHERE trace_id IN {values.texts(trace_ids)} "
        f"AND {lying} ORDER BY start_ns LIMIT {FIRST_SPANS} BY trace_id"
    )
    calls = (
        f"SELECT {_KEY} FROM ({spans}) WHERE kind IN {ANSWERED} AND hook IS NOT NULL "
        f"ORDER BY start_ns LIMIT {FIRST_CALLS} BY trace_id"
    )
    # By their keys, so that what is large is read of those few alone.
    return database.rows(
        f"SELECT trace_id, JSONExtractString(attributes, '{semconv.REPLAYED_RUN}') FROM spans FINAL "
        f"WHERE ({_KEY}) IN ({calls}) AND {_NAMES}",
        values,
    )


def count_replays(database: Database, since_ns: int | None, until_ns: int | None) -> int:
    """Return how many runs that began in a time range are replays."""
    since = "" if since_ns is None else f" AND start_ns >= {clamp(since_ns)}"
    until = "" if until_ns is None else f" AND start_ns < {clamp(until_ns)}"
    row = database.row(f"SELECT uniqExact(run_id) FROM traces FINAL WHERE trace_id IN ({REPLAYED}){since}{until}")
    return 0 if row is None else row[0]


def _run_of(database: Database, trace_ids: Sequence[str]) -> Mapping[str, str]:
    values = Values()
    return dict(
        database.rows(f"SELECT trace_id, run_id FROM traces FINAL WHERE trace_id IN {values.texts(trace_ids)}", values)
    )
