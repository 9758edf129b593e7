"""Labels of runs and spans: writing, finding and removing them."""

import operator
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, and_, func, or_, select, union_all

from inspector.model import NOTE, OPPOSITES, Comparison, Label, LabelFilter, NewLabel, Page, Run
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.listing import Ranking, page_rows
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.tables import labels, runs, spans, traces
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.labels import MOST_SHOWN, columns_of, label_of
from inspector.store.values.rows import clamp, clean

_l = labels.c
_COLUMNS = "run_id, trace_id, span_id, name, score, value, note, author, source, time_ns"
_LABEL = (_l.run_id, _l.trace_id, _l.span_id, _l.name, _l.score, _l.value, _l.note, _l.author, _l.source, _l.time_ns)


def write_labels(connection: Connection, labels: Iterable[NewLabel]) -> list[int]:
    """Store storable labels, and return their ids.

    A label replaces an earlier one with the same name, author and source on the same target; good and bad replace each
    other. Notes do not replace each other, except for one with the same text.
    """
    execute = driver(connection).execute
    ids: list[int] = []
    for label in labels:
        values = columns_of(label)
        target, name, note, author, source, time_ns = values[:3], label.name, *values[6:]
        names = json_list(OPPOSITES if name in OPPOSITES else (name,))
        known = execute(
            "SELECT id, time_ns FROM labels WHERE run_id = ? AND trace_id = ? AND span_id = ? "
            "AND name IN (SELECT value FROM json_each(?)) AND author = ? AND source = ? AND (name <> ? OR note IS ?)",
            (*target, names, author, source, NOTE, note),
        ).fetchall()
        later = next((row_id for row_id, at_ns in known if at_ns > time_ns), None)
        if later is not None:
            ids.append(later)
            continue
        execute(
            "DELETE FROM labels WHERE id IN (SELECT value FROM json_each(?))",
            (json_list([row_id for row_id, _ in known]),),
        )
        inserted = execute(f"INSERT INTO labels ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        ids.append(inserted.lastrowid or 0)
    return ids


def set_label(connection: Connection, label: NewLabel) -> Label | None:
    """Store and return a storable label; None if there is no such run or span."""
    if label.run_id is not None:
        row = select(runs.c.id).where(runs.c.run_id == label.run_id)
    else:
        of_trace = select(traces.c.id).where(traces.c.trace_id == (label.trace_id or "")).scalar_subquery()
        row = select(spans.c.id).where(spans.c.trace_id == of_trace, spans.c.span_id == (label.span_id or ""))
    if connection.execute(row).first() is None:
        return None
    return _by_id(connection, write_labels(connection, [label])[0])


def remove_label(connection: Connection, label_id: str) -> Label | None:
    """Remove and return a label; None if there is no such label."""
    label = _by_id(connection, int(label_id))
    if label is not None:
        driver(connection).execute("DELETE FROM labels WHERE id = ?", (int(label_id),))
    return label


def _by_id(connection: Connection, row_id: int) -> Label | None:
    row = connection.execute(select(_l.id, *_LABEL).where(_l.id == clamp(row_id))).first()
    return None if row is None else label_of(row)


def forget_labels(connection: Connection, trace_ids: Collection[str], run_ids: Collection[str]) -> None:
    """Remove the labels of deleted traces, and of those runs that have no traces left."""
    execute = driver(connection).execute
    execute("DELETE FROM labels WHERE trace_id IN (SELECT value FROM json_each(?))", (json_list([*trace_ids]),))
    execute(
        "DELETE FROM labels WHERE run_id IN (SELECT value FROM json_each(?)) "
        "AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.run_id = labels.run_id)",
        (json_list([run_id for run_id in run_ids if run_id]),),
    )


def forget_stray_labels(connection: Connection, before_ns: int) -> None:
    """Remove labels from before a time whose run or trace was never recorded."""
    driver(connection).execute(
        "DELETE FROM labels WHERE time_ns < ? AND CASE trace_id "
        "WHEN '' THEN NOT EXISTS (SELECT 1 FROM runs WHERE runs.run_id = labels.run_id) "
        "ELSE NOT EXISTS (SELECT 1 FROM traces WHERE traces.trace_id = labels.trace_id) END",
        (clamp(before_ns),),
    )


def read_labels(
    connection: Connection,
    *,
    run_id: str | None,
    trace_id: str | None,
    span_id: str | None,
    cursor: str | None,
    limit: int,
) -> Page[Label]:
    """Return one page of labels, the latest first; those of a run include those of its spans."""
    list_key = ("labels", run_id, trace_id, span_id)
    ranking = Ranking(_l.time_ns, _l.id, "desc", read_cursor(list_key, cursor))
    query = select(_l.id, *_LABEL, _l.time_ns, _l.id)
    if run_id is not None:
        query = query.where(or_(_l.run_id == clean(run_id), _l.trace_id.in_(_traces_of((clean(run_id),)))))
    if trace_id is not None:
        query = query.where(_l.trace_id == clean(trace_id))
    if span_id is not None:
        query = query.where(_l.span_id == clean(span_id))
    rows, following = cut(list_key, page_rows(connection, query, ranking, limit + 1), limit)
    return Page(tuple(map(label_of, rows)), following)


def _traces_of(run_ids: Collection[str]) -> Select[tuple[str]]:
    return select(traces.c.trace_id).where(traces.c.run_id.in_(run_ids))


def with_labels(connection: Connection, items: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs with their latest labels."""
    run_ids = [run.run_id for run in items]
    of_runs = select(_l.run_id, _l.id, *_LABEL).where(_l.run_id.in_(run_ids), _l.run_id != "")
    of_spans = select(traces.c.run_id, _l.id, *_LABEL).join(traces, traces.c.trace_id == _l.trace_id)
    labels: dict[str, list[Label]] = {}
    for query in (of_runs, of_spans.where(traces.c.run_id.in_(run_ids))):
        for run_id, *row in connection.execute(query.order_by(_l.time_ns.desc(), _l.id.desc())):
            its = labels.setdefault(run_id, [])
            if len(its) < MOST_SHOWN:
                its.append(label_of(row))
    if not labels:
        return tuple(items)
    return tuple(replace(run, labels=tuple(labels.get(run.run_id, ()))) for run in items)


_COMPARED: dict[Comparison, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def _matches(label: LabelFilter) -> ColumnElement[bool]:
    name = _l.name == clean(label.name)
    if label.comparison is None:
        return name
    try:
        met = _COMPARED[label.comparison](_l.score, float(label.operand))
    except ValueError:
        return and_(name, _l.value == clean(label.operand))
    return and_(name, or_(_l.value == clean(label.operand), met) if label.comparison == "=" else met)


def runs_labelled(filters: Iterable[LabelFilter]) -> list[ColumnElement[bool]]:
    """Return the conditions for runs that have each of these labels, on themselves or on one of their spans."""
    return [runs.c.run_id.in_(_runs_with(_matches(each))) for each in filters]


def _runs_with(met: ColumnElement[bool]) -> Any:
    of_runs = select(_l.run_id).where(met, _l.run_id != "")
    return union_all(of_runs, select(traces.c.run_id).join(labels, _l.trace_id == traces.c.trace_id).where(met))


def traces_labelled(filters: Iterable[LabelFilter]) -> list[ColumnElement[bool]]:
    """Return the conditions for traces that have each of these labels, on one of their spans or on their run."""
    t = traces.c
    return [
        or_(
            t.trace_id.in_(select(_l.trace_id).where(met, _l.trace_id != "")),
            t.run_id.in_(select(_l.run_id).where(met, _l.run_id != "")),
        )
        for met in map(_matches, filters)
    ]


_labelled = spans.alias("labelled")
"""An alias, so that it stays a subquery within queries of spans."""
_its_trace = traces.alias("labelled_trace")
_SPANS = (
    labels.join(_its_trace, _its_trace.c.trace_id == _l.trace_id)
    .join(_labelled, and_(_labelled.c.trace_id == _its_trace.c.id, _labelled.c.span_id == _l.span_id))
)  # fmt: skip


def spans_labelled(filters: Iterable[LabelFilter]) -> list[ColumnElement[bool]]:
    """Return the conditions for spans that have each of these labels."""
    return [spans.c.id.in_(_spans_with(_matches(each))) for each in filters]


def _spans_with(met: ColumnElement[bool]) -> Select[tuple[int]]:
    return select(_labelled.c.id).select_from(_SPANS).where(met)


KEY = _l.name + func.coalesce("=" + _l.value, "")
"""The key of a label in statistics, which is also how filters name it."""


def keys_by_span(connection: Connection) -> dict[int, list[tuple[str, float | None]]]:
    """Return the `KEY` and score of every label on a span, by the row id of the span."""
    keys: dict[int, list[tuple[str, float | None]]] = {}
    for row_id, key, score in connection.execute(select(_labelled.c.id, KEY, _l.score).select_from(_SPANS)):
        keys.setdefault(row_id, []).append((key, score))
    return keys


def keys_of_runs() -> Select[*tuple[Any, ...]]:
    """Return a query for the labels of runs, including those of their spans: row id, key and score."""
    of_runs = select(runs.c.id.label("item"), KEY.label("key"), _l.score).join(labels, _l.run_id == runs.c.run_id)
    its = runs.join(traces, traces.c.run_id == runs.c.run_id).join(labels, _l.trace_id == traces.c.trace_id)
    found = union_all(of_runs, select(runs.c.id, KEY, _l.score).select_from(its)).subquery("labelled_runs")
    return select(found.c.item, found.c.key, found.c.score)


def keys_of_traces() -> Select[*tuple[Any, ...]]:
    """Return a query for the labels of traces, on their spans and on their runs: row id, key and score."""
    its = or_(_l.trace_id == traces.c.trace_id, and_(_l.run_id == traces.c.run_id, _l.run_id != ""))
    return select(traces.c.id.label("item"), KEY.label("key"), _l.score).join(labels, its)


def _scored(filters: Sequence[LabelFilter]) -> ColumnElement[bool]:
    """Return the condition for the labels to rank by: those of the first name in the filter, or else all."""
    is_scored = _l.score.is_not(None)
    return and_(_l.name == clean(filters[0].name), is_scored) if filters else is_scored


def score_of_run(filters: Sequence[LabelFilter]) -> tuple[ColumnElement[Any], ColumnElement[bool]]:
    """Return the expression that runs are ranked by, their highest score, and the condition that they have one."""
    scored = _scored(filters)
    of_spans = _l.trace_id.in_(select(traces.c.trace_id).where(traces.c.run_id == runs.c.run_id).correlate(runs))
    highest = select(func.max(_l.score)).where(scored, or_(_l.run_id == runs.c.run_id, of_spans))
    return highest.correlate(runs).scalar_subquery(), runs.c.run_id.in_(_runs_with(scored))


def score_of_span(filters: Sequence[LabelFilter]) -> tuple[ColumnElement[Any], ColumnElement[bool]]:
    """Return the expression that spans are ranked by, their highest score, and the condition that they have one."""
    scored = _scored(filters)
    its_trace = select(_its_trace.c.trace_id).where(_its_trace.c.id == spans.c.trace_id).correlate(spans)
    of_span = (_l.trace_id == its_trace.scalar_subquery(), _l.span_id == spans.c.span_id)
    highest = select(func.max(_l.score)).where(scored, *of_span)
    return highest.correlate(spans).scalar_subquery(), spans.c.id.in_(_spans_with(scored))
