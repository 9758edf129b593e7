"""Calls that a middleware made several times: each attempt on a line of its own below the call's row."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec

from inspector import semconv as sc
from inspector.cli.conversations import Said
from inspector.cli.middleware import attempt_line, steps_of
from inspector.cli.terminal import Terminal
from inspector.model import Event, Filter
from inspector.store import Store

_PAGE = 200
_MOST_CALLS = 2_000
"""Tool calls that are looked at: each is read whole for it."""


def attempts_said(store: Store, traces: Sequence[Sequence[Event]], terminal: Terminal) -> dict[str, Said]:
    """Return what is told of the calls that were made again, by the id of their spans."""
    said: dict[str, Said] = {}
    for events in traces:
        # Nothing is read of a trace in which no tool was called.
        if any(event.kind == "tool" for event in events):
            for call in islice(_executed(store, events[0].trace_id), _MOST_CALLS):
                if (told := _told(call, terminal)) is not None:
                    said[call.span_id] = told
    return said


def _executed(store: Store, trace_id: str) -> Iterator[Event]:
    """Yield the calls of a trace that had anything around them and reached their tool."""
    where = Filter(trace_id=trace_id, kinds=("tool",), attributes=((sc.TOOL_OUTCOME, "executed"),))
    cursor: str | None = None
    while True:
        page = store.events(where, order="asc", cursor=cursor, limit=_PAGE, full=True)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _told(call: Event, terminal: Terminal) -> Said | None:
    """Return what is told of a call that a middleware made several times; of several, the outermost."""
    for step in steps_of(msgspec.json.decode(call.attributes or b"{}", type=dict[str, Any])):
        if len(step.attempts) > 1:
            lines = tuple(attempt_line(at, attempt, terminal) for at, attempt in enumerate(step.attempts, 1))
            return Said(f"{len(lines)} attempts by {step.name}", lines)
    return None
