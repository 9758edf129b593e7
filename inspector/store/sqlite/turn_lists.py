"""The turns of a run, with the calls of tools that their messages tell of."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection

from inspector.model import InferredTool, Page, SpanPlace, Turn
from inspector.store.sqlite.contents import json_list
from inspector.store.sqlite.engine import driver
from inspector.store.sqlite.recorded_tools import RecordedTool, RecordedTools, read_recorded
from inspector.store.values.chains import AskedTool, ToolResult
from inspector.store.values.cursor import cut, read_cursor
from inspector.store.values.rows import INT64_MAX

_ASKED = msgspec.json.Decoder(list[AskedTool])
_RESULTS = msgspec.json.Decoder(list[ToolResult])
_SIZES = msgspec.json.Decoder(dict[str, int])
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
_FOLLOWING = (
    "SELECT previous, start_ns, results FROM turns WHERE link = 'continues' "
    "AND previous IN (SELECT value FROM json_each(?)) ORDER BY start_ns DESC"
)


class _Next(NamedTuple):
    """The call that goes on after a turn."""

    start_ns: int
    results: Sequence[ToolResult]


def read_turns(
    connection: Connection, run_id: str, trace_id: str | None, *, cursor: str | None, limit: int
) -> Page[Turn]:
    """Returns one page of the turns of a run, or of one trace of it, in the order they began."""
    identity = ("turns", run_id, trace_id)
    start_ns, span = read_cursor(identity, cursor) or (-INT64_MAX, 0)
    found = driver(connection).execute(_PAGE, (run_id, trace_id, trace_id, start_ns, span, limit + 1)).fetchall()
    rows, more = cut(identity, found, limit)
    following = _following(connection, [row[0] for row in rows])
    recorded = _recorded(connection, run_id, rows, following)
    items = tuple(_turn(row, following.get(row[0]), recorded) for row in rows)
    return Page(items, more)


def _following(connection: Connection, row_ids: Sequence[int]) -> dict[int, _Next]:
    found = driver(connection).execute(_FOLLOWING, (json_list(row_ids),))
    return {previous: _Next(start_ns, _RESULTS.decode(results)) for previous, start_ns, results in found}


def following_results(connection: Connection, row_ids: Sequence[int]) -> dict[int, Sequence[ToolResult]]:
    """Returns the results of tools that the prompts after some turns bring, by the row of the turn."""
    return {row_id: following.results for row_id, following in _following(connection, row_ids).items()}


def _recorded(
    connection: Connection, run_id: str, rows: Sequence[Any], following: Mapping[int, _Next]
) -> RecordedTools:
    asking = [row for row in rows if row[9] != "[]"]
    if not asking:
        return RecordedTools({}, {})
    ends = [following[row[0]].start_ns if row[0] in following else INT64_MAX for row in asking]
    return read_recorded(connection, run_id, min(row[1] for row in asking), max(ends))


def _turn(row: Any, following: _Next | None, recorded: RecordedTools) -> Turn:
    _, start_ns, end_ns, conversation, link, candidates, messages, new_from, sizes, tools, *places = row
    trace_id, span_id, its_trace, its_span = places[:4]
    until = INT64_MAX if following is None else following.start_ns
    asked = _ASKED.decode(tools)
    return Turn(
        conversation=str(conversation),
        trace_id=trace_id,
        span_id=span_id,
        link=link,
        previous=None if its_trace is None else SpanPlace(its_trace, its_span),
        candidates=candidates,
        messages=messages,
        new_from=new_from,
        sizes=_SIZES.decode(sizes),
        tools=_inferred(asked, end_ns, following, recorded.among(asked, start_ns, until)),
    )


def _inferred(
    asked: Sequence[AskedTool],
    end_ns: int | None,
    following: _Next | None,
    recorded: Sequence[RecordedTool | None],
) -> tuple[InferredTool, ...]:
    results = list(following.results) if following is not None else []
    found: list[InferredTool] = []
    for tool, call in zip(asked, recorded, strict=True):
        result = taken_result(results, tool.id)
        found.append(
            InferredTool(
                id=tool.id,
                name=tool.name,
                arguments=tool.arguments,
                result=None if result is None else result.result,
                failed=result is not None and result.failed if call is None else call.status == "error",
                start_time_unix_nano=None if end_ns is None else str(end_ns),
                end_time_unix_nano=None if result is None or following is None else str(following.start_ns),
                recorded=call is not None,
                span=None if call is None else call.place,
            )
        )
    return tuple(found)


def taken_result(results: list[ToolResult], call_id: str | None) -> ToolResult | None:
    """Return the result of a call and take it out: that with its id, else the first one without."""
    for at, result in enumerate(results):
        if result.id == call_id or result.id is None:
            return results.pop(at)
    return None
