"""Finds the recorded tool calls that a model's answer requests, which then need not be inferred."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from inspector.model import SpanPlace, Status
from inspector.store.values.chains import RequestedTool
from inspector.store.values.identity import checked_arguments, short_id, tool_call_of
from inspector.toolnames import plain_name, plain_names

MOST_TOOLS = 100_000
"""Maximum number of a run's tool spans that are searched."""
_MOST_ALIKE = 100
"""Maximum number of calls of a tool whose arguments are compared with those of one request."""


class RecordedTool(NamedTuple):
    """A recorded tool call; if it has several spans, the one that counts."""

    start_ns: int
    trace_id: str
    span_id: str
    tool: str
    status: Status
    arguments: frozenset[tuple[str, int]] | None
    """The checksums of its arguments by name; None if they are not known."""

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

    def among(self, requested: Sequence[RequestedTool], since_ns: int, until_ns: int) -> Sequence[RecordedTool | None]:
        """Return for each call that an answer requests the recorded one of that time, if any, each at most once."""
        taken: set[RecordedTool] = set()
        tools: list[RecordedTool | None] = []
        for tool in requested:
            alike = () if tool.id is None else _between(self.by_id.get(short_id(tool.id), ()), since_ns, until_ns)
            # If a model numbers its calls, a call and those of an agent below it may have the same ids.
            tools.append(
                _take(sorted(alike, key=lambda call: plain_name(call.tool) not in plain_names(tool.name)), taken)
            )
        # Loops that run at the same time call one tool; what each asked for tells their calls apart.
        for is_alike in (True, False):
            for at, tool in enumerate(requested):
                if tools[at] is None:
                    calls = self._named(tool.name, since_ns, until_ns)
                    tools[at] = _take(_with_arguments(tool.arguments, calls) if is_alike else calls, taken)
        return tools

    def _named(self, name: str, since_ns: int, until_ns: int) -> Iterator[RecordedTool]:
        for plain in plain_names(name):
            yield from _between(self.by_name.get(plain, ()), since_ns, until_ns)


def recorded_tools(rows: Sequence[Any]) -> RecordedTools:
    """Return tool calls indexed by id and by name.

    Args:
        rows: Per span in the order they began: start, trace id, span id, tool, status, identity, and the span that
            counts for it.
    """
    identified = [tool_call_of(identity) if identity else (None, None) for *_, identity, _ in rows]
    calls = {
        (trace_id, span_id): RecordedTool(start_ns, trace_id, span_id, tool or "", status, _items(arguments))
        for (start_ns, trace_id, span_id, tool, status, _, folded_into), (_, arguments) in zip(
            rows, identified, strict=True
        )
        if folded_into is None
    }
    by_id: dict[str, list[RecordedTool]] = {}
    by_name: dict[str, list[RecordedTool]] = {}
    plain: dict[str, str] = {}
    for (_, trace_id, span_id, _, _, _, folded_into), (call_id, _) in zip(rows, identified, strict=True):
        call = calls.get((trace_id, folded_into or span_id))
        if call is None:
            continue
        if folded_into is None:
            name = plain.get(call.tool) or plain.setdefault(call.tool, plain_name(call.tool))
            by_name.setdefault(name, []).append(call)
        if call_id is not None:
            by_id.setdefault(call_id, []).append(call)
    return RecordedTools({call_id: sorted(found, key=_start_ns) for call_id, found in by_id.items()}, by_name)


def _items(arguments: Mapping[str, int] | None) -> frozenset[tuple[str, int]] | None:
    return None if arguments is None else frozenset(arguments.items())


def _with_arguments(arguments: str, calls: Iterable[RecordedTool]) -> Iterator[RecordedTool]:
    """Yield the calls that have the arguments that were asked for; a function may add others, by its defaults."""
    items = _items(checked_arguments(arguments))
    return (call for call in islice(calls, _MOST_ALIKE) if items and call.arguments and items <= call.arguments)


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
