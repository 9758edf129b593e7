"""Queries for the turns of a run with the tool calls in their messages, and for runs by such calls."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, exists

from inspector.model import Page, Turn
from inspector.store.sqlite.database.engine import driver
from inspector.store.sqlite.sql.parameters import json_list
from inspector.store.sqlite.tables import runs, turns
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.inferred_tools import InferredTools
from inspector.store.values.recorded_tools import MOST_TOOLS
from inspector.store.values.rows import INT64_MAX
from inspector.store.values.turn_pages import Next, next_of, turns_of

_PAGE = (
    "SELECT turns.span, turns.start_ns, turns.end_ns, turns.conversation, turns.link, turns.candidates, "
    "turns.messages, turns.new_from, turns.sizes, turns.tools, traces.trace_id, spans.span_id, "
    "its_trace.trace_id, its_span.span_id, turns.start_ns, turns.span "
    "FROM traces JOIN spans ON spans.trace_id = traces.id JOIN turns ON turns.span = spans.id "
    "LEFT JOIN spans AS its_span ON its_span.id = turns.previous "
    "LEFT JOIN traces AS its_trace ON its_trace.id = its_span.trace_id "
    "WHERE traces.run_id = ? AND (? IS NULL OR traces.trace_id = ?) "
    "AND (turns.start_ns, turns.span) > (?, ?) ORDER BY turns.start_ns, turns.span LIMIT ?"
)
_RECORDED = (
    "SELECT spans.start_ns, traces.trace_id, spans.span_id, spans.tool, spans.status, "
    "spans.identity, spans.folded_into FROM traces JOIN spans ON spans.trace_id = traces.id "
    "WHERE traces.run_id = ? AND spans.kind = 'tool' AND spans.start_ns BETWEEN ? AND ? "
    "ORDER BY spans.start_ns, spans.id LIMIT ?"
)
_MOST_TURNS = 50_000
"""Maximum number of turns to read per step of a list of runs by inferred tool calls."""
_ASKING = (
    "SELECT turns.run, turns.span, turns.tools FROM turns "
    "WHERE turns.run IN (SELECT value FROM json_each(?)) AND turns.tools <> '[]' LIMIT ?"
)
_FOLLOWING = (
    "SELECT previous, start_ns, results FROM turns WHERE link = 'continues' "
    "AND previous IN (SELECT value FROM json_each(?)) ORDER BY start_ns DESC"
)


def read_turns(
    connection: Connection, run_id: str, trace_id: str | None, *, cursor: str | None, limit: int
) -> Page[Turn]:
    """Return one page of the turns of a run, or of one of its traces, in the order they began."""
    list_key = ("turns", run_id, trace_id)
    start_ns, span = read_cursor(list_key, cursor) or (-INT64_MAX, 0)
    execute = driver(connection).execute
    found = execute(_PAGE, (run_id, trace_id, trace_id, start_ns, span, limit + 1)).fetchall()
    rows, more = cut(list_key, found, limit)
    following = _following(connection, [row[0] for row in rows])
    items = turns_of(
        rows, following, lambda since, until: execute(_RECORDED, (run_id, since, until, MOST_TOOLS)).fetchall()
    )
    return Page(items, more)


def _following(connection: Connection, row_ids: Sequence[int]) -> dict[int, Next]:
    rows = driver(connection).execute(_FOLLOWING, (json_list(row_ids),))
    return {previous: next_of(start_ns, results) for previous, start_ns, results in rows}


def may_infer() -> ColumnElement[bool]:
    """Return the condition for runs that may have an inferred tool call."""
    return exists(turns.c.span).where(turns.c.run == runs.c.run_id, turns.c.tools != "[]")


def inferring(connection: Connection, inferred: InferredTools, run_ids: Sequence[str]) -> set[str]:
    """Return which of these runs have such an inferred tool call."""
    rows = driver(connection).execute(_ASKING, (json_list(run_ids), _MOST_TURNS)).fetchall()
    following = _following(connection, [row[1] for row in rows])
    return inferred.among(
        (run_id, tools, following[span].results if span in following else ()) for run_id, span, tools in rows
    )
