"""Conditions that limit a query to the minutes in which spans of some traces began.

Spans are sorted by slot (the minute of their start), traces by id. Each trace has the first and last slot of its spans.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from inspector.store.clickhouse.database import Database, Values

_NEAR: Final = 60
"""Ranges with at most this many minutes between them are read as one."""


def of_trace(trace: str) -> str:
    """Return the condition for the spans of one trace, given as a bound value."""
    its = f"trace_id = {trace}"
    return f"{its} AND {_reached(its)}"


def of_run(run: str, more: str = "") -> str:
    """Return the condition for the spans of one run, given as a bound value; ``more`` is a condition on its traces."""
    its = f"run_id = {run}{more}"
    return f"trace_id IN (SELECT trace_id FROM traces FINAL WHERE {its}) AND {_reached(its)}"


def of_traces(database: Database, trace_ids: Sequence[str]) -> str:
    """Return the condition for the slots of some traces, which are looked up."""
    values = Values()
    sql = f"SELECT first_slot, last_slot FROM traces FINAL WHERE trace_id IN {values.texts(trace_ids)}"
    return reached(database.rows(sql, values))


def reached(traces: Iterable[tuple[int, int]]) -> str:
    """Return the condition for slots, given the first and last slots of traces."""
    stretches: list[tuple[int, int]] = []
    for first, last in sorted(traces):
        if stretches and first <= stretches[-1][1] + _NEAR:
            stretches[-1] = (stretches[-1][0], max(stretches[-1][1], last))
        else:
            stretches.append((first, last))
    return f"({' OR '.join(f'slot BETWEEN {first} AND {last}' for first, last in stretches) or 'false'})"


def _reached(its: str) -> str:
    # Without FINAL, because later versions of a trace only extend its range.
    # Both as one value, because ClickHouse runs equal subqueries only once.
    both = f"(SELECT (min(first_slot), max(last_slot)) FROM traces WHERE {its})"
    return f"slot >= tupleElement({both}, 1) AND slot <= tupleElement({both}, 2)"
