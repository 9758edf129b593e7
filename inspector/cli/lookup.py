"""Finding what a person means by a short id."""

import re
import time

import msgspec

from inspector.cli.errors import RunUnknown, SpanUnknown, TraceUnknown
from inspector.model import Event, Filter, Trace
from inspector.semconv import RUN_ID
from inspector.store import Store

_PAGE = 1000
_PAGES_SEARCHED = 200
_HEX = re.compile(r"[0-9a-f]{1,32}")
_TRACE_DIGITS = 32
_NAMED_IN_MESSAGE = 3
_ARRIVAL_S = 5.0
_POLL_S = 0.05


def find_trace(store: Store, text: str) -> Trace:
    """Find the trace with this id, the only one whose id begins so, or the ``last`` one to start.

    Raises:
        TraceUnknown: There is none, or the beginning fits several.
    """
    if text == "last":
        newest = store.traces(Filter(), limit=1).items
        if not newest:
            raise TraceUnknown("nothing is recorded yet; record a program: inspector run app.py")
        return newest[0]
    prefix = text.lower()
    found = [store.trace(prefix)] if len(prefix) == _TRACE_DIGITS else _beginning_with(store, prefix)
    traces = [trace for trace in found if trace is not None]
    if len(traces) == 1:
        return traces[0]
    if traces:
        some = ", ".join(trace.trace_id for trace in traces[:_NAMED_IN_MESSAGE])
        raise TraceUnknown(f"several traces begin with {text}: {some}; give more digits")
    raise TraceUnknown(f"no trace {text} is recorded; 'inspector events' lists what is")


def _beginning_with(store: Store, prefix: str) -> list[Trace | None]:
    found: list[Trace | None] = []
    if not _HEX.fullmatch(prefix):
        return found
    cursor: str | None = None
    for _ in range(_PAGES_SEARCHED):
        page = store.traces(Filter(), cursor=cursor, limit=_PAGE)
        found += [trace for trace in page.items if trace.trace_id.startswith(prefix)]
        cursor = page.next_cursor
        if cursor is None or len(found) > _NAMED_IN_MESSAGE:
            break
    return found


def find_run(store: Store, text: str) -> tuple[str, list[Trace]]:
    """Find the traces that the processes of one ``inspector run`` took part in, in the order they began.

    Args:
        store: What is recorded.
        text: The run's id, or ``last`` for the one that began a trace last.

    Returns:
        The run's id and its traces.

    Raises:
        RunUnknown: Nothing is recorded of such a run.
    """
    run_id = _last_run(store) if text == "last" else text
    found: list[Trace] = []
    cursor: str | None = None
    while run_id is not None:
        page = store.traces(Filter(attributes=((RUN_ID, run_id),)), cursor=cursor, limit=_PAGE)
        found += page.items
        cursor = page.next_cursor
        # A page is a second's search: a run's traces are neighbours in time, and what is recorded may be much.
        if cursor is None or (found and not page.items):
            break
    if run_id is None or not found:
        if run_id is None:
            raise RunUnknown(
                f"'inspector run' started none of the newest {_PAGE:,} traces; a trace is drawn by its id: "
                "inspector show last"
            )
        raise RunUnknown(f"no run {run_id} is recorded; 'inspector run' says the id of one that has several traces")
    return run_id, found[::-1]


def _last_run(store: Store) -> str | None:
    page = store.traces(Filter(), limit=_PAGE)
    for trace in page.items:
        for event in store.events(Filter(trace_id=trace.trace_id), order="asc", limit=1, full=True).items:
            found = msgspec.json.decode(bytes(event.attributes or b"{}")).get(RUN_ID)
            if isinstance(found, str):
                return found
    return None


def find_event(store: Store, span_id: str, *, trace: str) -> Event:
    """Find one event in full; the trace matters only where two traces use the same span id.

    Raises:
        SpanUnknown: No event has that id.
    """
    trace_id = None if trace == "last" else find_trace(store, trace).trace_id
    event = store.event(span_id.lower(), trace_id=trace_id)
    if event is None:
        place = f" in trace {trace_id}" if trace_id else ""
        raise SpanUnknown(f"no event {span_id} is recorded{place}; 'inspector events' lists their ids under SPAN")
    return event


def await_trace(store: Store, trace_id: str) -> Trace:
    """Wait until a trace that was just recorded is stored and has ended; a server takes it in within moments.

    Raises:
        TraceUnknown: It did not arrive in time.
    """
    give_up_s = time.monotonic() + _ARRIVAL_S
    while True:
        trace = store.trace(trace_id)
        if trace is not None and (trace.status != "running" or time.monotonic() > give_up_s):
            return trace
        if time.monotonic() > give_up_s:
            raise TraceUnknown(f"trace {trace_id} was recorded but not taken in; 'inspector doctor' says why")
        time.sleep(_POLL_S)


def trace_events(store: Store, trace_id: str, *, full: bool = False) -> list[Event]:
    """Read every event of a trace, in the order they began."""
    events: list[Event] = []
    cursor: str | None = None
    while True:
        page = store.events(Filter(trace_id=trace_id), order="asc", cursor=cursor, limit=_PAGE, full=full)
        events += page.items
        cursor = page.next_cursor
        if cursor is None:
            return events
