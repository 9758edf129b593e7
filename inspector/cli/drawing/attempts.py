"""Calls that a middleware repeated: each attempt on a line of its own below the call."""

from collections.abc import Sequence
from itertools import islice

from inspector import semconv as sc
from inspector.cli.drawing.conversations import Annotation
from inspector.cli.drawing.middleware import attempt_line, steps_of
from inspector.cli.output.terminal import Terminal
from inspector.lookup import tool_calls_of
from inspector.model import Event, attributes_of
from inspector.store import Store

_MOST_CALLS = 2_000
"""The number of tool calls to look at, because each is read in full."""


def attempt_annotations(store: Store, traces: Sequence[Sequence[Event]], terminal: Terminal) -> dict[str, Annotation]:
    """Return the lines for calls that were repeated, by the id of their spans."""
    annotations: dict[str, Annotation] = {}
    for events in traces:
        # Nothing is read of a trace in which no tool was called.
        if any(event.kind == "tool" for event in events):
            # Calls with middleware around them that reached their tool.
            executed = tool_calls_of(store, events[0].trace_id, (sc.TOOL_OUTCOME, "executed"))
            for call in islice(executed, _MOST_CALLS):
                if (lines := _attempts(call, terminal)) is not None:
                    annotations[call.span_id] = lines
    return annotations


def _attempts(call: Event, terminal: Terminal) -> Annotation | None:
    """Return the lines for a call that a middleware repeated; if several did, for the outermost one."""
    for step in steps_of(attributes_of(call)):
        if len(step.attempts) > 1:
            lines = tuple(attempt_line(at, attempt, terminal) for at, attempt in enumerate(step.attempts, 1))
            return Annotation(f"{len(lines)} attempts by {step.name}", lines)
    return None
