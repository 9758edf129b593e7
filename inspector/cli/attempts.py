"""Calls that a middleware made several times: each attempt on a line of its own below the call's row."""

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec
from msgspec import Struct, field

from inspector import semconv as sc
from inspector.cli.conversations import Said
from inspector.cli.status import sign
from inspector.cli.terminal import Terminal
from inspector.model import Event, Filter
from inspector.store import Store

_PAGE = 200
_MOST_CALLS = 2_000
"""Tool calls that are looked at: each is read whole for it."""


class _Attempt(Struct):
    outcome: str = ""
    error: str = ""
    message: str = ""


class _Step(Struct):
    name: str = ""
    attempts: list[_Attempt] = field(default_factory=list[_Attempt])


class _Attributes(Struct):
    middleware: str | None = field(name=sc.MIDDLEWARE, default=None)


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
    for step in _steps(call):
        if len(step.attempts) > 1:
            lines = tuple(_line(at, attempt, terminal) for at, attempt in enumerate(step.attempts, 1))
            return Said(f"{len(lines)} attempts by {step.name}", lines)
    return None


def _steps(call: Event) -> list[_Step]:
    try:
        text = msgspec.json.decode(call.attributes or b"{}", type=_Attributes).middleware
        return msgspec.json.decode(text or "[]", type=list[_Step])
    except (msgspec.DecodeError, msgspec.ValidationError):
        return []  # what others record under that name


def _line(at: int, attempt: _Attempt, terminal: Terminal) -> str:
    status = sign("ok" if attempt.outcome == "ok" else "error", unicode=terminal.unicode)
    # What a model reads of an exception begins with its type.
    error = "" if attempt.message.startswith(f"{attempt.error}:") else attempt.error
    why = ": ".join(filter(None, (error, attempt.message)))
    return f"{status} attempt {at}  {why}".rstrip()
