"""Shortcuts to the first page of a list that read only some rows, and can prove that no other row belongs on the page.

If the proof fails because matches are rare, the list is scanned like any other.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, literal, select

from inspector.model import Filter
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.lists.attribute_pages import MOST_PAGES, PAGE, ids_holding
from inspector.store.sqlite.sql.listing import Ranking, page_rows
from inspector.store.sqlite.sql.parameters import is_among, json_list
from inspector.store.sqlite.tables import spans
from inspector.store.values.cursor import Position
from inspector.store.values.rows import INT64_MAX

_MATCHES = (400, 2_000, 8_000)
"""How many of the latest matches of a text are read; the next step if the proof fails."""
_LARGEST = 2_000
"""How many of the largest values are read."""
_MOST_NOT_OK = 50_000
"""With more spans that are not ok, `largest_not_ok` does not apply."""


def latest_matching(
    connection: Connection, match: str, conditions: Sequence[ColumnElement[bool]], limit: int
) -> Sequence[Position] | None:
    """Return the latest spans with a text, one more than requested if there are that many.

    The full-text index returns the last arrivals first. A row that arrived before those that were read cannot begin
    later than the latest start of all rows before them, which limits what can be missing.
    """
    positions: list[tuple[int, int]] = []
    before = INT64_MAX
    for size in _MATCHES:
        ids = driver(connection).execute(
            "SELECT rowid FROM search WHERE search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?",
            (match, before, size),
        )
        row_ids = [row[0] for row in ids]
        positions += _meeting(connection, row_ids, conditions)
        positions.sort(reverse=True)
        if len(row_ids) < size:
            return positions[: limit + 1]
        before = row_ids[-1]
        if len(positions) > limit and positions[limit][0] >= _latest_before(connection, before):
            return positions[: limit + 1]
    return None


def largest_meeting(
    connection: Connection, ranking: Ranking, conditions: Sequence[ColumnElement[bool]], limit: int
) -> Sequence[Position] | None:
    """Return the first spans of a list sorted by an index, one more than requested; None if too few of them match."""
    # A literal, since with a parameter SQLite would not recognise that the partial index applies.
    has_value = ranking.value.is_not(literal(None, literal_execute=True))
    query: Select[*tuple[Any, ...]] = select(ranking.value, spans.c.id).where(has_value)
    rows = page_rows(connection, query, ranking, _LARGEST if conditions else limit + 1)
    positions = [(row[0], row[1]) for row in rows]
    if conditions:
        meeting = {row_id for _, row_id in _meeting(connection, [row_id for _, row_id in positions], conditions)}
        positions = [position for position in positions if position[1] in meeting]
    return positions[: limit + 1] if len(positions) > limit else None


def largest_not_ok(connection: Connection, ranking: Ranking, where: Filter, limit: int) -> Sequence[Position] | None:
    """Return the first spans of such a list that are not ok, one more than requested; None if this would be slower.

    One index has the order and another one the rows that are not ok, so no row itself is read.
    """
    if not where.statuses or "ok" in where.statuses or where != Filter(statuses=where.statuses):
        return None
    sql = "SELECT id FROM spans WHERE status IN (SELECT value FROM json_each(?)) AND status <> 'ok' LIMIT ?"
    ids = [row[0] for row in driver(connection).execute(sql, (json_list(where.statuses), _MOST_NOT_OK + 1))]
    # Fewer are sorted quickly, and with more, enough of them are among the largest of all.
    if not _LARGEST <= len(ids) <= _MOST_NOT_OK:
        return None
    has_value = ranking.value.is_not(literal(None, literal_execute=True))
    query = select(ranking.value, spans.c.id).where(has_value, is_among("+spans.id", ids))
    rows = page_rows(connection, query, ranking, limit + 1)
    return [(row[0], row[1]) for row in rows] if len(rows) > limit else None


def latest_holding(
    connection: Connection, pages: Sequence[int], where: Filter, conditions: Sequence[ColumnElement[bool]], limit: int
) -> Sequence[Position] | None:
    """Return the latest spans with attributes, one more than requested, from the latest pages that may have them."""
    first = pages[MOST_PAGES - 1] * PAGE
    ids = ids_holding(connection, pages[:MOST_PAGES], where)
    positions = sorted(_meeting(connection, ids, conditions), reverse=True)
    if len(positions) > limit and positions[limit][0] >= _latest_before(connection, first):
        return positions[: limit + 1]
    return None


def _meeting(
    connection: Connection, row_ids: Sequence[int], conditions: Sequence[ColumnElement[bool]]
) -> list[tuple[int, int]]:
    query = select(spans.c.start_ns, spans.c.id).where(is_among("spans.id", row_ids), *conditions)
    rows = connection.execute(query)
    return [(row[0], row[1]) for row in rows]


def _latest_before(connection: Connection, row_id: int) -> int:
    """Return the latest start of the spans that arrived before a row."""
    # The plus keeps the planner from reading all of them; the index over time has the result near its end.
    sql = "SELECT start_ns FROM spans WHERE +id < ? ORDER BY start_ns DESC LIMIT 1"
    row = driver(connection).execute(sql, (row_id,)).fetchone()
    return -INT64_MAX if row is None else row[0]
