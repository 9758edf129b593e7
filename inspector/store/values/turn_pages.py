"""The turns of a run as the API returns them, with the tool calls in their messages."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from inspector.model import InferredTool, SpanPlace, Turn
from inspector.store.values.chains import RequestedTool, ToolResult
from inspector.store.values.recorded_tools import RecordedTool, RecordedTools, recorded_tools
from inspector.store.values.rows import INT64_MAX

_ASKED = msgspec.json.Decoder(list[RequestedTool])
_SIZES = msgspec.json.Decoder(dict[str, int])
_RESULTS = msgspec.json.Decoder(list[ToolResult])


class Next(NamedTuple):
    """The call that continues a turn."""

    start_ns: int
    results: Sequence[ToolResult]


def next_of(start_ns: int, results: str) -> Next:
    """Return the call that continues a turn, given its start and the stored tool results in its prompt."""
    return Next(start_ns, _RESULTS.decode(results))


def turns_of(
    rows: Sequence[Sequence[Any]], following: Mapping[int, Next], read_tools: Callable[[int, int], Sequence[Any]]
) -> tuple[Turn, ...]:
    """Return the turns of rows.

    Args:
        rows: The rows, as `_turn_of` expects them.
        following: The calls that continue them, by row id.
        read_tools: Returns the tool calls of their run that began between two times, for `recorded_tools`.
    """
    asking = [row for row in rows if row[9] != "[]"]
    tools: Sequence[Any] = ()
    if asking:
        ends = [following[row[0]].start_ns if row[0] in following else INT64_MAX for row in asking]
        tools = read_tools(min(row[1] for row in asking), max(ends))
    recorded = recorded_tools(tools)
    return tuple(_turn_of(row, following.get(row[0]), recorded) for row in rows)


def _turn_of(row: Sequence[Any], following: Next | None, recorded: RecordedTools) -> Turn:
    """Return the turn of a row.

    Args:
        row: Row id, start, end, conversation, link, candidates, messages, how many of them are old, sizes, requested
            tools, trace id and span id, and those of the previous call.
        following: The call that continues it.
        recorded: The tool calls of the run in that time.
    """
    _, start_ns, end_ns, conversation, link, candidates, messages, new_from, sizes, tools, *places = row
    trace_id, span_id, its_trace, its_span = places[:4]
    until = INT64_MAX if following is None else following.start_ns
    requested = _ASKED.decode(tools)
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
        tools=_inferred(requested, end_ns, following, recorded.among(requested, start_ns, until)),
    )


def _inferred(
    requested: Sequence[RequestedTool],
    end_ns: int | None,
    following: Next | None,
    recorded: Sequence[RecordedTool | None],
) -> tuple[InferredTool, ...]:
    results = list(following.results) if following is not None else []
    tools: list[InferredTool] = []
    for tool, call in zip(requested, recorded, strict=True):
        result = take_result(results, tool)
        tools.append(
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
    return tuple(tools)


def take_result(results: list[ToolResult], tool: RequestedTool) -> ToolResult | None:
    """Remove and return the result of a call: the first one that has its id or none.

    Where calls have no ids, as with Gemini and Ollama, a result has the name of its tool.
    """
    call_id = tool.id or tool.name
    for at, result in enumerate(results):
        if result.id == call_id or result.id is None:
            return results.pop(at)
    return None
