"""Keyset pages: sorted lists that cost the same at any depth, and never skip or repeat an item."""

import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import ColumnElement, Connection, Select, Table, and_, or_, select
from sqlalchemy import Row as SqlRow

from inspector.model import Order
from inspector.store.sqlite.sql.parameters import is_among
from inspector.store.values.cursor import Position


@dataclass(frozen=True, slots=True)
class Ranking:
    """How a list is sorted, and where a page of it begins."""

    value: ColumnElement[Any]
    """Rows without a value come last in either order."""
    row_id: ColumnElement[int]
    """Breaks ties, in the same order."""
    order: Order
    after: Position | None
    """Where the previous page ended."""


def page_rows(
    connection: Connection, query: Select[*tuple[Any, ...]], ranking: Ranking, limit: int
) -> Sequence[SqlRow[*tuple[Any, ...]]]:
    """Return up to ``limit`` rows of the query, beginning after a position."""
    value, row_id, order, after = ranking.value, ranking.row_id, ranking.order, ranking.after
    sorting = [_ordered(column, order) for column in (value, row_id)]
    rows: list[SqlRow[*tuple[Any, ...]]] = []
    if after is None or after[0] is not None:
        valued = query.where(value.is_not(None)) if _may_lack(value) else query
        if after is not None:
            valued = valued.where(_beyond(ranking, after))
        rows += connection.execute(valued.order_by(*sorting).limit(limit)).all()
        after = None
    if len(rows) < limit and _may_lack(value):
        rest = query.where(value.is_(None))
        if after is not None:
            rest = rest.where(row_id < after[1] if order == "desc" else row_id > after[1])
        # The sum keeps SQLite from scanning the table in order of its ids, which is wider than an index.
        unvalued = rest.order_by(_ordered(row_id + 0, order)).limit(limit - len(rows))
        rows += connection.execute(unvalued).all()
    return rows


@dataclass(frozen=True, slots=True)
class Pace:
    """The steps of a scan over rows that no index finds."""

    steps: Sequence[int]
    """How many rows each step tests; the last number repeats."""
    walk_s: float
    """The time limit; 0 for one step."""


Test: TypeAlias = Callable[[Connection, Sequence[int]], set[int]]
"""Returns which of these rows match."""
_Row = TypeVar("_Row", bound=Sequence[Any])
SLOW_ROWS = 160
"""How many rows a slow test is given at once, at most."""
_SHORT_S = 0.05
"""A part of the rows that takes less is followed by one of twice as many."""


def rows_by_id(
    connection: Connection, table: Table, row_ids: Sequence[int], columns: Sequence[ColumnElement[Any]]
) -> list[SqlRow[*tuple[Any, ...]]]:
    """Return columns of the rows with these ids, in their order, each with its id at the end.

    Raises:
        sqlite3.DatabaseError: One is not there.
    """
    query = select(*columns, table.c.id).where(is_among(f"{table.name}.id", row_ids))
    by_id = {row[-1]: row for row in connection.execute(query)}
    try:
        return [by_id[row_id] for row_id in row_ids]
    except KeyError as missing:
        raise sqlite3.DatabaseError(f"an index names row {missing} of {table.name}, which is not there") from None


def passing_ids(
    connection: Connection,
    query: Select[*tuple[Any, ...]],
    ranking: Ranking,
    limit: int,
    tests: Sequence[Test],
    pace: Pace,
    slow: Test | None = None,
) -> tuple[list[Position], Position | None]:
    """Scan the rows of a query in order until enough of them pass every test, or the time is over.

    Args:
        connection: A reader's.
        query: Selects the sort value and the row id.
        ranking: The order, and where to begin.
        limit: How many rows to find.
        tests: The tests that each row must pass.
        pace: The steps and the time limit.
        slow: One more test, for the rows that pass the others (`slowly`).

    Returns:
        Up to ``limit`` positions, and where to continue, which is None at the end of the list. If there are fewer
        positions and yet somewhere to continue, the time was over.
    """
    until = time.monotonic() + pace.walk_s
    passed: list[Position] = []
    rows: Sequence[Any] = ()
    for size in chain(pace.steps, repeat(pace.steps[-1])):
        rows = page_rows(connection, query, ranking, size)
        if not rows:
            return passed, None
        ids = [row[1] for row in rows]
        for test in tests:
            passing = test(connection, ids) if ids else set[int]()
            ids = [row_id for row_id in ids if row_id in passing]
        kept = set(ids)
        left = [(row[0], row[1]) for row in rows if row[1] in kept]
        found, tested = slowly(connection, left, slow, most=limit + 1 - len(passed), until=until)
        passed += found
        if len(passed) > limit:
            return passed[:limit], passed[limit - 1]
        if tested < len(left):
            return passed, left[tested - 1]
        if len(rows) < size:
            return passed, None
        ranking = replace(ranking, after=(rows[-1][0], rows[-1][1]))
        if time.monotonic() >= until:
            return passed, ranking.after
    raise AssertionError


def slowly(
    connection: Connection, rows: Sequence[_Row], slow: Test | None, *, most: int, until: float
) -> tuple[Sequence[_Row], int]:
    """Return the rows that pass a slow test, and how many were tested before there were enough or the time was over.

    Args:
        connection: A reader's.
        rows: The rows, with their row ids at the end; some of them are always tested.
        slow: The test; None if all rows pass.
        most: The number of rows after which no more are tested.
        until: The end of the time, by the monotonic clock.
    """
    if slow is None:
        return rows, len(rows)
    passed: list[_Row] = []
    tested, size = 0, 1
    while tested < len(rows) and len(passed) < most and (not tested or time.monotonic() < until):
        part, begun = rows[tested : tested + size], time.monotonic()
        passing = slow(connection, [row[-1] for row in part])
        passed += [row for row in part if row[-1] in passing]
        tested += len(part)
        # A row may be a run of very many spans, so that one more part would take far longer than there is time.
        if time.monotonic() - begun < _SHORT_S:
            size = min(2 * size, SLOW_ROWS)
    return passed, tested


def first(rows: Sequence[Any], limit: int) -> tuple[list[Position], Position | None]:
    """Return the positions of a page, and that of its last row if there is a next page; ``rows`` has one row more."""
    positions = [(row[0], row[1]) for row in rows]
    return positions[:limit], positions[limit - 1] if len(positions) > limit else None


def _may_lack(value: ColumnElement[Any]) -> bool:
    return bool(getattr(value, "nullable", True))


def _ordered(column: ColumnElement[Any], order: Order) -> ColumnElement[Any]:
    return column.desc() if order == "desc" else column.asc()


def _beyond(ranking: Ranking, after: Position) -> ColumnElement[bool]:
    value, row_id = ranking.value, ranking.row_id
    last, last_id = after
    descending = ranking.order == "desc"
    bound, further = (value <= last, value < last) if descending else (value >= last, value > last)
    tie = and_(value == last, row_id < last_id if descending else row_id > last_id)
    return and_(bound, or_(further, tie))
