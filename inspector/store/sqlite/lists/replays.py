"""Finds the replays in a list of runs, and the run that each replays (`inspector.store.values.replays`)."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from sqlalchemy import Connection, func, select

from inspector import semconv
from inspector.model import Run
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.counted import REPLAYED_TRACES
from inspector.store.sqlite.sql.functions import attribute_text
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.tables import traces
from inspector.store.values import replays
from inspector.store.values.codec import PLAIN
from inspector.store.values.replays import ANSWERED, FIRST_CALLS, FIRST_SPANS, FIRST_TRACES
from inspector.store.values.rows import clamp

_FIRST: Final = f"""
SELECT asked.value, spans.attributes, spans.shared
FROM json_each(?) AS asked
CROSS JOIN traces ON traces.id IN (
    SELECT id FROM traces AS its WHERE its.run_id = asked.value ORDER BY its.start_ns LIMIT {FIRST_TRACES}
)
CROSS JOIN spans ON spans.id IN (
    SELECT id FROM (
        SELECT id, kind, hook FROM spans AS its WHERE its.trace_id = traces.id ORDER BY its.start_ns
        LIMIT {FIRST_SPANS}
    ) WHERE kind IN {ANSWERED} AND hook IS NOT NULL LIMIT {FIRST_CALLS}
)
WHERE substr(spans.attributes, 1, 1) <> ? OR instr(spans.attributes, ?) > 0
"""


def with_replays(connection: Connection, items: Sequence[Run]) -> tuple[Run, ...]:
    """Return runs, the replays among them with the run that each one replays."""
    return replays.with_replays(items, _named(connection, items), partial(_run_of, connection))


def count_replays(connection: Connection, since_ns: int | None, until_ns: int | None) -> int:
    """Return how many runs that began in a time range are replays."""
    c = traces.c
    count = select(func.count(c.run_id.distinct())).where(c.id.in_(REPLAYED_TRACES))
    if since_ns is not None:
        count = count.where(c.start_ns >= clamp(since_ns))
    if until_ns is not None:
        count = count.where(c.start_ns < clamp(until_ns))
    return connection.execute(count).scalar_one()


def _named(connection: Connection, items: Sequence[Run]) -> Iterator[tuple[str, str | None]]:
    key = semconv.REPLAYED_RUN
    asked = (json_list([run.run_id for run in items]), PLAIN, key.encode())
    for run_id, attributes, shared in driver(connection).execute(_FIRST, asked):
        yield run_id, attribute_text(attributes, shared, key)


def _run_of(connection: Connection, trace_ids: Sequence[str]) -> Mapping[str, str]:
    sql = "SELECT trace_id, run_id FROM traces WHERE trace_id IN (SELECT value FROM json_each(?))"
    return dict(driver(connection).execute(sql, (json_list(trace_ids),)).fetchall())
