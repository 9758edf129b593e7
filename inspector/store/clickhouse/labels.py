"""Labels of runs and spans."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from inspector.model import NOTE, OPPOSITES, Label, LabelFilter, NewLabel, Page
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import Conditions
from inspector.store.clickhouse.listing import Source, read_page
from inspector.store.clickhouse.tables import LABELS
from inspector.store.clickhouse.writer import Writer
from inspector.store.values.cursor import Window
from inspector.store.values.labels import MOST_SHOWN, columns_of, label_of
from inspector.store.values.rows import clamp

_LABEL: Final = (
    *("id", "run_id", "trace_id", "span_id", "name", "score", "value", "note", "author", "source"),
    "time_ns",
)
_SELECT: Final = f"SELECT {', '.join(_LABEL)} FROM labels FINAL"


def write_labels(database: Database, writer: Writer, labels: Iterable[NewLabel]) -> list[int]:
    """Store storable labels and return their ids; each replaces the one with the same name, author and source.

    Good and bad replace each other. Notes do not replace each other, except for one with the same text.
    """
    return [_write_label(database, writer, label) for label in labels]


def _write_label(database: Database, writer: Writer, label: NewLabel) -> int:
    columns, values = columns_of(label), Values()
    of_target = " AND ".join(f"{name} = {values.text(text)}" for name, text in zip(_LABEL[1:4], columns, strict=False))
    names = values.texts(OPPOSITES if label.name in OPPOSITES else (label.name,))
    same = f"name IN {names} AND author = {values.text(label.author or '')} AND source = {values.text(label.source)}"
    if label.name == NOTE:
        same += " AND note IS NULL" if label.note is None else f" AND note = {values.text(label.note)}"
    known = database.rows(f"{_SELECT} WHERE {of_target} AND {same}", values)
    later = next((row[0] for row in known if row[-1] > label.time_ns), None)
    if later is not None:
        return later
    writer.numbers["label"] += 1
    row_id = writer.numbers["label"]
    _insert(database, writer, [*((row, 1) for row in known), ((row_id, *columns), 0)])
    return row_id


def _insert(database: Database, writer: Writer, rows: Iterable[tuple[Sequence[Any], int]]) -> None:
    version = writer.next_version()
    written = [(row[0], version, removed, *row[1:]) for row, removed in rows]
    database.insert("labels", tuple(LABELS), written, token=writer.token(version))


def read_label(database: Database, label_id: int) -> Label | None:
    """Return one label."""
    values = Values()
    row = database.row(f"{_SELECT} WHERE id = {values.integer(clamp(label_id))}", values)
    return None if row is None else label_of(row)


def remove_label(database: Database, writer: Writer, label_id: int) -> Label | None:
    """Remove and return a label; None if there is no such label."""
    values = Values()
    row = database.row(f"{_SELECT} WHERE id = {values.integer(clamp(label_id))}", values)
    if row is None:
        return None
    # Ids of labels are never reused.
    writer.note({"label": writer.numbers["label"]})
    _insert(database, writer, [(row, 1)])
    return label_of(row)


def forget_labels(database: Database, writer: Writer, trace_ids: Sequence[str], run_ids: Collection[str]) -> None:
    """Remove the labels of deleted traces, and of those runs that have no traces left."""
    values = Values()
    gone_runs = f"run_id IN {values.texts(list(run_ids))} AND run_id NOT IN (SELECT run_id FROM traces FINAL)"
    rows = database.rows(
        f"{_SELECT} WHERE trace_id IN {values.texts(trace_ids)} OR ({gone_runs} AND run_id <> '')", values
    )
    if rows:
        _insert(database, writer, [(row, 1) for row in rows])


def forget_stray_labels(database: Database, writer: Writer, before_ns: int) -> None:
    """Remove labels from before a time whose run or trace was never recorded."""
    values = Values()
    rows = database.rows(
        f"{_SELECT} WHERE time_ns < {values.integer(clamp(before_ns))} AND if(trace_id = '', "
        "run_id NOT IN (SELECT run_id FROM traces FINAL), trace_id NOT IN (SELECT trace_id FROM traces FINAL))",
        values,
    )
    if rows:
        _insert(database, writer, [(row, 1) for row in rows])


def read_labels(
    database: Database,
    *,
    run_id: str | None,
    trace_id: str | None,
    span_id: str | None,
    cursor: str | None,
    limit: int,
) -> Page[Label]:
    """Return one page of labels, the latest first; those of a run include those of its spans."""
    conditions = Conditions()
    values = conditions.values
    if run_id is not None:
        of_run = f"SELECT trace_id FROM traces FINAL WHERE run_id = {values.text(run_id)}"
        conditions.add(f"(run_id = {values.text(run_id)} OR trace_id IN ({of_run}))")
    if trace_id is not None:
        conditions.add(f"trace_id = {values.text(trace_id)}")
    if span_id is not None:
        conditions.add(f"span_id = {values.text(span_id)}")
    rows, following = read_page(
        database,
        conditions,
        Window("time", "desc", cursor, limit),
        ("labels", run_id, trace_id, span_id),
        Source("labels FINAL", "time_ns"),
        _LABEL,
    )
    return Page(tuple(map(label_of, rows)), following)


KEY: Final = "concat(name, ifNull(concat('=', value), ''))"
"""The key of a label in statistics, which is also how filters name it."""


def scores_of_spans(filters: Sequence[LabelFilter], values: Values) -> str:
    """Return a subquery of spans with the score that they are ranked by."""
    return f"SELECT trace_id, span_id, max(score) AS highest FROM {_scored(filters, values)} GROUP BY trace_id, span_id"


def scores_of_runs(filters: Sequence[LabelFilter], values: Values) -> str:
    """Return a subquery of runs with the score that they are ranked by."""
    return f"SELECT run_id, max(score) AS highest FROM ({of_runs('score', _scored(filters, values))}) GROUP BY run_id"


def of_runs(columns: str, among: str = "labels FINAL") -> str:
    """Return a subquery of run ids with columns of their labels, including those of their spans."""
    traces = "(SELECT trace_id, run_id AS its_run FROM traces FINAL) AS traces"
    its = f"(SELECT * FROM {among} WHERE trace_id <> '') AS its INNER JOIN {traces}"
    return (
        f"SELECT run_id, {columns} FROM {among} WHERE run_id <> '' "
        f"UNION ALL SELECT its_run AS run_id, {columns} FROM {its} USING (trace_id)"
    )


def of_traces(columns: str) -> str:
    """Return a subquery of trace ids with columns of their labels: those of their spans and of their runs."""
    its = "(SELECT * EXCEPT trace_id FROM labels FINAL WHERE run_id <> '') AS its"
    return (
        f"SELECT trace_id, {columns} FROM labels FINAL WHERE trace_id <> '' UNION ALL SELECT trace_id, {columns} "
        f"FROM {its} INNER JOIN (SELECT trace_id, run_id FROM traces FINAL) AS traces USING (run_id)"
    )


def _scored(filters: Sequence[LabelFilter], values: Values) -> str:
    """Return a subquery of the labels to rank by: those of the first name in the filter, or else all with a score."""
    named = f" AND name = {values.text(filters[0].name)}" if filters else ""
    return f"(SELECT * FROM labels FINAL WHERE score IS NOT NULL{named}) AS scored"


def labels_of_runs(database: Database, run_ids: Sequence[str]) -> dict[str, tuple[Label, ...]]:
    """Return the latest labels of runs and of their spans, by run."""
    if not run_ids or database.row("SELECT 1 FROM labels LIMIT 1") is None:
        return {}
    values = Values()
    among = values.texts(run_ids)
    columns = ", ".join(f"labels.{name}" for name in _LABEL)
    of_runs = f"SELECT run_id AS its_run, 0 AS behind, {columns} FROM labels FINAL WHERE run_id IN {among}"
    its = (
        f"SELECT traces.run_id AS its_run, 1 AS behind, {columns} FROM (SELECT * FROM labels FINAL) AS labels "
        "INNER JOIN (SELECT trace_id, run_id FROM traces FINAL "
        f"WHERE run_id IN {among}) AS traces ON traces.trace_id = labels.trace_id"
    )
    rows = database.rows(
        f"SELECT * FROM ({of_runs} UNION ALL {its}) ORDER BY behind, 13 DESC, 3 DESC LIMIT {MOST_SHOWN} BY its_run",
        values,
    )
    by_run: dict[str, list[Label]] = {}
    for run_id, _, *row in rows:
        by_run.setdefault(run_id, []).append(label_of(row))
    return {run_id: tuple(labels) for run_id, labels in by_run.items()}
