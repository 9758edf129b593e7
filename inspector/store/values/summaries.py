"""Traces, runs and sessions from their rows."""

from collections.abc import Callable, Sequence
from typing import Any

from inspector.model import Run, Session, Trace
from inspector.store.values.counting import rounded_usd


def trace_of(row: Sequence[Any], models: Callable[[Any], tuple[str, ...]] = tuple) -> Trace:
    """Return the trace of a row; a running one has no end.

    Args:
        row: The fields of a trace in order, with the number of priced calls after the cost.
        models: Reads the column of models.
    """
    times = _times(row[5], row[10], row[11])
    values: tuple[Any, ...] = (*row[:10], *times, *row[12:18], models(row[18]), *row[19:22])
    return Trace(*values, cost_usd=rounded_usd(row[22], row[23]), unpriced_calls=row[24], seq=row[25])


def run_of(row: Sequence[Any], models: Callable[[Any], tuple[str, ...]] = tuple) -> Run:
    """Return the run of a row, as `trace_of` does."""
    times = _times(row[3], row[10], row[11])
    values: tuple[Any, ...] = (*row[:10], *times, *row[12:21], models(row[21]), *row[22:25])
    return Run(*values, cost_usd=rounded_usd(row[25], row[26]), unpriced_calls=row[27], seq=row[28])


def session_of(row: Sequence[Any]) -> Session:
    """Return the session of a row, as `trace_of` does."""
    values: tuple[Any, ...] = (*row[:2], *_times(row[1], row[2], row[3]), *row[4:14])
    return Session(*values, cost_usd=rounded_usd(row[14], row[15]), unpriced_calls=row[16], seq=row[17])


def _times(status: str, start_ns: int, end_ns: int | None) -> tuple[str, str | None]:
    return str(start_ns), None if end_ns is None or status == "running" else str(end_ns)
