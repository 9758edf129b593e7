"""Rows of traces, runs and sessions as the nouns that the API serves."""

from collections.abc import Callable, Sequence
from typing import Any

from inspector.model import Run, Session, Trace

COST_DIGITS = 12
"""Digits behind the point that a sum of dollars keeps."""


def trace_of(row: Sequence[Any], models: Callable[[Any], tuple[str, ...]] = tuple) -> Trace:
    """Returns the trace of a row; one that still runs has no end.

    Args:
        row: The fields of a trace in order, but for its cost how many calls have a price.
        models: Reads the column of models.
    """
    times = _times(row[5], row[10], row[11])
    values: tuple[Any, ...] = (*row[:10], *times, *row[12:18], models(row[18]), *row[19:22])
    return Trace(*values, cost_usd=_cost(row[22], row[23]), unpriced_calls=row[24], seq=row[25])


def run_of(row: Sequence[Any], models: Callable[[Any], tuple[str, ...]] = tuple) -> Run:
    """Returns the run of a row, as `trace_of` does."""
    times = _times(row[3], row[10], row[11])
    values: tuple[Any, ...] = (*row[:10], *times, *row[12:21], models(row[21]), *row[22:25])
    return Run(*values, cost_usd=_cost(row[25], row[26]), unpriced_calls=row[27], seq=row[28])


def session_of(row: Sequence[Any]) -> Session:
    """Returns the session of a row, as `trace_of` does."""
    values: tuple[Any, ...] = (*row[:2], *_times(row[1], row[2], row[3]), *row[4:14])
    return Session(*values, cost_usd=_cost(row[14], row[15]), unpriced_calls=row[16], seq=row[17])


def _times(status: str, start_ns: int, end_ns: int | None) -> tuple[str, str | None]:
    return str(start_ns), None if end_ns is None or status == "running" else str(end_ns)


def _cost(sum_usd: float, priced: int) -> float | None:
    # Sums are kept by adding and subtracting, which leaves dust behind the digits that mean something.
    return round(sum_usd, COST_DIGITS) if priced else None
