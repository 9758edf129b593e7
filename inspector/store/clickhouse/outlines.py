"""Outlines of traces and runs, places of words in them, and previews of their calls."""

from collections.abc import Sequence
from typing import Any, Final

from inspector.model import Filter, Hit, Hits, Preview, Run, Trace
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import NAMED_MODEL, Conditions, narrow_spans, text_at
from inspector.store.clickhouse.slots import of_run, of_trace, of_traces
from inspector.store.limits import ReadLimits
from inspector.store.values.outlines import PLAIN
from inspector.store.values.places import Places, Searched, Within
from inspector.store.values.previews import preview_of
from inspector.store.values.raw import without_raw
from inspector.store.values.terms import patterns
from inspector.store.values.words import words_of

_NAMED: Final = ("kind", "status", "name", "agent", NAMED_MODEL, "tool", "error_type")
_MOST_HITS: Final = 1000
_SEARCHED: Final = tuple(name for name in Searched._fields if name not in ("shared", "attributes", "events"))


def read_outline_rows(
    database: Database, summary: Trace | Run, after: tuple[int, int], limit: int
) -> Sequence[Sequence[Any]]:
    """Return the rows of a page, as `inspector.store.values.outlines` reads them."""
    values = Values()
    if isinstance(summary, Run):
        among = of_run(values.text(summary.run_id))
        named = (*_NAMED, *PLAIN, "trace_id")
    else:
        among, named = of_trace(values.text(summary.trace_id)), (*_NAMED, *PLAIN)
    after_ns, after_id = after
    first, last = values.integer(int(summary.start_time_unix_nano)), values.integer(after_ns)
    return database.rows(
        f"SELECT span_id, parent_id, (start_ns - {first}) / 1e6, duration_ms, "
        f"{', '.join(named)}, start_ns, id FROM spans FINAL WHERE {among} AND start_ns >= {last} "
        f"AND (start_ns > {last} OR id > {values.integer(after_id)}) ORDER BY start_ns, id LIMIT {limit}",
        values,
    )


def read_hits(
    database: Database, q: str, place: Within, limits: ReadLimits, *, limit: int, attributes: bool
) -> Hits | None:
    """Return the spans of a trace or a run that contain words, and where; None if there is no such trace or run."""
    del limits
    conditions = Conditions()
    values = conditions.values
    place_id = values.text(place.id)
    if database.row(f"SELECT 1 FROM traces WHERE {place.column} = {place_id} LIMIT 1", values) is None:
        return None
    conditions.add(of_run(place_id) if place.column == "run_id" else of_trace(place_id))
    search = Conditions(values=values)
    if not narrow_spans(search, Filter(q=q)) or not search.all:
        return Hits((), 0, complete=True)
    terms = patterns(q)
    matches = " AND ".join(search.all)
    if attributes:
        # Not indexed are words that only attributes or the frames of tracebacks have, and running spans.
        texts = ("name", "ifNull(error_message, '')", "ifNull(error_traceback, '')", "attributes", "ifNull(events, '')")
        everything = f"concatWithSeparator('\\n', {', '.join(texts)})"
        looked = (f"position(lower({everything}), {values.text(word)}) > 0" for word in words_of(q).split())
        matches = f"(({matches}) OR ({' AND '.join(looked)}))"
    conditions.add(matches)
    rows = database.rows(
        f"SELECT {', '.join(_SEARCHED)}, attributes, events FROM spans FINAL {conditions.where} "
        f"ORDER BY start_ns, id LIMIT {_MOST_HITS + 1}",
        values,
    )
    places = Places(terms)
    hits: list[Hit] = []
    for *fields, text, events in rows[:_MOST_HITS]:
        found: tuple[Any, ...] = (*fields, None, without_raw(text.encode()), events and events.encode())
        row = Searched._make(found)
        hit_places = places.of(row, {}, {})
        if hit_places is not None and (hit_places or not attributes):
            hits.append(Hit(row.span_id, hit_places))
    return Hits(tuple(hits[:limit]), len(hits), complete=len(rows) <= _MOST_HITS)


def read_previews(
    database: Database, run_id: str | None, trace_ids: Sequence[str], span_ids: Sequence[str]
) -> tuple[Preview, ...]:
    """Return the previews of some spans of a run, or of some traces, in no particular order."""
    values = Values()
    if run_id is None:
        its = f"trace_id IN {values.texts(trace_ids)} AND {of_traces(database, trace_ids)}"
    else:
        its = of_run(values.text(run_id), f" AND trace_id IN {values.texts(trace_ids)}" if trace_ids else "")
    named = {key: text_at("attributes", [f"ifNull({key}, '')"]) for key in ("input_key", "output_key")}
    input_sql, output_sql = (f"if({key} IS NULL, NULL, {text})" for key, text in named.items())
    rows = database.rows(
        f"SELECT trace_id, span_id, kind, {input_sql}, {output_sql}, error_type, error_message FROM spans FINAL "
        f"WHERE {its} AND span_id IN {values.texts(span_ids)}",
        values,
    )
    return tuple(
        preview_of((trace, span), kind, (asked or None, answered or None), error)
        for trace, span, kind, asked, answered, *error in rows
    )
