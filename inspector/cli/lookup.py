"""Finds what a short id refers to."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

from msgspec import Raw

from inspector.cli.errors import SpanUnknown
from inspector.cli.views import run_view, trace_view
from inspector.lookup import RunUnknown, TraceUnknown, find_run, find_run_or_trace, find_trace
from inspector.model import Event, Filter, Page, Run, Trace, Turn, every
from inspector.store import Store, answer_in, question_in

_PAGE = 1000
_PAGES_SEARCHED = 200
_HEX = re.compile(r"[0-9a-f]{1,32}")
_SPAN_DIGITS = 16
_SPAN_LEAST = 4
"""Shorter ids are not looked up, because words and figures in recorded text begin like them."""
_NAMED_IN_MESSAGE = 3
_ARRIVAL_S = 5.0
_POLL_S = 0.05

T = TypeVar("T")


def find_any(store: Store, text: str) -> Run | Trace | Event:
    """Find a run or a trace like `find_run_or_trace`, or else the only span whose id begins with it.

    Raises:
        RunUnknown: There is none of them, or several have the part.
        SpanUnknown: Several spans have the part.
    """
    try:
        return find_run_or_trace(store, text)
    except RunUnknown:
        if not spans_like(store, text):
            raise
        return find_event(store, text, trace="last")


def _searched(page_at: Callable[[str | None], Page[T]]) -> Iterator[T]:
    cursor: str | None = None
    for _ in range(_PAGES_SEARCHED):
        page = page_at(cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def of_named_run(store: Store, where: Filter) -> Filter:
    """Return a filter with the whole id of the run that it names by a part of its id, or as ``last``.

    Raises:
        RunUnknown: There is no such run, or several have the part.
    """
    return where if where.run_id is None else replace(where, run_id=find_run(store, where.run_id).run_id)


def turns_of(store: Store, run_id: str) -> list[Turn]:
    """Read the model calls of a run as turns of conversations, in the order they began."""
    return list(every(lambda cursor: store.turns(run_id, cursor=cursor, limit=_PAGE)))


def question_and_answer(store: Store, first: Event, last: Event) -> tuple[str | None, str | None]:
    """Return the beginnings of a conversation's question and answer, by its first and last call."""
    asked, answered = (store.event(event.span_id, trace_id=event.trace_id) for event in (first, last))
    prompt, reply = asked and asked.input, answered and answered.output
    question = question_in(bytes(prompt).decode()) if isinstance(prompt, Raw) else None
    return question, answer_in(bytes(reply).decode()) if isinstance(reply, Raw) else None


def find_event(store: Store, span_id: str, *, trace: str) -> Event:
    """Find one event in full; the trace only matters if two traces use the same span id.

    Raises:
        SpanUnknown: No event has that id.
    """
    trace_id = None if trace == "last" else find_trace(store, trace).trace_id
    whole = span_id.lower()
    if len(whole) < _SPAN_DIGITS:
        like = spans_like(store, whole, trace_id=trace_id)
        if len(like) > 1:
            some = ", ".join(event.span_id for event in like[:_NAMED_IN_MESSAGE])
            raise SpanUnknown(f"several spans begin with {span_id}: {some}; give more digits")
        whole = like[0].span_id if like else whole
        trace_id = like[0].trace_id if like else trace_id
    event = store.event(whole, trace_id=trace_id)
    if event is None:
        place = f" in trace {trace_id}" if trace_id else ""
        raise SpanUnknown(f"no span {span_id} is recorded{place}; 'inspector events' lists their ids under SPAN")
    return event


def spans_like(store: Store, text: str, *, trace_id: str | None = None) -> list[Event]:
    """Find the spans whose id begins with this, newest first, or two of them if there are more."""
    prefix = text.lower()
    if not _HEX.fullmatch(prefix) or not _SPAN_LEAST <= len(prefix) <= _SPAN_DIGITS:
        return []
    # Search knows ids too; those of spans that run, and of the latest changes, only a little later.
    text_index = _searched(lambda cursor: store.events(_of(trace_id, q=f"{prefix}*"), cursor=cursor, limit=_PAGE))
    running = _searched(lambda cursor: store.events(_of(trace_id, statuses=("running",)), cursor=cursor, limit=_PAGE))
    spans: dict[tuple[str, str], Event] = {}
    for event in chain(text_index, running, store.after(store.indexed_seq(), _of(trace_id), limit=_PAGE)):
        if event.span_id.startswith(prefix):
            spans[event.trace_id, event.span_id] = event
        if len(spans) > 1:
            break
    return list(spans.values())


def _of(trace_id: str | None, **fields: Any) -> Filter:
    return Filter(trace_id=trace_id, **fields)


def await_trace(store: Store, trace_id: str) -> Trace:
    """Wait until a trace that was just recorded is stored and has ended; a server ingests it within moments.

    Raises:
        TraceUnknown: It did not arrive in time.
    """
    give_up_s = time.monotonic() + _ARRIVAL_S
    while True:
        trace = store.trace(trace_id)
        if trace is not None and (trace.status != "running" or time.monotonic() > give_up_s):
            return trace
        if time.monotonic() > give_up_s:
            raise TraceUnknown(f"trace {trace_id} was recorded but not stored; 'inspector doctor' shows why")
        time.sleep(_POLL_S)


def view_of(store: Store, what: str) -> str:
    """Find what an id refers to, like ``show``, and return the address of its view."""
    item = find_any(store, what)
    if isinstance(item, Run):
        return run_view(item.run_id)
    return trace_view(item.trace_id, item.span_id if isinstance(item, Event) else None)
