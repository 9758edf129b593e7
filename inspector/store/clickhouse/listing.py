"""Keyset pages: sorted lists that never skip or repeat an item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from inspector.store.clickhouse.database import Database, Values, literal
from inspector.store.clickhouse.filters import Conditions
from inspector.store.clickhouse.slots import begun_since
from inspector.store.clickhouse.tables import runs_among, sessions_among
from inspector.store.values.cursor import S, Window, cut, read_cursor

IdColumn: TypeAlias = Literal["trace_id", "run_id", "session_id"]
"""The column of the ids of what consists of spans."""
SPAN_KEY: Final = ("slot", "trace_id", "span_id")
"""The columns that spans are sorted by."""
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
    among_latest = None
    if source.is_by_start and window.order == "desc":
        among_latest = _among_latest(database, f"spans {where}", values, _AHEAD * (window.limit + 1))
        rows = read(source.table, among_latest.condition) if among_latest.condition else ()
    # Some of those rows are older versions of others, so fewer may remain.
    if among_latest is None or not (among_latest.are_all or len(rows) > window.limit):
        rows = read(source.table)
    page, following = cut(list_key, rows, window.limit)
    return read_summaries(database, source.id_column, columns, page) if source.id_column else page, following


class _Latest(NamedTuple):
    """Where the latest spans of a list are."""

    condition: str
    """Empty if there are none."""
    are_all: bool
    """Whether all spans of the list are there."""


def _among_latest(database: Database, listed: str, values: Values, most: int) -> _Latest:
    """Return where the latest spans are, given a table with a condition: since when there are enough, or all by key."""

    def stored(columns: str, settings: Mapping[str, Any] | None = None) -> Sequence[Any]:
        return database.rows(f"SELECT {columns} FROM {listed} ORDER BY slot DESC LIMIT {most}", values, settings)

    found = stored("start_ns", _A_FEW)
    if len(found) < most:
        found = stored(f"start_ns, {', '.join(SPAN_KEY)}")
    if len(found) == most:
        return _Latest(begun_since(min(row[0] for row in found)), are_all=False)
    # Every version of a span that meets the conditions is among these.
    keys = ", ".join(f"({slot}, {literal(trace_id)}, {literal(span_id)})" for _, slot, trace_id, span_id in found)
    return _Latest(f"({', '.join(SPAN_KEY)}) IN ({keys})" if keys else "", are_all=True)


def among(id_column: IdColumn, ids: str) -> str:
    """Return the traces, runs or sessions with some ids, which are bound."""
    match id_column:
        case "trace_id":
            return f"(SELECT * FROM traces FINAL WHERE trace_id IN {ids}) AS traces"
        case "run_id":
            return runs_among(ids)
        case "session_id":
            return sessions_among(ids)


def read_summaries(
    database: Database,
    own: IdColumn,
    columns: Sequence[str],
    rows: Sequence[Any],
    known: Mapping[str, Sequence[Any]] = MappingProxyType({}),
) -> Sequence[Any]:
    """Return rows with all columns, given their ids and positions, and the columns that are read already, by id."""
    by_id = dict(known)
    unknown = [row[0] for row in rows if row[0] not in known]
    if unknown:
        values = Values()
        ids = values.texts(unknown)
        summaries = database.rows(f"SELECT {', '.join((own, *columns))} FROM {among(own, ids)}", values)
        by_id |= {row[0]: row[1:] for row in summaries}
    # Rows that were deleted meanwhile are left out.
    return [(*by_id[row[0]], *row[1:]) for row in rows if row[0] in by_id]
