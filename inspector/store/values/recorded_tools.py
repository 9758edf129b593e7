"""Tool calls of a run that were recorded, found by what an answer of a model asks for: nothing of them is inferred."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from inspector.model import SpanPlace, Status
from inspector.store.values.chains import AskedTool
from inspector.store.values.identity import Identity, short_id
from inspector.toolnames import plain_name, plain_names

MOST_TOOLS = 100_000
"""Spans of tools of a run that are looked at."""
TOOL_CALL_ID = Identity.__struct_fields__.index("tool_call_id")
"""Where in a stored identity the id is that the model gave the call."""


class RecordedTool(NamedTuple):
    """A tool call with a span, which is the one that counts where it has several."""

    start_ns: int
    trace_id: str
    span_id: str
    tool: str
    status: Status

    @property
    def place(self) -> SpanPlace:
        """Where its span is."""
        return SpanPlace(self.trace_id, self.span_id)


class RecordedTools(NamedTuple):
    """Tool calls, each list in the order they began."""

    by_id: Mapping[str, Sequence[RecordedTool]]
    """By the id that the model gave the call."""
    by_name: Mapping[str, Sequence[RecordedTool]]
    """By the plain name of the tool."""

    def among(self, asked: Sequence[AskedTool], since_ns: int, until_ns: int) -> Sequence[RecordedTool | None]:
        """Find the calls that one answer asks for, each at most once.

        Args:
            asked: What the answer asks for.
            since_ns: When the model was called, before which none of them began.
            until_ns: When it was called again, after which none of them did.

        Returns:
            As many as are asked for, in the same order.
        """
        taken: set[RecordedTool] = set()
        found: list[RecordedTool | None] = []
        for tool in asked:
            alike = () if tool.id is None else _between(self.by_id.get(short_id(tool.id), ()), since_ns, until_ns)
            # Models that number their calls give a call and those of an agent below it the same ids.
            found.append(
                _take(sorted(alike, key=lambda call: plain_name(call.tool) not in plain_names(tool.name)), taken)
            )
        for at, tool in enumerate(asked):
            if found[at] is None:
                named = (self.by_name.get(name, ()) for name in plain_names(tool.name))
                found[at] = _take((call for calls in named for call in _between(calls, since_ns, until_ns)), taken)
        return found


def recorded_tools(rows: Sequence[Any]) -> RecordedTools:
    """Returns tool calls by what they are found by.

    Args:
        rows: When each began, its trace, its span, the tool, its status, the id that the model gave, and the span that
            counts for it, in the order they began.
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
    """Return the first call that no other one was taken for, and note that it is taken."""
    call = next((call for call in calls if call not in taken), None)
    if call is not None:
        taken.add(call)
    return call
