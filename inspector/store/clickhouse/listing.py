"""Keyset pages: sorted lists that never skip or repeat an item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import Conditions
from inspector.store.clickhouse.latest import latest
from inspector.store.clickhouse.tables import runs_among
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.window import S, Window

_AHEAD: Final = 4
"""How many rows are scanned per row of the page."""
_STEPS: Final = (2, 8, 64, 512)
"""How many traces are scanned per row of the page; larger steps follow until the page is full."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a list come from, and what sorts them."""

    table: str
    value: str
    """What they are sorted by; rows without a value come last. Ids break ties, in the same order."""
    along: str = ""
    """The column that the table is sorted by, if it grows with the value and no row lacks a value. The latest rows are
    then found without scanning all."""
    whole: str = ""
    """The column of their ids, if they consist of spans and have many columns. The columns are then read only for the
    page, and if the value is the start time, the latest rows are found without scanning all."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The position after a row in a list."""

    after: tuple[Any, int] | None
    value: str
    beyond: str

    def met(self, values: Values) -> str:
        """Returns the condition of rows that follow."""
        if self.after is None:
            return "true"
        last, row_id = self.after
        value, beyond = self.value, self.beyond
        further = f"id {beyond} {values.whole(row_id)}"
        if last is None:
            return f"{value} IS NULL AND {further}"
        at = values.whole(last) if isinstance(last, int) else values.real(last)
        return f"({value} {beyond} {at} OR ({value} = {at} AND {further}) OR {value} IS NULL)"


def read_page(
    database: Database,
    conditions: Conditions,
    window: Window[S],
    list_of: object,
    source: Source,
    columns: Sequence[str],
) -> tuple[Sequence[Any], str | None]:
    """Returns the rows of one page, each with its position after the columns, and the cursor of the next page.

    Args:
        database: The database.
        conditions: The conditions on the rows.
        window: The requested page.
        list_of: Everything that defines the list.
        source: The table and the order.
        columns: The requested columns.

    Raises:
        CursorInvalid: The cursor belongs to another list.
    """
    beyond, way = ("<", "DESC") if window.order == "desc" else (">", "ASC")
    after = read_cursor(list_of, window.cursor)
    values = Values(dict(conditions.values.bound))
    where = f"{conditions.where} AND {_Place(after, source.value, beyond).met(values)}"
    wanted = (source.whole,) if source.whole else columns

    def read(table: str, further: str = "true") -> Sequence[Any]:
        return database.rows(
            f"SELECT {', '.join(wanted)}, {source.value} AS sorted, id FROM {table} {where} AND {further} "
            f"ORDER BY sorted {way} NULLS LAST, id {way} LIMIT {window.limit + 1}",
            values,
        )

    rows: Sequence[Any] = ()
    if window.order == "desc":
        for table, since in _latest(database, source, where, values, window.limit + 1, after):
            rows = read(table, f"{source.value} >= {since}")
            if len(rows) > window.limit:
                break
    if len(rows) <= window.limit:
        rows = read(source.table)
    page, following = cut(list_of, rows, window.limit)
    return _whole(database, source.whole, columns, page) if source.whole else page, following


def _latest(
    database: Database, source: Source, where: str, values: Values, wanted: int, after: tuple[Any, int] | None
) -> Iterator[tuple[str, int]]:
    """Yields sources of the latest rows, each with the time since which it has all of them; each goes further back."""
    if source.along:
        most = _AHEAD * wanted
        stored = source.table.removesuffix(" FINAL")
        found = database.rows(
            f"SELECT {source.value} FROM {stored} {where} ORDER BY {source.along} DESC LIMIT {most}", values
        )
        # Some of these rows are older versions of others, so fewer may remain.
        if len(found) == most:
            yield source.table, min(row[0] for row in found)
    elif source.whole and source.value == "start_ns":
        counts = [wanted * times for times in _STEPS]
        for since_ns, ids in latest(database, source.whole, counts, values, None if after is None else after[0]):
            yield _among(source.whole, ids), since_ns


def _among(own: str, ids: str) -> str:
    return runs_among(ids) if own == "run_id" else f"(SELECT * FROM traces FINAL WHERE trace_id IN {ids}) AS traces"


def _whole(database: Database, own: str, columns: Sequence[str], rows: Sequence[Any]) -> Sequence[Any]:
    """Returns rows with all columns, given their ids and positions."""
    if not rows:
        return ()
    values = Values()
    ids = values.texts([row[0] for row in rows])
    found = database.rows(f"SELECT {', '.join((own, *columns))} FROM {_among(own, ids)}", values)
    by_id = {row[0]: row[1:] for row in found}
    # Rows that were deleted meanwhile are left out.
    return [(*by_id[row[0]], *row[1:]) for row in rows if row[0] in by_id]
