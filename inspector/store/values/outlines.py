"""Outlines: the structure of a trace or a run in columns, for waterfalls of many thousand spans."""

from collections.abc import Sequence
from typing import Any

from inspector.model import OutlineColumns, OutlineTables, Run, RunOutline, Trace, TraceOutline
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.rows import INT64_MAX

PLAIN = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd", "folded_into")
"""The columns of an outline's rows that follow the ones with a table.

A row has: span id, parent id, offset in ms, duration in ms; kind, status, name, agent, model, tool and error type, each
with a table; these columns; for a run, the trace id; the start time and the row id.
"""


class OutlinePage:
    """One page of an outline.

    Raises:
        CursorInvalid: The cursor belongs to another list.
    """

    def __init__(self, list_key: object, cursor: str | None, limit: int) -> None:
        self._list_key, self.limit = list_key, limit
        at_ns, row_id = read_cursor(list_key, cursor) or (-INT64_MAX, -1)
        self.after = (int(at_ns or 0), row_id)
        """The start time and row id of the last span on the previous page."""

    def of_trace(self, trace: Trace, seq: int, fetched: Sequence[Sequence[Any]]) -> TraceOutline:
        """Return the page of a trace; ``fetched`` has one row more if there is a next page."""
        rows, following = cut(self._list_key, fetched, self.limit)
        return TraceOutline(trace, seq, trace.start_time_unix_nano, *_columns(rows), following)

    def of_run(self, run: Run, seq: int, fetched: Sequence[Sequence[Any]]) -> RunOutline:
        """Return the page of a run; ``fetched`` has one row more if there is a next page."""
        rows, following = cut(self._list_key, fetched, self.limit)
        tables, columns = _columns(rows)
        traces, trace = _numbered([row[16] for row in rows])
        return RunOutline(
            run=run,
            seq=seq,
            start_time_unix_nano=run.start_time_unix_nano,
            tables=tables,
            columns=columns,
            traces=traces,
            trace=trace,
            next_cursor=following,
        )


def _columns(rows: Sequence[Sequence[Any]]) -> tuple[OutlineTables, OutlineColumns]:
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * 18
    named = [_numbered(column) for column in columns[4:11]]
    tables = OutlineTables(*(table for table, _ in named))
    folded_into = [into or None for into in columns[15]]
    return tables, OutlineColumns(
        *columns[:4], *(numbers for _, numbers in named), *columns[11:15], folded_into=folded_into
    )


def _numbered(column: Sequence[Any]) -> tuple[tuple[Any, ...], list[int]]:
    table = tuple(value for value in dict.fromkeys(column) if value is not None)
    places: dict[Any, int] = {value: at for at, value in enumerate(table)}
    places[None] = -1
    return table, [places[value] for value in column]
