"""What the first calls of runs say that they were given back from (`inspector.store.values.replays`)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from inspector import semconv
from inspector.model import Run
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import REPLAYED
from inspector.store.clickhouse.slots import reached
from inspector.store.clickhouse.tables import traces_among
from inspector.store.values import replays
from inspector.store.values.replays import ANSWERED, FIRST_CALLS, FIRST_SPANS, FIRST_TRACES
from inspector.store.values.rows import clamp

_KEY: Final = "slot, trace_id, span_id"


def with_replays(database: Database, items: Sequence[Run]) -> tuple[Run, ...]:
    """Returns runs, the replays among them with the run that each one replays."""
    values = Values()
    ids = values.texts([run.run_id for run in items])
    first = (
        f"SELECT trace_id, run_id FROM traces FINAL WHERE {traces_among(ids)} "
        f"ORDER BY start_ns LIMIT {FIRST_TRACES} BY run_id"
    )
    slots = database.rows(
        f"SELECT first_slot, last_slot FROM traces FINAL WHERE trace_id IN (SELECT trace_id FROM ({first}))", values
    )
    spans = (
        f"SELECT {_KEY}, kind, hook, start_ns FROM spans FINAL WHERE trace_id IN (SELECT trace_id FROM ({first})) "
        f"AND {reached(slots)} ORDER BY start_ns LIMIT {FIRST_SPANS} BY trace_id"
    )
    calls = (
        f"SELECT {_KEY} FROM ({spans}) WHERE kind IN {ANSWERED} AND hook IS NOT NULL "
        f"ORDER BY start_ns LIMIT {FIRST_CALLS} BY trace_id"
    )
    key = values.text(semconv.REPLAYED_RUN)
    # By their keys, so that what is large is read of those few alone.
    named = database.rows(
        f"SELECT run_id, JSONExtractString(attributes, {key}) FROM (SELECT trace_id, attributes FROM spans FINAL "
        f"WHERE ({_KEY}) IN ({calls}) AND position(attributes, {key}) > 0) AS spans "
        f"INNER JOIN ({first}) AS its USING (trace_id)",
        values,
    )
    return replays.with_replays(items, named, partial(_run_of, database))


def count_replays(database: Database, since_ns: int | None, until_ns: int | None) -> int:
    """Returns how many runs that began in a time range are replays."""
    since = "" if since_ns is None else f" AND start_ns >= {clamp(since_ns)}"
    until = "" if until_ns is None else f" AND start_ns < {clamp(until_ns)}"
    row = database.row(f"SELECT uniqExact(run_id) FROM traces FINAL WHERE trace_id IN ({REPLAYED}){since}{until}")
    return 0 if row is None else row[0]


def _run_of(database: Database, trace_ids: Sequence[str]) -> Mapping[str, str]:
    values = Values()
    return dict(
        database.rows(f"SELECT trace_id, run_id FROM traces FINAL WHERE trace_id IN {values.texts(trace_ids)}", values)
    )
