"""JSON as the API returns it, made from the same values."""

from collections.abc import Sequence
from dataclasses import fields

import msgspec

from inspector.cli.terminal import Terminal
from inspector.cli.visible import json_text
from inspector.model import Event, Losses, Page, Run, Session, Trace

LARGE = frozenset(("input", "output", "attributes", "events", "links"))
"""Fields of an event that are read only when somebody asks for them."""
_EVENT = tuple(field.name for field in fields(Event))
_SMALL = tuple(name for name in _EVENT if name not in LARGE)


def event_fields(chosen: tuple[str, ...] | None, *, full: bool) -> tuple[str, ...] | None:
    """Name the fields of every event that JSON is to have; None where no JSON is wanted.

    Args:
        chosen: Those that ``--json`` names, none of which means the small ones; None where it was left out.
        full: Whether ``--full`` asks for the large ones too.
    """
    if chosen is None and not full:
        return None
    return chosen or (_EVENT if full else _SMALL)


def write_json(document: object, terminal: Terminal) -> None:
    """Write one JSON document on a line of its own, without a character that a terminal would obey."""
    terminal.write([json_text(msgspec.json.encode(document), unicode=terminal.unicode)])


def chosen_fields(item: object, names: Sequence[str]) -> dict[str, object]:
    """Keep the named fields, in the order they are named in; one that has no value yet is left out."""
    values = ((name, getattr(item, name)) for name in names)
    return {name: value for name, value in values if value is not msgspec.UNSET}


def event_page_document(page: Page[Event], names: Sequence[str]) -> object:
    """Answer as ``GET /events`` does."""
    return _page_document(page, [chosen_fields(event, names) for event in page.items])


def session_page_document(page: Page[Session], names: Sequence[str]) -> object:
    """Answer as ``GET /sessions`` does; no names keep every field."""
    items = [chosen_fields(session, names) for session in page.items] if names else page.items
    return {"items": items, "next_cursor": page.next_cursor}


def trace_document(trace: Trace, events: Sequence[Event], names: Sequence[str]) -> object:
    """Answer as ``GET /traces/{trace_id}`` does, with all events on one page."""
    return {"trace": trace, "items": [chosen_fields(event, names) for event in events], "next_cursor": None}


def run_document(
    run: Run, traces: Sequence[tuple[Trace, Sequence[Event]]], losses: Losses, names: Sequence[str]
) -> object:
    """Return a run, what its processes did not record at all, and its traces, each as `trace_document` does."""
    documents = [trace_document(trace, events, names) for trace, events in traces]
    return {"run": run, "losses": losses, "traces": documents}


def run_page_document(page: Page[Run], names: Sequence[str]) -> object:
    """Answer as ``GET /runs`` does; no names keep every field."""
    return _page_document(page, [chosen_fields(run, names) for run in page.items] if names else page.items)


def _page_document(page: Page[Event] | Page[Run], items: Sequence[object]) -> object:
    document = {"items": items, "next_cursor": page.next_cursor}
    return document if page.notice is msgspec.UNSET else document | {"notice": page.notice}
