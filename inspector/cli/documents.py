"""JSON as the API answers it, from the same values."""

from collections.abc import Sequence
from dataclasses import fields

import msgspec

from inspector.cli.terminal import Terminal
from inspector.cli.visible import json_text
from inspector.model import Event, Losses, Page, Session, Trace

_LARGE = ("input", "output", "attributes", "events", "links")
_SMALL = tuple(field.name for field in fields(Event) if field.name not in _LARGE)


def write_json(document: object, terminal: Terminal) -> None:
    """Write one JSON document on a line of its own, without a character that a terminal would obey."""
    terminal.write([json_text(msgspec.json.encode(document), unicode=terminal.unicode)])


def event_document(event: Event, *, full: bool) -> object:
    """Leave the large fields out unless they were asked for."""
    return event if full else {name: getattr(event, name) for name in _SMALL}


def event_page_document(page: Page[Event], *, full: bool) -> object:
    """Answer as ``GET /events`` does."""
    return {"items": [event_document(event, full=full) for event in page.items], "next_cursor": page.next_cursor}


def session_page_document(page: Page[Session]) -> object:
    """Answer as ``GET /sessions`` does."""
    return {"items": page.items, "next_cursor": page.next_cursor}


def trace_document(trace: Trace, events: Sequence[Event], *, full: bool) -> object:
    """Answer as ``GET /traces/{trace_id}`` does, with all events on one page."""
    return {"trace": trace, "items": [event_document(event, full=full) for event in events], "next_cursor": None}


def run_document(run_id: str, traces: Sequence[tuple[Trace, Sequence[Event]]], losses: Losses, *, full: bool) -> object:
    """Return what was not recorded of one run, and its traces, each as `trace_document` does."""
    documents = [trace_document(trace, events, full=full) for trace, events in traces]
    return {"run_id": run_id, "losses": losses, "traces": documents}
