"""A trace as a few bars: where its time went, for a list of traces."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection

from inspector.model import Kind, Status, TimelineBar, Trace
from inspector.store.engine import driver

LOOKED_AT = 200
"""Spans of a trace that the sketch is made of, the earliest."""
MOST_BARS = 40

_SELECT = (
    "SELECT span_id, parent_id, start_ns, duration_ms, kind, status FROM spans "
    "WHERE trace_id = ? ORDER BY start_ns, id LIMIT ?"
)
_WORK: frozenset[Kind] = frozenset(("llm", "tool", "rpc", "resource"))


class Bar(NamedTuple):
    """What the sketch needs of a span."""

    span_id: str
    parent_id: str | None
    start_ns: int
    duration_ms: float | None
    kind: Kind
    status: Status


def with_timelines(connection: Connection, traces: Sequence[Trace]) -> tuple[Trace, ...]:
    """Returns the traces with their sketches."""
    # Past the driver's wrapper, which takes longer over fifty questions than the database does.
    execute = driver(connection).execute
    return tuple(
        replace(trace, timeline=sketch(list(map(Bar._make, execute(_SELECT, (trace.trace_id, LOOKED_AT))))))
        for trace in traces
    )


def sketch(spans: Sequence[Bar]) -> tuple[TimelineBar, ...]:
    """Returns the bars of a trace from its spans in the order they began.

    Errors come first, then work that nothing else explains, then the rest, the longest of each; the root only when it
    is alone.
    """
    parents = {span.parent_id for span in spans}
    first_ns = spans[0].start_ns if spans else 0

    def rank(span: Bar) -> tuple[int, float]:
        leaf = span.span_id not in parents
        importance = 0 if span.status == "error" else 1 if leaf and span.kind in _WORK else 2 if leaf else 3
        return importance, float("-inf") if span.duration_ms is None else -span.duration_ms

    below = [span for span in spans if span.parent_id is not None] or spans
    chosen = below if len(below) <= MOST_BARS else sorted(below, key=rank)[:MOST_BARS]
    chosen = sorted(chosen, key=lambda span: span.start_ns)
    return tuple(
        TimelineBar((span.start_ns - first_ns) / 1e6, span.duration_ms, span.kind, span.status) for span in chosen
    )
