"""Conditions that limit a query to the minutes in which spans began, of some traces or since some time.

Spans are sorted by slot, the minute of their start in their first record. Each trace has the first and last slot of its
spans. How far later records moved a start past its slot is noted before a span is stored that was moved further.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from inspector.store.clickhouse.database import Database, Values
from inspector.store.values.rows import clamp

_MINUTE_NS: Final = 60 * 10**9
_LAST: Final = (2**32 - 1) // 60
"""The last minute whose day a partition can express, in 32 bits of seconds since the Unix epoch."""
SLOT_OF_START: Final = f"least(greatest(intDiv(start_ns, {_MINUTE_NS}), 0), {_LAST})"
"""SQL for the slot of a span whose first record has the start of this row."""
_MOVED: Final = "(SELECT max(value) FROM notes WHERE name = 'moved')"
"""The most minutes by which a start was moved past its slot; 0 if no start was. Without FINAL, as it only grows."""
_NEAR: Final = 60
"""Ranges with at most this many minutes between them are read as one."""


def slot_of(start_ns: int) -> int:
    """Return the slot of a span whose first record has this start."""
    return min(max(clamp(start_ns) // _MINUTE_NS, 0), _LAST)


def most_moved(starts: Iterable[tuple[int, int]]) -> int:
    """Return the most minutes by which starts lie past the slots of their spans."""
    return max((slot_of(start_ns) - slot for start_ns, slot in starts), default=0)


def begun_since(since_ns: int) -> str:
    """Return the condition for spans that began at a time or later."""
    return f"start_ns >= {since_ns} AND slot >= {slot_of(since_ns)} - {_MOVED}"


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
