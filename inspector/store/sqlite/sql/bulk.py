"""Writes many rows with few statements.

Each execution releases the GIL, and unless it was short, it waits for it afterwards for up to a switch interval (5 ms).
Next to a busy thread, a batch of 512 spans takes 136 to 162 ms like this, 134 to 410 ms with 128 rows per statement,
and 169 to 1,040 ms with one.
"""

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

_SIZES = (512, 64, 16, 4, 1)
"""Rows per statement: few sizes, so that all statements stay prepared. 512 rows of 37 columns are 18,944 parameters;
SQLite allows 32,766 (https://sqlite.org/limits.html)."""
_NULL = float("nan")
"""SQLite stores NaN as NULL. For None, the driver of Python 3.11 looks for an adapter each time, which takes half of
the instructions for a span, with its fourteen empty columns (41,000 of 82,000; in 3.13 5,000 of 50,000)."""
VALUES = "{rows}"
"""The placeholder for rows in a statement."""


def execute_rows(database: sqlite3.Connection, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Run a statement with ``VALUES {rows}`` for all rows, which have the same length."""
    written = 0
    for size in _SIZES:
        while len(rows) - written >= size:
            statement = _statement(sql, size, len(rows[0]))
            values = chain.from_iterable(rows[written : written + size])
            database.execute(statement, [_NULL if value is None else value for value in values])
            written += size


@cache
def _statement(sql: str, rows: int, columns: int) -> str:
    row = "(" + ",".join("?" * columns) + ")"
    return sql.replace(VALUES, ",".join([row] * rows))
