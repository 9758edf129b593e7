"""A trace as a few bars: where its time went, for a list of traces."""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from inspector.model import Kind, Status, TimelineBar, Trace
from inspector.store.engine import driver

LOOKED_AT = 200
"""Spans up to which a trace is looked at whole; a longer one at as many moments as there may be bars."""
MOST_BARS = 40
_LATEST = 3
"""Spans looked at for each moment: those that had begun last, so that a quiet time shows the call that fills it."""
_FAILED = 20

_BAR = "span_id, parent_id, start_ns, duration_ms, kind, status"
_SELECT = f"SELECT {_BAR} FROM spans WHERE trace_id = ? ORDER BY start_ns, id LIMIT {LOOKED_AT}"
_SELECT_ENDS = (
    "SELECT (SELECT min(start_ns) FROM spans WHERE trace_id = ?1), (SELECT max(start_ns) FROM spans WHERE trace_id = ?1)"
)
_SELECT_MOMENTS = (
    f"SELECT moment.key, {_BAR} FROM json_each(?2) AS moment JOIN spans ON spans.id IN (SELECT id FROM spans "
    f"WHERE trace_id = ?1 AND start_ns <= moment.value ORDER BY start_ns DESC, id DESC LIMIT {_LATEST})"
)
# The limit lies inside: failures of other traces at the same time must not make it a long search. The first condition
# names the index, which the second alone does not.
_SELECT_FAILED = (
    f"SELECT {_BAR} FROM (SELECT * FROM spans WHERE status <> 'ok' AND status = 'error' "
    f"AND start_ns BETWEEN ?2 AND ?3 LIMIT {_FAILED}) WHERE trace_id = ?1"
)
_WORK: frozenset[Kind] = frozenset(("llm", "tool", "rpc", "resource"))

_Execute = Callable[[str, Sequence[object]], Iterable[Any]]


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
    return tuple(replace(trace, timeline=_timeline(execute, trace)) for trace in traces)


def _timeline(execute: _Execute, trace: Trace) -> tuple[TimelineBar, ...]:
    if trace.spans <= LOOKED_AT:
        return sketch([list(map(Bar._make, execute(_SELECT, (trace.trace_id,))))])
    return sketch(_moments(execute, trace))


def _moments(execute: _Execute, trace: Trace) -> list[list[Bar]]:
    """Returns some spans of a long trace for each of a few moments, spread evenly from its first span to its last."""
    ((first_ns, last_ns),) = execute(_SELECT_ENDS, (trace.trace_id,))
    times = [first_ns + (last_ns - first_ns) * at // (MOST_BARS - 1) for at in range(MOST_BARS)]
    moments: list[list[Bar]] = [[] for _ in times]
    has_failed = False
    for at, *fields in execute(_SELECT_MOMENTS, (trace.trace_id, json.dumps(times))):
        bar = Bar._make(fields)
        moments[at].append(bar)
        has_failed = has_failed or bar.status == "error"
    if trace.errors and not has_failed:
        for bar in map(Bar._make, execute(_SELECT_FAILED, (trace.trace_id, first_ns, last_ns))):
            moments[bisect_left(times, bar.start_ns)].append(bar)
    return moments


def sketch(moments: Sequence[Sequence[Bar]]) -> tuple[TimelineBar, ...]:
    """Returns the bars of a trace from its spans, in the order they began; a span may belong to several moments.

    Errors come first, then work that nothing else explains, then the rest, the longest of each; the root only when it
    is alone. Where there are more than bars, each moment has the first of its own before others follow.
    """
    spans = {span.span_id: span for moment in moments for span in moment}
    parents = {span.parent_id for span in spans.values()}
    first_ns = min((span.start_ns for span in spans.values()), default=0)

    def rank(span: Bar) -> tuple[int, float]:
        leaf = span.span_id not in parents
        importance = 0 if span.status == "error" else 1 if leaf and span.kind in _WORK else 2 if leaf else 3
        return importance, float("-inf") if span.duration_ms is None else -span.duration_ms

    chosen = {key: span for key, span in spans.items() if span.parent_id is not None} or spans
    if len(chosen) > MOST_BARS:
        bests = (min((each for each in moment if each.span_id in chosen), key=rank, default=None) for moment in moments)
        ranked = [best for best in bests if best is not None] + sorted(chosen.values(), key=rank)
        chosen = dict(list({span.span_id: span for span in ranked}.items())[:MOST_BARS])
    return tuple(
        TimelineBar((span.start_ns - first_ns) / 1e6, span.duration_ms, span.kind, span.status)
        for span in sorted(chosen.values(), key=lambda span: span.start_ns)
    )
