"""Finds the spans of a trace or a run that contain words, with the full-text index and by scanning the rest."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection

from inspector.model import Hit, Hits
from inspector.store.limits import ReadLimits
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.rows.contents import messages, owned_by, with_strings
from inspector.store.sqlite.search.fulltext import Matches
from inspector.store.sqlite.search.phrases import query_of
from inspector.store.sqlite.sql.listing import slowly
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.values.codec import unpack
from inspector.store.values.codes import KEYS
from inspector.store.values.contents import own_ids, read_shared
from inspector.store.values.places import Places, Searched, Within
from inspector.store.values.raw import without_raw
from inspector.store.values.terms import patterns

_MOST = 1000
"""Maximum number of spans to search."""
_STEP = 50
_ROWS_PER_CHECK = 500
_COLUMNS = ", ".join(Searched._fields)


def read_hits(
    connection: Connection, q: str, place: Within, limits: ReadLimits, *, limit: int, attributes: bool
) -> Hits | None:
    """Return the spans of a trace or a run that contain words, and where; None if there is no such trace or run.

    With ``attributes``, what the full-text index lacks is searched too: attributes, events, tracebacks, running spans.
    """
    sql = f"SELECT id FROM traces WHERE {place.column} = ?"
    traces = [row[0] for row in driver(connection).execute(sql, (place.id,))]
    if not traces:
        return None
    query = query_of(connection, q)
    if query is None:
        return Hits((), 0, complete=True)
    until = time.monotonic() + limits.walk_s
    candidates, complete = _indexed(connection, json_list(traces), Matches(query, None), until)
    if attributes and complete:
        candidates, complete = _searched_too(connection, json_list(traces), candidates, q, until)
    places = Places(patterns(q))
    hits: list[Hit] = []
    looked = 0
    for at in range(0, min(len(candidates), _MOST), _STEP):
        row_ids = candidates[at : min(at + _STEP, _MOST)]
        if len(hits) >= limit or (looked and time.monotonic() > until):
            break
        hits += _hits(connection, row_ids, places)
        looked += len(row_ids)
    total = len(hits) + len(candidates) - looked
    return Hits(tuple(hits[:limit]), total, complete and looked == len(candidates))


def _hits(connection: Connection, row_ids: Sequence[int], places: Places) -> Iterator[Hit]:
    sql = f"SELECT {_COLUMNS} FROM spans WHERE id IN (SELECT value FROM json_each(?))"
    rows = {row[0]: _searched(row) for row in driver(connection).execute(sql, (json_list(row_ids),))}
    sharing = {row_id: read_shared(row.shared) for row_id, row in rows.items() if row.shared is not None}
    owned = owned_by(connection, sharing.keys()) | messages(connection, own_ids(sharing.values()))
    texts = with_strings(connection, owned)
    for row_id in row_ids:
        row = rows[row_id]
        hit_places = places.of(row, sharing.get(row_id, {}), texts)
        if hit_places is not None:
            yield Hit(row.span_id, hit_places)


def _searched(row: Sequence[Any]) -> Searched:
    searched = Searched._make(row)
    return searched._replace(input_key=KEYS.name(searched.input_key), output_key=KEYS.name(searched.output_key))


def _indexed(connection: Connection, traces: str, matches: Matches, until: float) -> tuple[list[int], bool]:
    """Return the rows that the index finds, in the order the spans began, and whether these are all."""
    rows = driver(connection).execute(
        # The plus keeps the planner from looking up the spans one by one.
        "SELECT id FROM spans WHERE trace_id IN (SELECT value FROM json_each(?)) "
        "AND +id IN (SELECT rowid FROM search WHERE search MATCH ?) ORDER BY start_ns, id",
        (traces, matches.query.match),
    )
    with_words = rows.fetchall()
    found, tested = slowly(connection, with_words, matches.slow, most=len(with_words) + 1, until=until)
    return [row[0] for row in found], tested == len(with_words)


def _searched_too(
    connection: Connection, traces: str, indexed: Sequence[int], q: str, until: float
) -> tuple[list[int], bool]:
    """Return these rows and those whose other texts have the words, and whether these are all."""
    known = set(indexed)
    terms = patterns(q)
    row_ids: list[int] = []
    complete = True
    rows: Any = driver(connection).execute(
        "SELECT id, name, error_message, error_traceback, attributes, events FROM spans "
        "WHERE trace_id IN (SELECT value FROM json_each(?)) ORDER BY start_ns, id",
        (traces,),
    )
    for at, (row_id, name, error, traceback, attributes, events) in enumerate(rows):
        if row_id in known:
            row_ids.append(row_id)
        elif complete:
            recorded = without_raw(unpack(attributes)).decode(errors="replace")
            event_text = "" if events is None else unpack(events).decode(errors="replace")
            text = "\n".join((name, error or "", traceback or "", recorded, event_text))
            if all(term.search(text) for term in terms):
                row_ids.append(row_id)
            complete = at % _ROWS_PER_CHECK != 0 or time.monotonic() < until
    return row_ids, complete
