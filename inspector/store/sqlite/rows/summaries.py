"""Traces, runs and sessions from their rows."""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import func, select

from inspector.model import Run, Session, Trace
from inspector.store.sqlite.tables import runs, sessions, traces
from inspector.store.values import summaries
from inspector.store.values.codec import unpack_text
from inspector.store.values.sums import WORST_FIRST

_t = traces.c
_r = runs.c
_s = sessions.c
TRACE = (
    *(_t.trace_id, _t.run_id, _t.session_id, _t.name, _t.kind, _t.status, _t.service),
    *(func.coalesce(_t.head_agent, _t.any_agent), _t.question, _t.answer),
    *(_t.start_ns, _t.end_ns, _t.duration_ms, _t.spans, _t.calls, _t.errors, _t.llm_calls, _t.tool_calls, _t.models),
    *(_t.input_tokens, _t.output_tokens, _t.cached_tokens, _t.cost_usd, _t.priced, _t.unpriced_calls, _t.seq),
)
"""The columns that `trace_of` expects."""
_FIRST_NAME = select(_t.name).where(_t.id == _r.head).scalar_subquery()
RUN = (
    *(_r.run_id, _r.origin, _r.name, _r.status, _r.service, _r.agent, _r.question, _r.answer, _r.trace_id, _FIRST_NAME),
    *(_r.start_ns, _r.end_ns, _r.duration_ms, _r.traces, _r.failed, _r.open_calls),
    *(_r.spans, _r.calls, _r.errors, _r.llm_calls, _r.tool_calls, _r.models),
    *(_r.input_tokens, _r.output_tokens, _r.cached_tokens, _r.cost_usd, _r.priced, _r.unpriced_calls, _r.seq),
)
"""The columns that `run_of` expects."""
SESSION = (
    *(_s.session_id, _s.running, _s.failed + _s.uncaught, _s.lost, _s.abandoned, _s.cancelled, _s.start_ns, _s.end_ns),
    *(_s.traces, _s.failed, _s.spans, _s.calls, _s.errors, _s.llm_calls, _s.tool_calls),
    *(_s.input_tokens, _s.output_tokens, _s.cached_tokens, _s.cost_usd, _s.priced, _s.unpriced_calls, _s.seq),
)
"""The columns that `session_of` expects."""

# `Sequence.index` compares with ==, which columns answer with SQL.
_TRACE_EXCERPTS = next(at for at, column in enumerate(TRACE) if column is _t.question)
_RUN_EXCERPTS = next(at for at, column in enumerate(RUN) if column is _r.question)
_MODELS = msgspec.json.Decoder(tuple[str, ...])


def trace_of(row: Sequence[Any]) -> Trace:
    """Return the trace of a row."""
    return summaries.trace_of(_with_excerpts(row, _TRACE_EXCERPTS), _MODELS.decode)


def run_of(row: Sequence[Any]) -> Run:
    """Return the run of a row."""
    return summaries.run_of(_with_excerpts(row, _RUN_EXCERPTS), _MODELS.decode)


def _with_excerpts(row: Sequence[Any], at: int) -> Sequence[Any]:
    """Return a row with its question and answer, the first of which is at that place, as texts."""
    return (*row[:at], unpack_text(row[at]), unpack_text(row[at + 1]), *row[at + 2 :])


def session_of(row: Sequence[Any]) -> Session:
    """Return the session of a row, with the worst status of its traces."""
    status = next((status for status, count in zip(WORST_FIRST, row[1:6], strict=True) if count), "ok")
    return summaries.session_of((row[0], status, *row[6:]))
