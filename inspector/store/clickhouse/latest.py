"""Reads the latest traces and runs that meet a filter, stretch by stretch of time, without scanning all.

What is stored, of any version, shows where to look: the spans or traces that have what the filter asks for. Only what
began in one stretch of time is then read as it is now. The next stretch is the time before it.
"""

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from inspector.model import RunSort, TraceSort
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.listing import ListPosition, among, read_summaries
from inspector.store.clickhouse.slots import begun_since
from inspector.store.clickhouse.summary_filters import Own, SummaryFilter
from inspector.store.clickhouse.tables import traces_among
from inspector.store.errors import QueryTooSlow
from inspector.store.limits import ReadLimits
from inspector.store.values.cursor import Window, cut, read_cursor, write_cursor
from inspector.store.values.rows import INT64_MAX, clamp

_STEPS: Final = (2, 8, 64)
"""How many traces are looked for in each stretch, per row of the page."""
_LAST_STEP: Final = 512
"""The same for all later ones."""
_OF_RUN: Final = 3
"""How many times as many if any trace will do, of which runs have several: another stretch takes longer."""
_SPANS: Final = 50
"""Spans to scan per trace that is looked for; if traces have more, fewer traces are found."""
_MATCHES: Final = 5
"""The same, if only spans that match a filter are scanned."""
_FEW: Final = 1000
"""Up to this many traces are found by the index of their ids; for more, scanning their times is faster."""
_FEW_READ: Final = 400
"""Up to this many traces or runs are read by the index of their ids; for more, scanning all is faster."""
_SPARE: Final = 1.5
"""Up to this many per row of the page are read with all columns at once; of more, only those that are shown."""
_EVER: Final = -INT64_MAX


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time, with the ids of all that began in it and may meet the filter, and of some others."""

    since_ns: int
    until_ns: int
    ids: Sequence[str] | None
    """None if only reading them all shows which they are."""
    spans_in: str
    """The condition for where the spans that the filter asks for are stored."""
    is_last: bool


def read_latest(
    database: Database,
    filtered: SummaryFilter,
    window: Window[TraceSort] | Window[RunSort],
    list_key: object,
    columns: Sequence[str],
    limits: ReadLimits,
) -> tuple[Sequence[Any], str | None]:
    """Return the rows of one page of traces or runs, the latest first, and the cursor of the next page.

    If the filter leaves few and time is over, or a stretch takes too long after others, the page has fewer rows, and
    the next one continues further back.

    Raises:
        CursorInvalid: The cursor belongs to another list.
        QueryTooSlow: The first stretch takes too long.
    """
    place = ListPosition(read_cursor(list_key, window.cursor), "start_ns", "<")
    wanted = window.limit + 1
    until = time.monotonic() + limits.walk_s
    rows: list[Any] = []
    known: dict[str, Sequence[Any]] = {}
    left_ns = None
    try:
        for stretch in _stretches(database, filtered, wanted, place):
            most = wanted - len(rows)
            are_most_shown = stretch.ids is not None and len(stretch.ids) <= _SPARE * most
            found = _read(database, filtered, stretch, place, columns if are_most_shown else (), most)
            rows += ((row[0], *row[-2:]) for row in found)
            known |= {row[0]: row[1:-2] for row in found if are_most_shown}
            left_ns = None if stretch.is_last or len(rows) >= wanted else stretch.since_ns - 1
            if len(rows) >= wanted or time.monotonic() > until:
                break
    except QueryTooSlow:
        if left_ns is None:
            raise
    if left_ns is not None:
        page, following = rows, write_cursor(list_key, (left_ns, INT64_MAX))
    else:
        page, following = cut(list_key, rows, window.limit)
    return read_summaries(database, filtered.own, columns, page, known), following


def _read(
    database: Database,
    filtered: SummaryFilter,
    stretch: Stretch,
    place: ListPosition,
    columns: Sequence[str],
    most: int,
) -> Sequence[Any]:
    """Return the latest of a stretch: their ids, these columns, and their positions."""
    if stretch.ids is not None and not stretch.ids:
        return ()
    own, values = filtered.own, Values()
    table, traces_in, further = "runs" if own == "run_id" else "traces FINAL", "true", "true"
    if stretch.ids is not None:
        ids = values.texts(stretch.ids)
        if len(stretch.ids) <= _FEW_READ:
            table, traces_in = among(own, ids), traces_among(ids)
        else:
            further = f"{_scanned(own)} IN {ids}"
    conditions = filtered.conditions(values, spans_in=stretch.spans_in, traces_in=traces_in)
    conditions.add(further, place.condition(values), _within(stretch.since_ns, stretch.until_ns))
    return database.rows(
        f"SELECT {', '.join((own, *columns))}, start_ns AS began_ns, id FROM {table} {conditions.where} "
        f"ORDER BY began_ns DESC, id DESC LIMIT {most}",
        values,
    )


def _stretches(database: Database, filtered: SummaryFilter, rows: int, place: ListPosition) -> Iterator[Stretch]:
    """Yield stretches, each earlier than the one before, as long as there may be more."""
    where = filtered.where
    floor_ns = _EVER if where.since_ns is None else clamp(where.since_ns)
    until_ns = INT64_MAX if where.until_ns is None else clamp(where.until_ns - 1)
    if place.after is not None and isinstance(place.after[0], int):
        until_ns = min(until_ns, place.after[0])
    is_shown = filtered.of_span is not None or bool(filtered.signs(Values()))
    steps = itertools.chain(_STEPS, itertools.repeat(_LAST_STEP) if is_shown else ())
    rows *= 1 if is_shown or filtered.own == "trace_id" else _OF_RUN
    for step in steps:
        if until_ns < floor_ns:
            return
        since_ns = _since(database, filtered, rows * step, (floor_ns, until_ns))
        yield _stretch(database, filtered, rows * step, (since_ns, until_ns), is_last=since_ns == floor_ns)
        until_ns = since_ns - 1
    if until_ns >= floor_ns:
        yield Stretch(floor_ns, until_ns, None, "true", is_last=True)


def _since(database: Database, filtered: SummaryFilter, count: int, between: tuple[int, int]) -> int:
    """Return the latest time since which about this many began; the first of the two times if there are fewer."""
    values = Values()
    matching, signs = filtered.matching(values, roughly=True), filtered.signs(values)
    within = _within(*between)
    if matching is None and signs:
        rows = f"SELECT start_ns FROM traces WHERE {within} AND {signs[0]} ORDER BY start_ns DESC LIMIT {count}"
        earliest = database.row(f"SELECT min(start_ns), count() FROM ({rows})", values)
        return earliest[0] if earliest is not None and earliest[1] == count else between[0]
    most = count * (_SPANS if matching is None else _MATCHES)
    # Replaced versions of rows may shift the limit a little, which does not matter.
    spans = (
        f"SELECT trace_id, start_ns FROM spans WHERE {within} AND {matching or 'true'} ORDER BY slot DESC LIMIT {most}"
    )
    firsts = f"SELECT min(start_ns) AS first_ns, count() AS found FROM ({spans}) GROUP BY trace_id"
    latest = f"arrayResize(arrayReverseSort(groupArray(first_ns)), least(count(), {count}))"
    row = database.row(f"SELECT arrayMin({latest}), count(), sum(found) FROM ({firsts})", values)
    since_ns, traces, read = (0, 0, 0) if row is None else row
    return since_ns if traces > count or read == most else between[0]


def _stretch(
    database: Database, filtered: SummaryFilter, count: int, between: tuple[int, int], *, is_last: bool
) -> Stretch:
    own, values = filtered.own, Values()
    since_ns, until_ns = between
    within = _within(since_ns, until_ns)
    matching, signs = filtered.matching(values, roughly=True), filtered.signs(values)
    spans_in = begun_since(since_ns) if since_ns > _EVER else "true"
    if until_ns < INT64_MAX:
        # A run that began in this time may go on after it.
        begun = f"SELECT {own} FROM traces WHERE {within}"
        spans_in += f" AND slot <= (SELECT max(last_slot) FROM traces WHERE {_scanned(own)} IN ({begun}))"
    # Of a trace or run that began in this time, its first trace did, and all of its spans began since then.
    conditions = [within]
    few = "trace_id" if count <= _FEW else _scanned("trace_id")
    if matching is not None:
        spans = f"SELECT trace_id FROM spans WHERE {matching} AND {spans_in}"
        has = f"{few} IN ({spans})"
        if own == "run_id":
            has = f"{_scanned(own)} IN (SELECT run_id FROM traces WHERE {has})"
        conditions.append(f"({has} OR run_id IN {values.texts(filtered.inferring)})" if filtered.inferring else has)
    elif not signs and count <= _FEW:
        conditions.append(f"trace_id IN (SELECT trace_id FROM spans WHERE {within} AND {spans_in})")
    if own == "trace_id":
        conditions += signs
    else:
        later_runs = f"SELECT run_id FROM traces WHERE {_within(since_ns, INT64_MAX)}"
        conditions += [f"{_scanned(own)} IN ({later_runs} AND {sign})" for sign in signs]
    rows = database.rows(f"SELECT DISTINCT {own} FROM traces WHERE {' AND '.join(conditions)}", values)
    return Stretch(since_ns, until_ns, [row[0] for row in rows], spans_in, is_last)


def _within(since_ns: int, until_ns: int) -> str:
    """Return the condition for a start between two times; an extreme one excludes nothing, and would only cost time."""
    bounds = [f"start_ns >= {since_ns}"] if since_ns > _EVER else []
    bounds += [f"start_ns <= {until_ns}"] if until_ns < INT64_MAX else []
    return " AND ".join(bounds) or "true"


def _scanned(own: Own) -> str:
    """Return a column of ids in a form that has no index: searching that for many ids takes longer than reading all."""
    return f"toString({own})"
