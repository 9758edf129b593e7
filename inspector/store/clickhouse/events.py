"""Questions about spans, one by one and as lists."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from inspector.model import Event, Filter, Page, Sort
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import NAMED_MODEL, Question, ask_spans, named
from inspector.store.clickhouse.listing import Window, read_page
from inspector.store.clickhouse.numbers import LAST_SEQ
from inspector.store.errors import StoreError
from inspector.store.values.raw import without_raw
from inspector.store.values.served import content_of, summary_values

_SUMMARY: Final = (
    *("seq", "trace_id", "span_id", "parent_id", "session_id", "kind", "name", "status", "hook", "dialect"),
    *("service", "agent", NAMED_MODEL, "tool", "start_ns", "end_ns", "exact_times", "duration_ms"),
    *("input_tokens", "output_tokens", "cached_tokens", "cost_usd"),
    *("error_type", "error_message", "error_traceback", "folded_into"),
)
_LARGE: Final = ("input_key", "output_key", "attributes", "events", "links")
_SORTED: Final[dict[Sort, str]] = {
    "time": "start_ns",
    "duration": "duration_ms",
    "cost": "cost_usd",
    "tokens": "coalesce(input_tokens + output_tokens, input_tokens, output_tokens)",
}
_ATTRIBUTES: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_STEP: Final = 64
"""Events in full that are read at a time, since they may be large."""


def read_events(
    database: Database, where: Filter, window: Window[Sort], *, full_bytes: int | None, raw: bool
) -> Page[Event]:
    """Returns one page of events, in full where ``full_bytes`` says how many bytes of them a page may have."""
    if window.sort not in _SORTED:
        raise StoreError(f"lists of events by {window.sort} are not answered from ClickHouse yet; sort them by time")
    question = Question()
    if not ask_spans(question, named(database, where)):
        return Page(())
    if full_bytes is None:
        rows, following = _page(database, question, where, window, _SUMMARY)
        return Page(tuple(Event(*summary_values(row)) for row in rows), following)
    kept: list[Event] = []
    size, cursor = 0, window.cursor
    while True:
        step = replace(window, cursor=cursor, limit=min(_STEP, window.limit - len(kept)))
        rows, following = _page(database, question, where, step, (*_SUMMARY, *_LARGE))
        found = [_whole(row, raw=raw) for row in rows]
        fitting = list(_fitting(found, size, full_bytes, first=not kept))
        kept += fitting
        size += sum(map(_size_of, fitting))
        if len(fitting) < len(found):
            # The page ends behind the last that fits.
            if fitting:
                _, cursor = _page(database, question, where, replace(step, limit=len(fitting)), ("seq",))
            return Page(tuple(kept), cursor)
        if following is None or len(kept) >= window.limit:
            return Page(tuple(kept), following)
        cursor = following


def _page(
    database: Database, question: Question, where: Filter, window: Window[Sort], columns: Sequence[str]
) -> tuple[Sequence[Any], str | None]:
    list_of = ("events", where, window.sort, window.order)
    value = _SORTED[window.sort]
    return read_page(database, question, window, list_of, table="spans FINAL", columns=columns, value=value)


def read_event(database: Database, span_id: str, trace_id: str | None, *, raw: bool) -> Event | None:
    """Returns one event in full, the newest of several."""
    values = Values()
    where = f"span_id = {values.text(span_id)}"
    if trace_id is not None:
        where += f" AND trace_id = {values.text(trace_id)}"
    columns = ", ".join((*_SUMMARY, *_LARGE))
    row = database.row(f"SELECT {columns} FROM spans FINAL WHERE {where} ORDER BY seq DESC LIMIT 1", values)
    return None if row is None else _whole(row, raw=raw)


def read_after(database: Database, seq: int, where: Filter, *, limit: int, full_bytes: int | None) -> tuple[Event, ...]:
    """Returns what changed after a number, in the order of change; less than there is where it is large."""
    question = Question()
    if not ask_spans(question, named(database, where)):
        return ()
    question.meets(f"seq > {question.values.whole(seq)} AND seq <= {LAST_SEQ}")
    columns = _SUMMARY if full_bytes is None else (*_SUMMARY, *_LARGE)
    step = limit if full_bytes is None else min(limit, _STEP)
    rows = database.rows(
        f"SELECT {', '.join(columns)} FROM spans FINAL {question.where} ORDER BY seq LIMIT {step}", question.values
    )
    if full_bytes is None:
        return tuple(Event(*summary_values(row)) for row in rows)
    return tuple(_fitting([_whole(row, raw=False) for row in rows], 0, full_bytes, first=True))


def _fitting(events: Sequence[Event], size: int, most_bytes: int, *, first: bool) -> Iterator[Event]:
    """Yields events until they are too large; the first of a page comes in any case."""
    for event in events:
        size += _size_of(event)
        if size > most_bytes and not first:
            return
        first = False
        yield event


def _size_of(event: Event) -> int:
    large = (event.input, event.output, event.attributes, event.events, event.links)
    traceback = event.error.traceback if event.error is not None else None
    return sum(len(bytes(text)) for text in large if isinstance(text, msgspec.Raw)) + len(traceback or "")


def _whole(row: Sequence[Any], *, raw: bool) -> Event:
    input_key, output_key, attributes, events, links = row[len(_SUMMARY) :]
    own: bytes = attributes.encode() if raw else without_raw(attributes.encode())
    found = _ATTRIBUTES.decode(own)
    values: tuple[Any, ...] = (
        *summary_values(row),
        *(content_of(bytes(found[key]) if key in found else None) for key in (input_key, output_key)),
        msgspec.Raw(own),
        *(msgspec.Raw((text or "[]").encode()) for text in (events, links)),
    )
    return Event(*values)
