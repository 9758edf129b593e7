"""Keyset pages: sorted lists that never skip or repeat an item."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import Question
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.window import S, Window

_AHEAD: Final = 4
"""Rows that are looked at for each that is wanted."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a list come from, and what sorts them."""

    table: str
    value: str
    """What they are sorted by; those without it come last. Their ids break ties, in the same order."""
    along: str = ""
    """The column in whose order they lie, where it grows along with the value, which all have: the latest are then
    found without a look at all."""


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
    table, value = source.table, source.value
    beyond, way = ("<", "DESC") if window.order == "desc" else (">", "ASC")
    after = read_cursor(list_of, window.cursor)
    values = Values(dict(question.values.bound))
    where = question.where
    if after is not None:
        last, row_id = after
        further = f"id {beyond} {values.whole(row_id)}"
        if last is None:
            where += f" AND {value} IS NULL AND {further}"
        else:
            at = values.whole(last) if isinstance(last, int) else values.real(last)
            where += f" AND ({value} {beyond} {at} OR ({value} = {at} AND {further}) OR {value} IS NULL)"

    def read(where: str) -> Sequence[Any]:
        return database.rows(
            f"SELECT {', '.join(columns)}, {value} AS sorted, id FROM {table} {where} "
            f"ORDER BY sorted {way} NULLS LAST, id {way} LIMIT {window.limit + 1}",
            values,
        )

    rows: Sequence[Any] = ()
    if source.along and window.order == "desc":
        stored, most = table.removesuffix(" FINAL"), _AHEAD * (window.limit + 1)
        found = database.rows(f"SELECT {value} FROM {stored} {where} ORDER BY {source.along} DESC LIMIT {most}", values)
        if len(found) == most:
            rows = read(f"{where} AND {value} >= {values.whole(min(row[0] for row in found))}")
    # Of what is stored some rows are replaced by others, of which fewer may be left.
    if len(rows) <= window.limit:
        rows = read(where)
    return cut(list_of, rows, window.limit)
