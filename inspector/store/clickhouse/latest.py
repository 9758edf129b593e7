"""The latest traces and runs, without a look at all of them: spans lie by the minute in which they began."""

from collections.abc import Iterator, Sequence
from typing import Final

from inspector.store.clickhouse.database import Database, Values

_SPANS: Final = 50
"""That are looked at for each trace that is sought: longer ones make the stretch shorter."""


def latest(
    database: Database, own: str, counts: Sequence[int], values: Values, until_ns: int | None
) -> Iterator[tuple[int, str]]:
    """Yields a time and the ids of all that began since then, bound, and of a few others; further back each time.

    Args:
        database: Where they are.
        own: What identifies them: ``trace_id`` or ``run_id``.
        counts: How many traces are sought each time.
        values: Where the ids are bound.
        until_ns: When they began at the latest; None for any time.
    """
    before = "" if until_ns is None else f" AND start_ns <= {until_ns}"
    seen = 0
    for count in counts:
        # Where a span that was written again began at another time, the stretch is another one, and as good.
        spans = f"SELECT trace_id, start_ns FROM spans WHERE true{before} ORDER BY slot DESC LIMIT {count * _SPANS}"
        firsts = (
            f"SELECT min(start_ns) AS first_ns FROM ({spans}) GROUP BY trace_id ORDER BY first_ns DESC LIMIT {count}"
        )
        row = database.row(f"SELECT min(first_ns), count() FROM ({firsts})")
        if row is None or row[1] <= seen:
            return
        since_ns, seen = row
        # One of its spans began when it did. What else is found is looked at in vain.
        begun = f"SELECT trace_id FROM spans WHERE start_ns >= {since_ns}{before}"
        of_them = f"SELECT DISTINCT {own} FROM traces WHERE trace_id IN ({begun})"
        ids = [found[0] for found in database.rows(of_them)]
        yield since_ns, values.texts(ids)
