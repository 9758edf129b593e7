"""Finds the latest traces and runs without scanning all, since spans are sorted by the minute of their start."""

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.store.clickhouse.database import Database, Values

_SPANS: Final = 50
"""Spans to scan per requested trace; if traces have more, fewer traces are found."""


def latest(
    database: Database, own: str, counts: Sequence[int], values: Values, until_ns: int | None
) -> Iterator[tuple[int, str]]:
    """Yields a time and a bound list of ids: all that began since then, and a few others. Each goes further back.

    Args:
        database: The database.
        own: The column of the ids: ``trace_id`` or ``run_id``.
        counts: How many traces to look for in each step.
        values: The values that the ids are bound in.
        until_ns: When they began at the latest; None for any time.
    """
    before = "" if until_ns is None else f" AND start_ns <= {until_ns}"
    seen = 0
    for count in counts:
        # Replaced versions of rows may shift the limit a little, which does not matter.
        spans = f"SELECT trace_id, start_ns FROM spans WHERE true{before} ORDER BY slot DESC LIMIT {count * _SPANS}"
        firsts = (
            f"SELECT min(start_ns) AS first_ns FROM ({spans}) GROUP BY trace_id ORDER BY first_ns DESC LIMIT {count}"
        )
        row = database.row(f"SELECT min(first_ns), count() FROM ({firsts})")
        if row is None or row[1] <= seen:
            return
        since_ns, seen = row
        # A trace begins with one of its spans, so all are found; the few others are filtered out later.
        begun = f"SELECT trace_id FROM spans WHERE start_ns >= {since_ns}{before}"
        of_them = f"SELECT DISTINCT {own} FROM traces WHERE trace_id IN ({begun})"
        ids = [found[0] for found in database.rows(of_them)]
        yield since_ns, values.texts(ids)
