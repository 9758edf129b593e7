"""Many rows in few statements.

Each execution lets other threads run and, unless it was short, waits up to a switch interval (5 ms) for the
interpreter's lock afterwards. Beside a thread that computes, a batch of 512 spans took 136 to 162 ms so, 134 to 410
with 128 rows in a statement and 169 to 1,040 with one.
"""

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import Any

_SIZES = (512, 64, 16, 4, 1)
"""Rows in one statement: few sizes, so that all statements stay prepared. 512 rows of 37 columns are 18,944 parameters,
of which SQLite takes 32,766 (https://sqlite.org/limits.html)."""
_NULL = float("nan")
"""SQLite stores NaN as NULL, and the driver of Python 3.11 looks for an adapter of each None: 41,000 of the 82,000
instructions of a row of spans, of which fourteen columns are empty (3.13: 5,000 of 50,000)."""
VALUES = "{rows}"
"""Where a statement has its rows."""


def execute_rows(database: sqlite3.Connection, sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Runs a statement that has ``VALUES {rows}`` for all rows, which are of the same length."""
    done = 0
    for size in _SIZES:
        while len(rows) - done >= size:
            statement = _statement(sql, size, len(rows[0]))
            values = chain.from_iterable(rows[done : done + size])
            database.execute(statement, [_NULL if value is None else value for value in values])
            done += size


@cache
def _statement(sql: str, rows: int, columns: int) -> str:
    row = "(" + ",".join("?" * columns) + ")"
    return sql.replace(VALUES, ",".join([row] * rows))
