"""Keyset pages: sorted lists that never skip or repeat an item."""

from collections.abc import Sequence
from typing import Any

from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import Question
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.window import S, Window


def read_page(  # what a page is made of
    database: Database,
    question: Question,
    window: Window[S],
    list_of: object,
    *,
    table: str,
    columns: Sequence[str],
    value: str,
) -> tuple[Sequence[Any], str | None]:
    """Returns the rows of one page, each with its place behind the columns, and the cursor of the next one.

    Args:
        database: Where they are.
        question: What they must meet.
        window: Which of them are wanted.
        list_of: All that defines the list.
        table: Where from.
        columns: What of each is wanted.
        value: What they are sorted by; those without it come last. Their ids break ties, in the same order.

    Raises:
        CursorInvalid: The cursor belongs to another list.
    """
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
    rows = database.rows(
        f"SELECT {', '.join(columns)}, {value} AS sorted, id FROM {table} {where} "
        f"ORDER BY sorted {way} NULLS LAST, id {way} LIMIT {window.limit + 1}",
        values,
    )
    return cut(list_of, rows, window.limit)
