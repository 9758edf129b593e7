"""Queries for single spans and lists of spans."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from inspector.model import Event, Filter, Page, Sort
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import DUPLICATE_OF, NAMED_MODEL, Conditions, named, narrow_spans
from inspector.store.clickhouse.labels import scores_of_spans
from inspector.store.clickhouse.listing import SPAN_KEY, Source, read_page
from inspector.store.clickhouse.notes import LAST_SEQ
from inspector.store.clickhouse.slots import of_trace
from inspector.store.limits import ReadLimits
from inspector.store.values.cursor import Window, cut
from inspector.store.values.naming import taken_literally
from inspector.store.values.raw import without_raw
from inspector.store.values.served import content_of, fitting, summary_values

_SUMMARY: Final = (
    *("seq", "trace_id", "span_id", "parent_id", "session_id", "kind", "name", "status", "hook", "dialect"),
    *("service", "agent", NAMED_MODEL, "tool", "start_ns", "end_ns", "exact_times", "duration_ms"),
    *("input_tokens", "output_tokens", "cached_tokens", "cost_usd"),
    *("error_type", "error_message", "error_traceback", DUPLICATE_OF),
)
_LARGE: Final = ("input_key", "output_key", "attributes", "events", "links")
_SORTED: Final[dict[Sort, str]] = {
    "time": "start_ns",
    "duration": "duration_ms",
    "cost": "cost_usd",
    "score": "highest",
    "tokens": "coalesce(input_tokens + output_tokens, input_tokens, output_tokens)",
}
_ATTRIBUTES: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])


def read_events(
    database: Database, where: Filter, window: Window[Sort], limits: ReadLimits, *, full: bool, raw: bool
) -> Page[Event]:
    """Return one page of events."""
    list_key = ("events", where, window.sort, window.order)
    columns = SPAN_KEY if full else _SUMMARY
    literally = taken_literally(where)
    rows, following = _read_list(database, literally, window, list_key, columns)
    # Any row proves that its names are there, and spares asking for them.
    if not rows and (meant := named(database, where)) != literally:
        rows, following = _read_list(database, meant, window, list_key, columns)
    if not full:
        return Page(tuple(Event(*summary_values(row)) for row in rows), following)
    items, taken = _in_full(database, rows, limits.full_bytes, raw=raw)
    return Page(tuple(items), following if taken == len(rows) else cut(list_key, rows, taken)[1])


def _read_list(
    database: Database, where: Filter, window: Window[Sort], list_key: object, columns: Sequence[str]
) -> tuple[Sequence[Any], str | None]:
    conditions = Conditions()
    if not narrow_spans(conditions, where):
        return (), None
    table = "spans FINAL"
    if window.sort == "score":
        scores = scores_of_spans(where.labels, conditions.values)
        among = f"SELECT * FROM {table} WHERE trace_id IN (SELECT trace_id FROM ({scores}))"
        table = f"({among}) AS spans INNER JOIN ({scores}) AS scores USING (trace_id, span_id)"
    source = Source(table, _SORTED[window.sort], is_by_start=window.sort == "time")
    return read_page(database, conditions, window, list_key, source, columns)


def read_event(
    database: Database, span_id: str, trace_id: str | None, limits: ReadLimits, *, raw: bool
) -> Event | None:
    """Return one event in full, the newest if several traces have its span id."""
    del limits
    values = Values()
    where = f"span_id = {values.text(span_id)}"
    if trace_id is not None:
        where += f" AND {of_trace(values.text(trace_id))}"
    columns = ", ".join((*_SUMMARY, *_LARGE))
    row = database.row(f"SELECT {columns} FROM spans FINAL WHERE {where} ORDER BY seq DESC LIMIT 1", values)
    return None if row is None else _full_event(row, raw=raw)


def read_after(
    database: Database, seq: int, where: Filter, limits: ReadLimits, *, limit: int, full: bool
) -> tuple[Event, ...]:
    """Return the events that changed after a ``seq``, in the order of change; fewer if they are large."""
    conditions = Conditions()
    if not narrow_spans(conditions, named(database, where)):
        return ()
    conditions.add(f"seq > {conditions.values.integer(seq)} AND seq <= {LAST_SEQ}")
    columns = ", ".join(SPAN_KEY if full else _SUMMARY)
    rows = database.rows(
        f"SELECT {columns} FROM spans FINAL {conditions.where} ORDER BY seq LIMIT {limit}", conditions.values
    )
    if full:
        return tuple(_in_full(database, rows, limits.full_bytes, raw=False)[0])
    return tuple(Event(*summary_values(row)) for row in rows)


def _in_full(
    database: Database, keys: Sequence[Sequence[Any]], most_bytes: int, *, raw: bool
) -> tuple[list[Event], int]:
    """Return as many events as fit, given rows that begin with their keys, and the number of rows processed."""

    def read(at: int, count: int) -> list[Event | None]:
        wanted = keys[at : at + count]
        values = Values()
        among = ", ".join(
            f"({values.integer(slot)}, {values.text(trace_id)}, {values.text(span_id)})"
            for slot, trace_id, span_id, *_ in wanted
        )
        columns = ", ".join((*_SUMMARY, *_LARGE))
        rows = database.rows(f"SELECT {columns} FROM spans FINAL WHERE ({', '.join(SPAN_KEY)}) IN ({among})", values)
        events = {(row[1], row[2]): _full_event(row, raw=raw) for row in rows}
        return [events.get((key[1], key[2])) for key in wanted]

    return fitting(read, len(keys), most_bytes)


def _full_event(row: Sequence[Any], *, raw: bool) -> Event:
    input_key, output_key, attributes, events, links = row[len(_SUMMARY) :]
    row_attributes: bytes = attributes.encode() if raw else without_raw(attributes.encode())
    decoded = _ATTRIBUTES.decode(row_attributes)
    values: tuple[Any, ...] = (
        *summary_values(row),
        *(content_of(bytes(decoded[key]) if key in decoded else None) for key in (input_key, output_key)),
        msgspec.Raw(row_attributes),
        *(msgspec.Raw((text or "[]").encode()) for text in (events, links)),
    )
    return Event(*values)
