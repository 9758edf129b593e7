"""The structure of traces and runs in columns, where words stand in them, and what their calls were about."""

from collections.abc import Sequence
from typing import Any, Final

from inspector.model import Filter, Hit, Hits, OutlineColumns, OutlineTables, Preview, RunOutline, TraceOutline
from inspector.store.clickhouse.database import Database, Values
from inspector.store.clickhouse.filters import NAMED_MODEL, Question, ask_spans, text_at
from inspector.store.clickhouse.wholes import read_run, read_trace
from inspector.store.values.cursor import read_cursor, write_cursor
from inspector.store.values.places import Places, Searched
from inspector.store.values.previews import error_line, gave_line, given_line
from inspector.store.values.raw import without_raw
from inspector.store.values.rows import INT64_MAX
from inspector.store.values.terms import patterns
from inspector.store.values.words import words_of

_NAMED: Final = ("kind", "status", "name", "agent", NAMED_MODEL, "tool", "error_type")
_PLAIN: Final = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd", "folded_into")
_MOST_HITS: Final = 1000
_SEARCHED: Final = tuple(name for name in Searched._fields if name not in ("shared", "attributes"))


def read_outline(database: Database, trace_id: str, *, cursor: str | None, limit: int) -> TraceOutline | None:
    """Returns one page of a trace's outline; None when there is no such trace."""
    trace = read_trace(database, trace_id)
    if trace is None:
        return None
    values = Values()
    among = f"trace_id = {values.text(trace_id)}"
    start_ns = int(trace.start_time_unix_nano)
    rows, following = _rows(database, among, values, start_ns, ("outline", trace_id), cursor, limit)
    tables, columns = _columns(rows)
    return TraceOutline(trace, trace.seq, trace.start_time_unix_nano, tables, columns, following)


def read_run_outline(database: Database, run_id: str, *, cursor: str | None, limit: int) -> RunOutline | None:
    """Returns one page of the outline of all traces of a run; None when there is no such run."""
    run = read_run(database, run_id)
    if run is None:
        return None
    values = Values()
    among = f"trace_id IN (SELECT trace_id FROM traces FINAL WHERE run_id = {values.text(run_id)})"
    start_ns = int(run.start_time_unix_nano)
    rows, following = _rows(database, among, values, start_ns, ("run outline", run_id), cursor, limit)
    tables, columns = _columns(rows)
    traces, trace = _numbered([row[16] for row in rows])
    return RunOutline(
        run=run,
        seq=run.seq,
        start_time_unix_nano=run.start_time_unix_nano,
        tables=tables,
        columns=columns,
        traces=traces,
        trace=trace,
        next_cursor=following,
    )


def _rows(  # what a page of an outline is made of
    database: Database,
    among: str,
    values: Values,
    start_ns: int,
    list_of: object,
    cursor: str | None,
    limit: int,
) -> tuple[Sequence[Sequence[Any]], str | None]:
    after_ns, after_id = read_cursor(list_of, cursor) or (-INT64_MAX, -1)
    last = values.whole(int(after_ns or 0))
    rows = database.rows(
        f"SELECT span_id, parent_id, (start_ns - {values.whole(start_ns)}) / 1e6, duration_ms, "
        f"{', '.join(_NAMED + _PLAIN)}, trace_id, start_ns, id FROM spans FINAL WHERE {among} AND start_ns >= {last} "
        f"AND (start_ns > {last} OR id > {values.whole(after_id)}) ORDER BY start_ns, id LIMIT {limit + 1}",
        values,
    )
    if len(rows) <= limit:
        return rows, None
    return rows[:limit], write_cursor(list_of, (rows[limit - 1][17], rows[limit - 1][18]))


def _columns(rows: Sequence[Sequence[Any]]) -> tuple[OutlineTables, OutlineColumns]:
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) if rows else [()] * 19
    named = [_numbered(column) for column in columns[4:11]]
    tables = OutlineTables(*(table for table, _ in named))
    return tables, OutlineColumns(*columns[:4], *(numbers for _, numbers in named), *columns[11:16])


def _numbered(column: Sequence[Any]) -> tuple[tuple[Any, ...], list[int]]:
    table = tuple(value for value in dict.fromkeys(column) if value is not None)
    places: dict[Any, int] = {value: at for at, value in enumerate(table)}
    places[None] = -1
    return table, [places[value] for value in column]


def read_hits(  # what words can be looked for
    database: Database, q: str, trace_id: str, run_id: str, *, limit: int, attributes: bool
) -> Hits | None:
    """Returns the spans of a trace or a run that hold words, and where in each; None where there is no such."""
    question = Question()
    values = question.values
    column, own = ("run_id", run_id) if run_id else ("trace_id", trace_id)
    among = f"SELECT trace_id FROM traces FINAL WHERE {column} = {values.text(own)}"
    if database.row(f"{among} LIMIT 1", values) is None:
        return None
    question.meets(f"trace_id IN ({among})")
    said = Question(values=values)
    if not ask_spans(said, Filter(q=q)) or not said.conditions:
        return Hits((), 0, complete=True)
    terms = patterns(q)
    is_said = " AND ".join(said.conditions)
    if attributes:
        # What is in attributes alone, or of a span that runs, has no words of its own: it is looked through.
        everything = "concat(name, '\\n', ifNull(error_message, ''), '\\n', attributes)"
        looked = (f"position(lower({everything}), {values.text(word)}) > 0" for word in words_of(q).split())
        is_said = f"(({is_said}) OR ({' AND '.join(looked)}))"
    question.meets(is_said)
    rows = database.rows(
        f"SELECT {', '.join(_SEARCHED)}, attributes FROM spans FINAL {question.where} "
        f"ORDER BY start_ns, id LIMIT {_MOST_HITS + 1}",
        values,
    )
    places = Places(terms)
    hits: list[Hit] = []
    for *fields, text in rows[:_MOST_HITS]:
        found: tuple[Any, ...] = (*fields, None, without_raw(text.encode()))
        row = Searched._make(found)
        held = places.of(row, {}, {})
        if held is not None and (held or not attributes):
            hits.append(Hit(row.span_id, held))
    return Hits(tuple(hits[:limit]), len(hits), complete=len(rows) <= _MOST_HITS)


def read_previews(
    database: Database, run_id: str, trace_id: str | None, span_ids: Sequence[str]
) -> tuple[Preview, ...]:
    """Returns the previews of some spans of a run, or of one trace of it, in no order."""
    values = Values()
    of_run = f"SELECT trace_id FROM traces FINAL WHERE run_id = {values.text(run_id)}"
    if trace_id is not None:
        of_run += f" AND trace_id = {values.text(trace_id)}"
    named = {key: text_at("attributes", [f"ifNull({key}, '')"]) for key in ("input_key", "output_key")}
    given, gave = (f"if({key} IS NULL, NULL, {text})" for key, text in named.items())
    rows = database.rows(
        f"SELECT trace_id, span_id, kind, {given}, {gave}, error_type, error_message FROM spans FINAL "
        f"WHERE trace_id IN ({of_run}) AND span_id IN {values.texts(span_ids)}",
        values,
    )
    return tuple(
        Preview(trace, span, given_line(kind, asked or None), gave_line(kind, said or None), error_line(*error))
        for trace, span, kind, asked, said, *error in rows
    )
