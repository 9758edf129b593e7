"""Traces, runs and sessions from their rows."""

from collections.abc import Callable, Sequence
from typing import Any

from inspector.model import Run, Session, Trace

COST_DIGITS = 12
"""Decimal places that are kept of a sum of dollars."""


def trace_of(row: Sequence[Any], models: Callable[[Any], tuple[str, ...]] = tuple) -> Trace:
    """Return the trace of a row; a running one has no end.

    Args:
        row: The fields of a trace in order, with the number of priced calls after the cost.
        models: Reads the column of models.
    """
    times = _times(row[5], row[10], row[11])
    values: tuple[Any, ...] = (*row[:10], *times, *row[12:18], models(row[18]), *row[19:22])
    return Trace(*values, cost_usd=_cost(row[22], row[23]), unpriced_calls=row[24], seq=row[25])


def run_of(row: Sequence[Any], models: Callable[[Any], tuple[str, ...]] = tuple) -> Run:
    """Return the run of a row, as `trace_of` does."""
    times = _times(row[3], row[10], row[11])
    values: tuple[Any, ...] = (*row[:10], *times, *row[12:21], models(row[21]), *row[22:25])
    return Run(*values, cost_usd=_cost(row[25], row[26]), unpriced_calls=row[27], seq=row[28])


def session_of(row: Sequence[Any]) -> Session:
    """Return the session of a row, as `trace_of` does."""
    values: tuple[Any, ...] = (*row[:2], *_times(row[1], row[2], row[3]), *row[4:14])
    return Session(*values, cost_usd=_cost(row[14], row[15]), unpriced_calls=row[16], seq=row[17])


def _times(status: str, start_ns: int, end_ns: int | None) -> tuple[str, str | None]:
    return str(start_ns), None if end_ns is None or status == "running" else str(end_ns)


def _cost(sum_usd: float, priced: int) -> float | None:
    # Adding and subtracting leaves rounding errors behind the significant digits.
    return round(sum_usd, COST_DIGITS) if priced else None
