"""Rows of ``traces`` and ``sessions`` as the nouns that the API serves."""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import func

from inspector.model import Session, Trace
from inspector.store.tables import sessions, traces

_t = traces.c
_s = sessions.c
TRACE = (
    *(_t.trace_id, _t.session_id, _t.name, _t.kind, _t.status, _t.service, func.coalesce(_t.head_agent, _t.any_agent)),
    *(_t.start_ns, _t.end_ns, _t.duration_ms, _t.spans, _t.calls, _t.errors, _t.llm_calls, _t.tool_calls, _t.models),
    *(_t.input_tokens, _t.output_tokens, _t.cached_tokens, _t.cost_usd, _t.priced, _t.unpriced_calls, _t.seq),
)
"""The columns that `trace_of` expects."""
SESSION = (
    *(_s.session_id, _s.running, _s.failed, _s.lost, _s.abandoned, _s.cancelled, _s.start_ns, _s.end_ns),
    *(_s.traces, _s.failed, _s.spans, _s.calls, _s.errors, _s.llm_calls, _s.tool_calls),
    *(_s.input_tokens, _s.output_tokens, _s.cached_tokens, _s.cost_usd, _s.priced, _s.unpriced_calls, _s.seq),
)
"""The columns that `session_of` expects."""

_MODELS = msgspec.json.Decoder(tuple[str, ...])
_WORST_FIRST = ("running", "error", "lost", "abandoned", "cancelled")
COST_DIGITS = 12
"""Digits behind the point that a sum of dollars keeps."""


def trace_of(row: Sequence[Any]) -> Trace:
    """Returns the trace of a row; one that still runs has no end."""
    status, end_ns = row[4], row[8]
    end = None if end_ns is None or status == "running" else str(end_ns)
    values: tuple[Any, ...] = (*row[:7], str(row[7]), end, *row[9:15], _MODELS.decode(row[15]), *row[16:19])
    return Trace(*values, cost_usd=_cost(row[19], row[20]), unpriced_calls=row[21], seq=row[22])


def session_of(row: Sequence[Any]) -> Session:
    """Returns the session of a row, with the worst status of its traces; one that still runs has no end."""
    status = next((status for status, count in zip(_WORST_FIRST, row[1:6], strict=True) if count), "ok")
    end = None if row[7] is None or status == "running" else str(row[7])
    values: tuple[Any, ...] = (row[0], status, str(row[6]), end, *row[8:18])
    return Session(*values, cost_usd=_cost(row[18], row[19]), unpriced_calls=row[20], seq=row[21])


def _cost(sum_usd: float, priced: int) -> float | None:
    # Sums are kept by adding and subtracting, which leaves dust behind the digits that mean something.
    return round(sum_usd, COST_DIGITS) if priced else None
