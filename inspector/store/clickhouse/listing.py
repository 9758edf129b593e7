"""Keyset pages: sorted lists that never skip or repeat an item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import Conditions
from inspector.store.clickhouse.slots import begun_since
from inspector.store.clickhouse.tables import runs_among, sessions_among
from inspector.store.values.cursor import S, Window, cut, read_cursor

IdColumn: TypeAlias = Literal["trace_id", "run_id", "session_id"]
"""The column of the ids of what consists of spans."""
_AHEAD: Final = 4
"""How many rows are scanned per row of the page."""
_A_FEW: Final[Mapping[str, Any]] = {"max_threads": 1, "max_rows_to_read": 100_000, "read_overflow_mode": "break"}
"""Settings for a look at the last rows: dividing them among threads would cost more than to read them."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a list come from, and what sorts them."""

    table: str
    value: str
    """What they are sorted by; rows without a value come last. Ids break ties, in the same order."""
    is_by_start: bool = False
    """Whether these are spans sorted by their start; the latest are then found by their slots, without scanning all."""
    id_column: IdColumn | None = None
    """The column of their ids, if they consist of spans and have many columns, which are read for the page only."""


@dataclass(frozen=True, slots=True)
class ListPosition:
    """The position after a row in a list."""

    after: tuple[Any, int] | None
    value: str
    beyond: str

    def condition(self, values: Values) -> str:
        """Return the condition of rows that follow."""
        if self.after is None:
            return "true"
        last, row_id = self.after
        value, beyond = self.value, self.beyond
        further = f"id {beyond} {values.integer(row_id)}"
        if last is None:
            return f"{value} IS NULL AND {further}"
        at = values.integer(last) if isinstance(last, int) else values.real(last)
        return f"({value} {beyond} {at} OR ({value} = {at} AND {further}) OR {value} IS NULL)"


def read_page(
    database: Database,
    conditions: Conditions,
    window: Window[S],
    list_key: object,
    source: Source,
    columns: Sequence[str],
) -> tuple[Sequence[Any], str | None]:
    """Return the rows of one page, each with its position after the columns, and the cursor of the next page.

    Raises:
        CursorInvalid: The cursor belongs to another list.
    """
    beyond, way = ("<", "DESC") if window.order == "desc" else (">", "ASC")
    after = read_cursor(list_key, window.cursor)
    values = Values(dict(conditions.values.bound))
    where = f"{conditions.where} AND {ListPosition(after, source.value, beyond).condition(values)}"
    selected = (source.id_column,) if source.id_column else columns

    def read(table: str, further: str = "true") -> Sequence[Any]:
        return database.rows(
            f"SELECT {', '.join(selected)}, {source.value} AS sorted, id FROM {table} {where} AND {further} "
            f"ORDER BY sorted {way} NULLS LAST, id {way} LIMIT {window.limit + 1}",
            values,
        )

    rows: Sequence[Any] = ()
    if source.is_by_start and window.order == "desc":
        most = _AHEAD * (window.limit + 1)
        stored = source.table.removesuffix(" FINAL")
        sql = f"SELECT {source.value} FROM {stored} {where} ORDER BY slot DESC LIMIT {most}"
        latest = database.rows(sql, values, _A_FEW)
        if len(latest) < most:
            latest = database.rows(sql, values)
        # Whichever rows these are, what began since then is the page if it fills one. Some may be older versions.
        if len(latest) == most:
            rows = read(source.table, begun_since(min(row[0] for row in latest)))
    if len(rows) <= window.limit:
        rows = read(source.table)
    page, following = cut(list_key, rows, window.limit)
    return read_summaries(database, source.id_column, columns, page) if source.id_column else page, following


def among(id_column: IdColumn, ids: str) -> str:
    """Return the traces, runs or sessions with some ids, which are bound."""
    match id_column:
        case "trace_id":
            return f"(SELECT * FROM traces FINAL WHERE trace_id IN {ids}) AS traces"
        case "run_id":
            return runs_among(ids)
        case "session_id":
            return sessions_among(ids)


def read_summaries(database: Database, own: IdColumn, columns: Sequence[str], rows: Sequence[Any]) -> Sequence[Any]:
    """Return rows with all columns, given their ids and positions."""
    if not rows:
        return ()
    values = Values()
    ids = values.texts([row[0] for row in rows])
    summaries = database.rows(f"SELECT {', '.join((own, *columns))} FROM {among(own, ids)}", values)
    by_id = {row[0]: row[1:] for row in summaries}
    # Rows that were deleted meanwhile are left out.
    return [(*by_id[row[0]], *row[1:]) for row in rows if row[0] in by_id]
