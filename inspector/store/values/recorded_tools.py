"""Finds the recorded tool calls that a model's answer requests, which then need not be inferred."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.model import SpanPlace, Status
from inspector.store.values.chains import RequestedTool
from inspector.store.values.identity import Identity, short_id
from inspector.toolnames import plain_name, plain_names

MOST_TOOLS = 100_000
"""Maximum number of a run's tool spans that are searched."""
TOOL_CALL_ID = Identity.__struct_fields__.index("tool_call_id")
"""The index of the model's id of the call in a stored identity."""


class RecordedTool(NamedTuple):
    """A recorded tool call; if it has several spans, the one that counts."""

    start_ns: int
    trace_id: str
    span_id: str
    tool: str
    status: Status

    @property
    def place(self) -> SpanPlace:
        """Its trace id and span id."""
        return SpanPlace(self.trace_id, self.span_id)


class RecordedTools(NamedTuple):
    """Tool calls, each list in the order they began."""

    by_id: Mapping[str, Sequence[RecordedTool]]
    """By the id that the model gave the call."""
    by_name: Mapping[str, Sequence[RecordedTool]]
    """By the plain name of the tool."""

    def among(self, asked: Sequence[RequestedTool], since_ns: int, until_ns: int) -> Sequence[RecordedTool | None]:
        """Find the calls that one answer requests, each at most once.

        Args:
            asked: The requested calls.
            since_ns: When the model call began; none of them began before.
            until_ns: When the model was called again; none of them began after.

        Returns:
            One item per requested call, in the same order.
        """
        taken: set[RecordedTool] = set()
        found: list[RecordedTool | None] = []
        for tool in asked:
            alike = () if tool.id is None else _between(self.by_id.get(short_id(tool.id), ()), since_ns, until_ns)
            # If a model numbers its calls, a call and those of an agent below it may have the same ids.
            found.append(
                _take(sorted(alike, key=lambda call: plain_name(call.tool) not in plain_names(tool.name)), taken)
            )
        for at, tool in enumerate(asked):
            if found[at] is None:
                named = (self.by_name.get(name, ()) for name in plain_names(tool.name))
                found[at] = _take((call for calls in named for call in _between(calls, since_ns, until_ns)), taken)
        return found


def recorded_tools(rows: Sequence[Any]) -> RecordedTools:
    """Returns tool calls indexed by id and by name.

    Args:
        rows: Per span in the order they began: start, trace id, span id, tool, status, the model's id of the call, and
            the span that counts for it.
    """
    calls = {
        (trace_id, span_id): RecordedTool(start_ns, trace_id, span_id, tool or "", status)
        for start_ns, trace_id, span_id, tool, status, _, folded_into in rows
        if folded_into is None
    }
    by_id: dict[str, list[RecordedTool]] = {}
    by_name: dict[str, list[RecordedTool]] = {}
    plain: dict[str, str] = {}
    for _, trace_id, span_id, _, _, call_id, folded_into in rows:
        call = calls.get((trace_id, folded_into or span_id))
        if call is None:
            continue
        if folded_into is None:
            name = plain.get(call.tool) or plain.setdefault(call.tool, plain_name(call.tool))
            by_name.setdefault(name, []).append(call)
        if call_id is not None:
            by_id.setdefault(call_id, []).append(call)
    return RecordedTools({call_id: sorted(found, key=_start_ns) for call_id, found in by_id.items()}, by_name)


def _start_ns(call: RecordedTool) -> int:
    return call.start_ns


def _between(calls: Sequence[RecordedTool], since_ns: int, until_ns: int) -> Iterator[RecordedTool]:
    for at in range(bisect_left(calls, since_ns, key=_start_ns), len(calls)):
        if calls[at].start_ns > until_ns:
            return
        yield calls[at]


def _take(calls: Iterable[RecordedTool], taken: set[RecordedTool]) -> RecordedTool | None:
    """Return the first call that is not taken yet, and take it."""
    call = next((call for call in calls if call not in taken), None)
    if call is not None:
        taken.add(call)
    return call
