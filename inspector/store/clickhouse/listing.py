"""Keyset pages: sorted lists that never skip or repeat an item."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import Question
from inspector.store.clickhouse.latest import latest
from inspector.store.clickhouse.tables import runs_among
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.window import S, Window

_AHEAD: Final = 4
"""Rows that are looked at for each that is wanted."""
_STEPS: Final = (2, 8, 64, 512)
"""Traces that are looked at for each that is wanted, one after the other until the page is full."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a list come from, and what sorts them."""

    table: str
    value: str
    """What they are sorted by; those without it come last. Their ids break ties, in the same order."""
    along: str = ""
    """The column in whose order they lie, where it grows along with the value, which all have: the latest are then
    found without a look at all."""
    whole: str = ""
    """What identifies them, where they are made of spans and have many columns: they are read of the page alone, and
    where the value is when they began, the latest are found without a look at all."""


@dataclass(frozen=True, slots=True)
class _Place:
    """What follows a row in a list."""

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
    question: Question,
    window: Window[S],
    list_of: object,
    source: Source,
    columns: Sequence[str],
) -> tuple[Sequence[Any], str | None]:
    """Returns the rows of one page, each with its place behind the columns, and the cursor of the next one.

    Args:
        database: Where they are.
        question: What they must meet.
        window: Which of them are wanted.
        list_of: All that defines the list.
        source: Where from, in which order.
        columns: What of each is wanted.

    Raises:
        CursorInvalid: The cursor belongs to another list.
    """
    beyond, way = ("<", "DESC") if window.order == "desc" else (">", "ASC")
    after = read_cursor(list_of, window.cursor)
    values = Values(dict(question.values.bound))
    where = f"{question.where} AND {_Place(after, source.value, beyond).met(values)}"
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
    """Yields where the latest rows are and since when these are all, further back each time."""
    if source.along:
        most = _AHEAD * wanted
        stored = source.table.removesuffix(" FINAL")
        found = database.rows(
            f"SELECT {source.value} FROM {stored} {where} ORDER BY {source.along} DESC LIMIT {most}", values
        )
        # Of what is stored some rows are replaced by others, of which fewer may be left.
        if len(found) == most:
            yield source.table, min(row[0] for row in found)
    elif source.whole and source.value == "start_ns":
        counts = [wanted * times for times in _STEPS]
        for since_ns, ids in latest(database, source.whole, counts, values, None if after is None else after[0]):
            yield _among(source.whole, ids), since_ns


def _among(own: str, ids: str) -> str:
    return runs_among(ids) if own == "run_id" else f"(SELECT * FROM traces FINAL WHERE trace_id IN {ids}) AS traces"


def _whole(database: Database, own: str, columns: Sequence[str], rows: Sequence[Any]) -> Sequence[Any]:
    """Returns rows with all columns, of which what identifies them and their places were read."""
    if not rows:
        return ()
    values = Values()
    ids = values.texts([row[0] for row in rows])
    found = database.rows(f"SELECT {', '.join((own, *columns))} FROM {_among(own, ids)}", values)
    by_id = {row[0]: row[1:] for row in found}
    # One that is gone by now is left out.
    return [(*by_id[row[0]], *row[1:]) for row in rows if row[0] in by_id]
