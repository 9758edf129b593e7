"""Queries for the turns of a run, with the tool calls in their messages."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection

from inspector.model import Page, Turn
from inspector.store.sqlite.engine import driver
from inspector.store.sqlite.parameters import json_list
from inspector.store.values.chains import ToolResult
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.recorded_tools import MOST_TOOLS, RecordedTools, recorded_tools
from inspector.store.values.rows import INT64_MAX
from inspector.store.values.turn_pages import Next, time_of_tools, turn_of

_RESULTS = msgspec.json.Decoder(list[ToolResult])
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
    found = driver(connection).execute(_PAGE, (run_id, trace_id, trace_id, start_ns, span, limit + 1)).fetchall()
    rows, more = cut(list_key, found, limit)
    following = _following(connection, [row[0] for row in rows])
    recorded = _recorded(connection, run_id, rows, following)
    items = tuple(turn_of(row, following.get(row[0]), recorded) for row in rows)
    return Page(items, more)


def _following(connection: Connection, row_ids: Sequence[int]) -> dict[int, Next]:
    rows = driver(connection).execute(_FOLLOWING, (json_list(row_ids),))
    return {previous: Next(start_ns, _RESULTS.decode(results)) for previous, start_ns, results in rows}


def following_results(connection: Connection, row_ids: Sequence[int]) -> dict[int, Sequence[ToolResult]]:
    """Return the tool results in the prompts that continue some turns, by the row id of the turn."""
    return {row_id: following.results for row_id, following in _following(connection, row_ids).items()}


def _recorded(connection: Connection, run_id: str, rows: Sequence[Any], following: Mapping[int, Next]) -> RecordedTools:
    between = time_of_tools(rows, following)
    if between is None:
        return recorded_tools(())
    return recorded_tools(driver(connection).execute(_RECORDED, (run_id, *between, MOST_TOOLS)).fetchall())
